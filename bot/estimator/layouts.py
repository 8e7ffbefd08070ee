"""How a training job is laid over cards: the sizes of every group, what is sharded over which, and what is impossible."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from bot.errors import InvalidWorkload
from bot.estimator.architecture import Architecture
from bot.estimator.cards import GPUS_PER_NODE
from bot.estimator.frameworks import Framework
from bot.estimator.workload import Hardware, Parallelism


@dataclass(frozen=True, slots=True)
class Layout:
    """Group sizes with dp x tp x pp x cp = n_gpus, and over how many cards each kind of state is cut."""

    n_gpus: int
    dp: int
    tp: int
    pp: int
    cp: int
    ep: int
    vpp: int
    layer_split: int
    zero: int  # 0 plain DDP; 1 optimizer, 2 gradients too, 3 weights too (FSDP full shard)
    shard_size: int  # cards that share one copy of what is sharded
    is_fsdp: bool
    sequence_parallel: bool
    gpus_per_node: int
    link_domain: int  # cards joined by NVLink

    @property
    def weights_over(self) -> int:
        return self.shard_size if self.zero == 3 else 1

    @property
    def gradients_over(self) -> int:
        return self.shard_size if self.zero >= 2 else 1

    @property
    def optimizer_over(self) -> int:
        return self.shard_size if self.zero >= 1 else 1

    @property
    def expert_shards(self) -> int:
        """Cards that share one expert's states: what is left of the shard group beside expert parallelism."""
        return max(1, self.shard_size * self.tp // self.ep) if self.ep > 1 else self.shard_size

    @property
    def nodes(self) -> int:
        return -(-self.n_gpus // self.gpus_per_node)

    @property
    def label(self) -> str:
        """`ZeRO-3 x 16`, `TP8 PP8 DP8`: how engineers name it."""
        if self.n_gpus == 1:
            return "1 GPU"
        if self.layer_split > 1:
            return f"layers over {self.layer_split}"
        sizes = (("TP", self.tp), ("PP", self.pp), ("CP", self.cp), ("EP", self.ep), ("DP", self.dp))
        parts = [f"{name}{size}" for name, size in sizes if size > 1]
        kind = "FSDP" if self.is_fsdp and self.zero == 3 else ("DDP" if self.zero == 0 else f"ZeRO-{self.zero}")
        if self.is_fsdp and self.shard_size < self.dp * self.cp:
            kind = f"HSDP{self.shard_size}"
        return " ".join([*parts, kind] if self.dp * self.cp > 1 else parts)


def resolve_layout(given: Parallelism, hardware: Hardware, framework: Framework, architecture: Architecture) -> Layout:
    """Sizes that are not said follow from those that are; dp takes what is left.

    8 cards with tp 4 give dp 2. Raises InvalidWorkload where the sizes contradict the cards or the model.
    """
    n = hardware.n_gpus or _product(given)
    split = given.layer_split or 1
    tp, pp, cp = given.tp or 1, given.pp or 1, given.cp or 1
    _check_sizes(given, architecture, n, tp * pp * cp)
    dp = given.dp or (1 if split > 1 else max(1, n // (tp * pp * cp)))
    zero, is_fsdp = _sharding(given, framework, n)
    return Layout(
        n_gpus=n, dp=dp, tp=tp, pp=pp, cp=cp, ep=given.ep or 1, vpp=given.vpp or 1, layer_split=split, zero=zero,
        shard_size=_shard_size(given, hardware, dp * cp, n), is_fsdp=is_fsdp,
        sequence_parallel=_sequence_parallel(given, framework, tp),
        gpus_per_node=min(n, hardware.gpus_per_node or _node_size(hardware)),
        link_domain=_link_domain(hardware),
    )  # fmt: skip


def is_open(given: Parallelism) -> bool:
    """Nothing was said about the layout, so that the estimator may choose it."""
    said = (given.tp, given.pp, given.cp, given.ep, given.zero_stage, given.fsdp, given.layer_split)
    return all(value in (None, 1) for value in said[:4]) and not any(value is not None for value in said[4:])


def _product(given: Parallelism) -> int:
    return (given.layer_split or 1) * (given.dp or 1) * (given.tp or 1) * (given.pp or 1) * (given.cp or 1)


def _check_sizes(given: Parallelism, architecture: Architecture, n: int, model_cards: int) -> None:
    for name in ("dp", "tp", "pp", "cp", "ep", "vpp", "shard_size", "layer_split"):
        value = getattr(given, name)
        if value is not None and value < 1:
            raise InvalidWorkload(f"parallelism.{name}", value, "1 or more is accepted")
    if given.zero_stage is not None and given.zero_stage not in (0, 1, 2, 3):
        raise InvalidWorkload("parallelism.zero_stage", given.zero_stage, "0, 1, 2 or 3 is accepted")
    tp, pp = given.tp or 1, given.pp or 1
    check_tensor_parallel("parallelism.tp", tp, architecture.heads)
    if pp > architecture.layers:
        raise InvalidWorkload("parallelism.pp", pp, f"at most the {architecture.layers} layers are accepted")
    if (given.ep or 1) > 1 and not architecture.moe_layers:
        raise InvalidWorkload("parallelism.ep", given.ep, "1 is accepted: the model has no experts")
    if n % (given.ep or 1):
        raise InvalidWorkload("parallelism.ep", given.ep, f"a divisor of n_gpus = {n} is accepted")
    product = model_cards * (given.dp or 1) * (given.layer_split or 1)
    if n % model_cards or (given.dp and product != n):
        shown = f"tp {tp} x pp {pp} x cp {given.cp or 1}" + (f" x dp {given.dp}" if given.dp else "")
        fitting = f"; dp {n // model_cards} does" if n % model_cards == 0 else ""
        raise InvalidWorkload("parallelism", shown, f"their product must be n_gpus = {n}, not {product}{fitting}")


def check_tensor_parallel(field: str, tp: int, heads: int) -> None:
    """Raises InvalidWorkload where `tp` does not divide the heads, naming the nearest that do: for 3 of 32, 2 and 4."""
    if heads % tp == 0:
        return
    fitting = [size for size in range(1, heads + 1) if heads % size == 0]
    below = max(size for size in fitting if size < tp)
    nearest = (below, *[size for size in fitting if size > tp][:1])
    does = f"{' or '.join(map(str, nearest))} does"
    raise InvalidWorkload(field, tp, f"must divide the {heads} attention heads; {does}", nearest)


def _sharding(given: Parallelism, framework: Framework, n: int) -> tuple[int, bool]:
    if given.fsdp:
        return (2 if given.fsdp == "shard_grad_op" else 3), True
    if given.zero_stage is not None:
        return given.zero_stage, False
    if n == 1 or given.layer_split:
        return (3 if framework.zero_alone else 0), False
    return framework.zero, framework.zero == 3 and not framework.upkeep


def _shard_size(given: Parallelism, hardware: Hardware, data_cards: int, n: int) -> int:
    if given.shard_size:
        return min(given.shard_size, data_cards)
    if given.fsdp == "hybrid_shard":
        node = min(n, hardware.gpus_per_node or _node_size(hardware))
        return gcd(data_cards, node) or 1
    return data_cards


def _node_size(hardware: Hardware) -> int:
    domain = hardware.gpu.link_domain if hardware.gpu else 1
    return max(GPUS_PER_NODE, domain)


def _link_domain(hardware: Hardware) -> int:
    if hardware.nvlink is False:
        return 1
    domain = hardware.gpu.link_domain if hardware.gpu else 1
    return max(domain, 2) if hardware.nvlink else domain


def _sequence_parallel(given: Parallelism, framework: Framework, tp: int) -> bool:
    if given.sequence_parallel is not None:
        return given.sequence_parallel
    return tp > 1 and (framework.is_megatron_like or framework.name == "torchtitan") and framework.name not in (
        "megatron-deepspeed", "internevo", "gpt-neox",
    )  # fmt: skip
