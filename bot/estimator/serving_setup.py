"""A serving workload with every open setting decided: what all the serving formulas work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.catalog.records import GIB, GpuSpec, ModelSpec
from bot.errors import InvalidWorkload
from bot.estimator.architecture import Architecture, architecture_of, with_usual_shape
from bot.estimator.cards import check_above_zero, check_hardware, node_size, usable_gib
from bot.estimator.data import EstimatorData
from bot.estimator.engines import Engine, engine_of
from bot.estimator.estimate import Assumed
from bot.estimator.formats import WeightBytes, WeightFormat, native_format, weight_bytes, weight_format
from bot.estimator.kv_cache import CacheLayout, cache_layout
from bot.estimator.workload import Hardware, ServingWorkload

_COUNTS = ("tp", "pp", "layer_split", "max_model_len", "output_len", "max_num_seqs")
_ROOMY = 0.75  # share of the cards that weights may take in a layout of several replicas


@dataclass(frozen=True, slots=True)
class ServingSetup:
    """Everything decided. Lengths are tokens of one request; `tp` x `pp` x `layer_split` cards make one replica."""

    workload: ServingWorkload
    model: ModelSpec
    arch: Architecture
    format: WeightFormat
    weights: WeightBytes
    engine: Engine
    cache: CacheLayout
    kv_dtype: str
    kv_value_bytes: float
    gpu: GpuSpec | None
    usable_gib: float | None
    tp: int
    pp: int
    layer_split: int
    replicas: int
    busy: float  # replicas at work: the requests in flight over those of one replica
    input_len: int
    output_len: int
    concurrency: int | None  # of one replica; None: a queue that never runs dry
    max_model_len: int
    max_seqs: int
    utilisation: float | None
    stretch: float  # by how much RoPE scaling may extend the model's context
    assumptions: tuple[Assumed, ...]

    @property
    def cards(self) -> int:
        return self.tp * self.pp * self.layer_split

    @property
    def cache_shards(self) -> int:
        """Cards of a stage that share one cache out; with data-parallel attention all of them, each its own requests."""
        return self.tp if self.workload.dp_attention else self.cache.shards(self.tp)

    @property
    def stages(self) -> int:
        """Groups of cards that hold different layers."""
        return self.pp * self.layer_split

    @property
    def request_tokens(self) -> int:
        return self.input_len + self.output_len


def serving_setup(workload: ServingWorkload, data: EstimatorData) -> ServingSetup:
    """Decide what the workload leaves open. Raises InvalidWorkload for an unknown format or a layout that cannot be."""
    defaults, assumed = data.defaults["serving"], []
    check_numbers(workload)
    model = with_usual_shape(workload.model)
    chosen = workload.weights_format or native_format(model)
    name = workload.engine
    if name is None:
        name = "llama.cpp" if chosen.startswith("gguf_") else str(defaults["engine"]["value"])
        assumed.append(Assumed("engine", name, "engine"))
    form = weight_format(chosen, data)
    engine = engine_of(name, workload.engine_version, data)
    if workload.weights_format is None:
        assumed.append(Assumed("weights_format", chosen, "weights_format"))
    kv_dtype, kv_bytes = _cache_type(workload, chosen, engine, data)
    weights = weight_bytes(model, chosen, data)
    layout = _layout(workload, engine, architecture_of(model).heads, weights.total)
    lengths = _lengths(workload, defaults, assumed, serves=engine.cache == "paged")
    max_model_len = workload.max_model_len or max(sum(lengths), 1)
    utilisation = workload.gpu_memory_utilization or engine.utilisation
    if workload.gpu_memory_utilization is None and engine.utilisation is not None and engine.cache == "paged":
        assumed.append(Assumed("gpu_memory_utilization", engine.utilisation, "gpu_memory_utilization"))
    tp, pp, split, replicas = layout
    concurrency, busy = _concurrency(workload, defaults, replicas, assumed)
    return ServingSetup(
        workload=workload,
        model=model,
        arch=architecture_of(model),
        format=form,
        weights=weights,
        engine=engine,
        cache=cache_layout(model, latent=engine.latent, windowed=engine.windowed, padded=engine.cache == "paged"),
        kv_dtype=kv_dtype,
        kv_value_bytes=kv_bytes,
        gpu=workload.hardware.gpu,
        usable_gib=usable_gib(workload.hardware),
        tp=tp,
        pp=pp,
        layer_split=split,
        replicas=replicas,
        busy=busy,
        input_len=lengths[0],
        output_len=lengths[1],
        concurrency=concurrency,
        max_model_len=max_model_len,
        max_seqs=workload.max_num_seqs or engine.max_seqs,
        utilisation=utilisation,
        stretch=float(data.engines.get("stretch", {}).get(model.family, 1.0)),
        assumptions=tuple(assumed),
    )


def check_numbers(workload: ServingWorkload) -> None:
    """Raises InvalidWorkload for what is not a number that can be; a prompt of 0 tokens starts from nothing."""
    check_hardware(workload.hardware)
    for name in _COUNTS:
        value = getattr(workload, name)
        if value is not None:
            check_above_zero(name, value, whole=True)
    if workload.input_len != 0:
        check_above_zero("input_len", workload.input_len, whole=True)
    share = workload.gpu_memory_utilization
    check_above_zero("gpu_memory_utilization", share, whole=False)
    if share is not None and share > 1:
        raise InvalidWorkload("gpu_memory_utilization", share, "a share of the card is accepted: 0.9 is usual")


def with_load(setup: ServingSetup, *, concurrency: int | None = None, request_tokens: int | None = None) -> ServingSetup:
    """The same server under another load: `concurrency` requests, or requests of `request_tokens` in all."""
    changed = setup if concurrency is None else replace(setup, concurrency=concurrency)
    if request_tokens is None:
        return changed
    share = setup.input_len / max(setup.request_tokens, 1)
    prompt = round(request_tokens * share)
    return replace(changed, input_len=prompt, output_len=request_tokens - prompt, max_model_len=request_tokens)


def _cache_type(workload: ServingWorkload, chosen: str, engine: Engine, data: EstimatorData) -> tuple[str, float]:
    """The cache's type and bytes a value: 16 bit unless stated, FP8 where an engine caches as the checkpoint computes."""
    dtype = workload.kv_dtype
    if dtype is None:
        dtype = "fp8" if engine.kv_follows_weights and chosen in ("fp8", "nvfp4") else "bf16"
    sizes = data.formats["kv_bytes"]
    if dtype not in sizes:
        raise InvalidWorkload("kv_dtype", dtype, f"one of {', '.join(sizes)}")
    return dtype, float(sizes[dtype])


