"""What would make a model fit, or serve more requests, on the cards at hand: one change at a time, with what it saves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.answer import Saving, Say, say
from bot.errors import InvalidWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.serving import estimate_serving
from bot.estimator.serving_setup import ServingSetup, serving_setup
from bot.estimator.workload import ServingWorkload

_FEWER_BITS = ("fp8", "int8_w8a8", "awq_int4", "gguf_q4_k_m")  # tried in this order
_RAISED = 0.95


def serving_savings(workload: ServingWorkload, data: EstimatorData) -> tuple[Saving, ...]:
    """Changes that save memory on each card, the largest saving first. Nothing where the card is not known."""
    setup = serving_setup(workload, data)
    before = estimate_serving(workload, data)
    if before.usable_gib_per_gpu is None:
        return ()
    found = []
    for change, other in _changes(workload, setup):
        try:
            after = estimate_serving(other, data)
        except InvalidWorkload:
            continue
        saved = before.memory_gib_per_gpu.best - after.memory_gib_per_gpu.best
        better = after.fits != before.fits
        if after.fits is not None and (saved > 0.05 or better):
            found.append(Saving(change, saved, after.memory_gib_per_gpu.best, after.fits))
    return tuple(sorted(found, key=lambda saving: -saving.saved_gib))


def _changes(workload: ServingWorkload, setup: ServingSetup) -> Iterator[tuple[Say, ServingWorkload]]:
    for name in _FEWER_BITS:
        if setup.engine.loads_format(name) and _smaller(name, setup.format.name):
            yield say("serving.save_format", format=name), replace(workload, weights_format=name)
    if setup.kv_value_bytes >= 2 and setup.engine.serves and setup.gpu is not None and setup.gpu.fp8_tflops is not None:
        yield say("serving.save_fp8_cache"), replace(workload, kv_dtype="fp8")
    if setup.tp > setup.cache_shards and setup.model.kv_lora_rank and setup.engine.serves:
        yield say("serving.save_dp_attention"), replace(workload, dp_attention=True)
    if setup.concurrency and setup.concurrency > 1:
        half = setup.concurrency // 2
        yield say("serving.save_requests", n=half), replace(workload, concurrency=half * setup.replicas)
    if setup.request_tokens > 1024:
        prompt, output = setup.input_len // 2, max(1, setup.output_len // 2)
        shorter = replace(workload, input_len=prompt, output_len=output, max_model_len=None)
        yield say("serving.save_context", tokens=prompt + output), shorter
    if setup.engine.cache == "paged" and workload.gpu_memory_utilization is None and not setup.engine.of_free:
        yield say("serving.save_share", share=_RAISED), replace(workload, gpu_memory_utilization=_RAISED)
    if setup.arch.heads % (setup.tp * 2) == 0 and setup.engine.split == "tensor" and setup.tp < 8:
        hardware = replace(workload.hardware, n_gpus=setup.cards * 2)
        yield say("serving.save_cards", n=setup.cards * 2), replace(workload, hardware=hardware, tp=setup.tp * 2)
    if setup.engine.split == "layers":
        hardware = replace(workload.hardware, n_gpus=setup.cards + 1)
        more = replace(workload, hardware=hardware, tp=None, pp=None, layer_split=setup.cards + 1)
        yield say("serving.save_cards", n=setup.cards + 1), more


_BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8_w8a8": 8, "gptq_int8": 8, "bnb_int8": 8, "gguf_q8_0": 8}


def _smaller(name: str, than: str) -> bool:
    return _BITS.get(name, 4) < _BITS.get(than, 4 if not than.startswith("gguf_f") else 16)
