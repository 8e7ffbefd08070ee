"""Training frameworks as data: the defaults of each that decide memory and speed (`knowledge/frameworks.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.errors import KnowledgeError

States = Literal["pure", "master", "fp32"]
Loss = Literal["whole", "chunked", "fused", "parallel"]


@dataclass(frozen=True, slots=True)
class Framework:
    """Defaults of one framework; the meaning of each field is the head of `knowledge/frameworks.yaml`."""

    name: str
    title: str
    states: States
    gradients: int
    adapter: int
    upcast: bool
    loss: Loss
    kernels: Literal["eager", "fused"]
    dropout: bool
    checkpointing: Literal["none", "selective", "full"]
    selective: str
    attention: Literal["flash", "sdpa", "fused_softmax", "eager"]
    zero: int
    zero_alone: bool
    upkeep: bool
    step: float
    ragged: float
    fill: float
    flat_gradients: bool
    double_quant: bool
    keeps_inputs: bool
    root_whole: bool
    no_sync: bool
    longest: int | None
    with_tensor: str | None
    pace: float
    release: str | None  # year.month of the kernels for experts, where the version is not said
    source: str

    @property
    def is_megatron_like(self) -> bool:
        """Splits layers by tensor and pipeline rather than by FSDP, and its sharding is the optimizer's alone."""
        return self.upkeep and self.zero == 1


def read_frameworks(document: Mapping[str, Any]) -> dict[str, Framework]:
    """Every framework by name, `default` for one that is not named. Raises KnowledgeError for an unknown key."""
    named = {"default": {}, **document["frameworks"]}
    problems: list[str] = []
    frameworks: dict[str, Framework] = {}
    for name, own in named.items():
        try:
            frameworks[name] = Framework(name=name, **{**document["default"], **own})
        except TypeError as exc:
            problems.append(f"knowledge/frameworks.yaml {name}: {exc}")
    if problems:
        raise KnowledgeError(problems)
    return frameworks