def _layout(workload: ServingWorkload, engine: Engine, heads: int, weights: float) -> tuple[int, int, int, int]:
    """(tp, pp, layer_split, replicas). Nothing said: the engine's own way over all the cards."""
    cards = workload.hardware.n_gpus or 1
    tp, pp, split = workload.tp, workload.pp, workload.layer_split
    if tp is None and pp is None and split is None:
        if engine.split == "layers":
            return 1, 1, cards, 1
        tp, pp = _tensor_layout(workload.hardware, heads, weights)
    tp, pp, split = tp or 1, pp or 1, split or 1
    if split > 1 and tp * pp * split > cards:  # a layer split said twice: as pipeline stages, or with tp spelled out
        tp, pp = max(1, cards // split), 1
    if workload.hardware.n_gpus is not None and tp * pp * split > cards:
        raise InvalidWorkload("tp", tp, f"tp x pp x layer_split at most n_gpus = {cards}")
    return tp, pp, split, max(1, cards // (tp * pp * split))


def _tensor_layout(hardware: Hardware, heads: int, weights: float) -> tuple[int, int]:
    """(tp, pp) over all cards: TP as wide as the node and the heads allow; what is left are stages where one TP group is
    too small for the weights or nodes are joined, else replicas.

    28 heads on 8 cards: TP 4, two replicas. 64 heads on 16 cards: TP 8, two stages.
    """
    cards, node = hardware.n_gpus or 1, node_size(hardware)
    tp = next(n for n in range(min(cards, node), 0, -1) if heads % n == 0 and cards % n == 0)
    usable = usable_gib(hardware)
    roomy = usable is not None and weights / GIB < _ROOMY * usable * tp
    return tp, 1 if cards <= node and roomy else cards // tp


def _lengths(
    workload: ServingWorkload, defaults: Mapping[str, Any], assumed: list[Assumed], *, serves: bool
) -> tuple[int, int]:
    """(input, output) tokens; the defaults shrink where max_model_len or the model's limit leaves less room."""
    room = min(workload.max_model_len or 10**9, workload.model.context_length or 10**9)
    usual = {key: int(str(defaults[key]["value"])) for key in ("input_len", "output_len")}

    def decide(key: str, stated: int | None, other: int | None) -> int:
        if stated is not None:
            return stated
        left = room - other if other is not None else room * usual[key] // sum(usual.values())
        assumed.append(Assumed(key, max(1, min(usual[key], left)), key))
        return max(1, min(usual[key], left))

    if workload.input_len is None and workload.output_len is not None and not serves:
        return 1, workload.output_len  # a script that generates from a bare start token
    prompt = decide("input_len", workload.input_len, workload.output_len)
    return prompt, decide("output_len", workload.output_len, workload.input_len)


def _concurrency(
    workload: ServingWorkload, defaults: Mapping[str, Any], replicas: int, assumed: list[Assumed]
) -> tuple[int | None, float]:
    """Requests in flight on one replica (None for a queue that never runs dry), and the replicas that they keep busy."""
    stated = workload.concurrency
    if stated == "max":
        return None, replicas
    if stated is None:
        stated = int(str(defaults["concurrency"]["value"]))
        assumed.append(Assumed("concurrency", stated, "concurrency"))
    if not isinstance(stated, int) or stated < 1:
        raise InvalidWorkload("concurrency", stated, 'a whole number from 1, or "max"')
    each = -(-stated // replicas)
    return each, stated / each
