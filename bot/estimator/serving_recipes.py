"""The command that realises a serving answer, and the line of the engine's log by which to check it."""

from __future__ import annotations

from bot.answer import Recipe, say
from bot.estimator.estimate import ServingEstimate
from bot.estimator.workload import ServingWorkload

_TEMPLATES = {
    "vllm": "vllm",
    "sglang": "sglang",
    "tensorrt-llm": "tensorrt-llm",
    "nim": "tensorrt-llm",
    "llama.cpp": "llama.cpp",
    "ollama": "llama.cpp",
}
# What vLLM and SGLang are told where they quantise a 16-bit checkpoint themselves; others need a checkpoint in the format.
_ON_LOAD = {"fp8": "fp8", "nf4": "bitsandbytes", "bnb_int8": "bitsandbytes"}
_ROUND = 1024  # a context limit is set in whole thousands


def serving_recipe(workload: ServingWorkload, estimate: ServingEstimate) -> Recipe:
    """Settings for `templates/recipe/{kind}.j2`; engines without a template of their own get vLLM's."""
    assumed = {item.slot: item.value for item in estimate.assumptions}
    name = workload.engine or str(assumed.get("engine", "vllm"))
    kind = _TEMPLATES.get(name, "vllm")
    chosen = workload.weights_format or str(assumed.get("weights_format", "bf16"))
    pool = estimate.kv_pool_tokens
    settings = {
        "model": workload.model.hf_id or workload.model.name,
        "format": chosen,
        "native": workload.weights_format is None,
        "on_load": _ON_LOAD.get(chosen) if workload.weights_format else None,
        "tp": workload.tp or (workload.hardware.n_gpus or 1 if not workload.layer_split and not workload.pp else 1),
        "pp": workload.pp or 1,
        "cards": workload.hardware.n_gpus or 1,
        "context": workload.max_model_len or _context(workload, assumed),
        "requests": _requests(workload, assumed),
        "share": workload.gpu_memory_utilization or assumed.get("gpu_memory_utilization"),
        "kv_dtype": workload.kv_dtype,
        "eager": bool(workload.enforce_eager),
        "offload": estimate.fits == "no",
    }
    check = None
    if pool is not None:
        check = say(
            f"serving.check_{kind.replace('.', '_').replace('-', '_')}", tokens=pool, requests=estimate.max_concurrency
        )
    return Recipe(kind, _filename(kind), settings, check)


def _context(workload: ServingWorkload, assumed: dict[str, object]) -> int:
    lengths = [getattr(workload, key) or assumed.get(key) or 0 for key in ("input_len", "output_len")]
    tokens = sum(int(str(value)) for value in lengths)
    return max(_ROUND, -(-tokens // _ROUND) * _ROUND)


def _requests(workload: ServingWorkload, assumed: dict[str, object]) -> int | None:
    stated = workload.concurrency if workload.concurrency is not None else assumed.get("concurrency")
    return stated if isinstance(stated, int) else None


def _filename(kind: str) -> str:
    return "trtllm-serve.sh" if kind == "tensorrt-llm" else f"{kind}.sh"
