"""The sum behind a training estimate's memory, with the user's numbers in each line."""

from __future__ import annotations

from bot.answer import Source, SumLine, say
from bot.estimator.training_memory import GIB, Memory
from bot.estimator.training_setup import Setup
from bot.estimator.training_states import adapter_parameters, moments_bytes, quant_bits

_ZERO = Source("ZeRO: memory optimizations toward training trillion parameter models", "https://arxiv.org/abs/1910.02054")
_RECOMPUTE = Source("Reducing activation recomputation in large transformer models", "https://arxiv.org/abs/2205.05198")
_QLORA = Source("QLoRA: efficient finetuning of quantized LLMs", "https://arxiv.org/abs/2305.14314")


def training_sum(setup: Setup, memory: Memory) -> tuple[SumLine, ...]:
    """One line a part, on the fullest card. `70.6e9 x 2 B / 16` for the weights of a 70B in bf16 over sixteen cards."""
    lines = (
        ("weights", _weights(setup), _QLORA if setup.quant else _ZERO),
        ("gradients", _gradients(setup), _ZERO),
        ("optimizer", _optimizer(setup), _ZERO),
        ("activations", _activations(setup), _RECOMPUTE),
        ("logits", f"{setup.held_tokens:,.0f} tokens x {setup.architecture.vocab:,}", None),
        ("overhead", "", None),
    )
    return tuple(
        SumLine(say(f"breakdown.{name}"), memory.parts[name] / GIB, "GiB", formula, source)
        for name, formula, source in lines
        if memory.parts[name] > 0.005 * GIB
    )


def _over(cards: int) -> str:
    return f" / {cards}" if cards > 1 else ""


def _split(setup: Setup) -> int:
    return setup.layout.tp * setup.layout.pp


def _weights(setup: Setup) -> str:
    a, lay = setup.architecture, setup.layout
    over = _over(lay.weights_over * _split(setup))
    if setup.quant:
        rest = 4 if setup.framework.upcast else 2
        return f"({a.linear / 1e9:.4g}e9 x {quant_bits(setup):g} bit + {(a.total - a.linear) / 1e9:.3g}e9 x {rest} B){over}"
    each = 4 if setup.states == "fp32" and setup.kind == "full" else 2
    return f"{a.total / 1e9:.4g}e9 x {each} B{over}"


def _trained(setup: Setup) -> float:
    return adapter_parameters(setup) if setup.kind == "adapter" else float(setup.architecture.total)


def _gradients(setup: Setup) -> str:
    each = setup.framework.adapter if setup.kind == "adapter" else setup.gradient_bytes
    return f"{_trained(setup) / 1e9:.3g}e9 x {each} B{_over(setup.layout.gradients_over * _split(setup))}"


def _optimizer(setup: Setup) -> str:
    over = _over(setup.layout.optimizer_over * _split(setup))
    if setup.kind == "adapter":
        return f"{_trained(setup) / 1e9:.3g}e9 x {2 * setup.framework.adapter} B{over}"
    master = " + 4" if setup.states == "master" else ""
    return f"{_trained(setup) / 1e9:.4g}e9 x ({moments_bytes(setup):.3g}{master}) B{over}"


def _activations(setup: Setup) -> str:
    a = setup.architecture
    if setup.checkpointing == "full":
        return f"{a.layers} x {setup.held_tokens:,.0f} x {a.hidden:,} x 2 B + 1 layer"
    return f"{a.layers} x {setup.held_tokens:,.0f} tokens, checkpointing {setup.checkpointing}"
