"""What cannot be served at all, said with the field, its value and the nearest thing that works."""

from __future__ import annotations

from bot.catalog.records import GpuSpec
from bot.errors import InvalidWorkload
from bot.estimator.formats import WeightFormat
from bot.estimator.layouts import check_tensor_parallel
from bot.estimator.serving_setup import ServingSetup

_ANY_CARD = "gptq_int4"  # four bits of the same size, with kernels for every card since Pascal


def check_workload(setup: ServingSetup) -> None:
    """Raises InvalidWorkload."""
    _check_format(setup)
    _check_tensor_parallel(setup)
    _check_context(setup)


def runs_natively(gpu: GpuSpec | None, form: WeightFormat) -> bool:
    """Whether a card has arithmetic for a format: by compute capability where NVIDIA names one, else by its peak rates.

    A card that is not known, and a format that any card unpacks, are not refused.
    """
    if gpu is None or form.needs is None:
        return True
    try:
        return float(gpu.compute_capability or "") >= form.needs
    except ValueError:
        return form.compute not in ("fp8", "fp4") or gpu.peak_tflops(form.compute) is not None


def _check_format(setup: ServingSetup) -> None:
    name, engine = setup.format.name, setup.engine
    if setup.workload.weights_format is None:
        return
    if not engine.loads_format(name):
        nearest = (
            "a GGUF type such as gguf_q4_k_m" if engine.loads and "gguf" in engine.loads else "awq_int4, gptq_int4 or bf16"
        )
        raise InvalidWorkload("weights_format", name, f"{engine.title} cannot load it; it loads {nearest}")
    if not runs_natively(setup.gpu, setup.format) and setup.format.instead and setup.gpu:
        fp = name.split("_")[0].upper()
        accepted = f"{setup.gpu.title} ({setup.gpu.arch}) has no {fp}; use {' or '.join(setup.format.instead)}"
        raise InvalidWorkload("weights_format", name, accepted)
    if setup.workload.engine and lacks_kernels(setup):
        accepted = f"{engine.title} has no kernels of it for {setup.gpu and setup.gpu.title}; use {_ANY_CARD}"
        raise InvalidWorkload("weights_format", name, accepted, (_ANY_CARD,))


def lacks_kernels(setup: ServingSetup) -> bool:
    """The engine's kernels for this format want a newer card, though other engines run it: AWQ on V100 in vLLM."""
    needed = setup.engine.needed_for(setup.format.name)
    try:
        return needed is not None and float((setup.gpu and setup.gpu.compute_capability) or "") < needed
    except ValueError:
        return False


def _check_tensor_parallel(setup: ServingSetup) -> None:
    if setup.workload.tp is not None and setup.model.shape_known:
        check_tensor_parallel("tp", setup.tp, setup.arch.heads)


def _check_context(setup: ServingSetup) -> None:
    """Servers refuse a context beyond the model's, but for families that are made to be stretched (RoPE scaling)."""
    limit = setup.model.context_length
    if not limit or not setup.engine.checks_context:
        return
    for field, value in (
        ("max_model_len", setup.workload.max_model_len or 0),
        ("input_len + output_len", setup.request_tokens),
    ):
        if value > limit * setup.stretch:
            accepted = int(limit * setup.stretch)
            raise InvalidWorkload(field, value, f"{setup.model.name} takes {accepted:,} tokens; at most that")
