"""The layouts worth trying for a job whose layout is not said, simplest first.

Data parallel where one card holds everything, FSDP where not, tensor parallel inside the NVLink domain, pipelines beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.estimator.architecture import Architecture, architecture_of, with_usual_shape
from bot.estimator.layouts import is_open
from bot.estimator.workload import Parallelism, TrainingWorkload

PRETRAIN_CARDS = (
    512  # of a pretraining cluster whose size is not said; decides what passes links, never a count in an answer
)
_PIPELINE_PER_B = 15.0  # 1e9 parameters for each stage beside TP8
_MOST_PIPELINE = 16
_UNEVEN = 1.1  # stages times layers of the fullest over all layers
_EXPERT_GROUPS = (8, 64)  # cards over which experts are spread: a node, and the largest published


def layouts_on(workload: TrainingWorkload, n: int) -> Iterator[TrainingWorkload]:
    """The workload on `n` cards in each layout worth trying. What was stated about the layout stays."""
    given = workload.parallelism
    on_n = replace(workload, hardware=replace(workload.hardware, n_gpus=n))
    if n == 1 or not is_open(given):
        cards = (given.tp or 1) * (given.pp or 1) * (given.cp or 1) * (given.layer_split or 1)
        if n % cards == 0:
            yield replace(on_n, parallelism=replace(given, dp=n // cards))
        return
    for layout in _open_layouts(workload, n):
        yield replace(on_n, parallelism=layout)


def pretraining_layouts(workload: TrainingWorkload, n: int) -> Iterator[Parallelism]:
    """What pretraining stacks run: FSDP over all cards, or TP in the node, a pipeline, and a sharded optimizer."""
    yield Parallelism(dp=n, fsdp="full_shard")
    architecture = architecture_of(with_usual_shape(workload.model))
    deepest = max(1, round(workload.model.params_b / _PIPELINE_PER_B))
    tp = _tensor(workload, architecture, n)
    if tp > 1:
        pp = _pipeline(architecture.layers, n // tp, most=deepest)
        yield Parallelism(dp=n // tp // pp, tp=tp, pp=pp, zero_stage=1, sequence_parallel=True)
    yield from _expert_layouts(workload, architecture, n, deepest=deepest)


def data_layouts(n: int) -> tuple[Parallelism, Parallelism]:
    """A copy on every card; one copy sharded over all of them."""
    return Parallelism(dp=n, zero_stage=0), Parallelism(dp=n, fsdp="full_shard")


def _open_layouts(workload: TrainingWorkload, n: int) -> Iterator[Parallelism]:
    yield from data_layouts(n)
    if workload.method in ("qlora", "q_galore"):
        return  # no framework splits 4-bit weights by tensor
    architecture = architecture_of(with_usual_shape(workload.model))
    tp = _tensor(workload, architecture, n)
    if tp > 1:
        yield Parallelism(dp=n // tp, tp=tp, fsdp="full_shard", sequence_parallel=True)
        pp = _pipeline(architecture.layers, n // tp, most=_MOST_PIPELINE)
        if pp > 1:
            yield Parallelism(dp=n // tp // pp, tp=tp, pp=pp, zero_stage=1, sequence_parallel=True)
    yield from _expert_layouts(workload, architecture, n)


def _expert_layouts(
    workload: TrainingWorkload, architecture: Architecture, n: int, *, deepest: int = _MOST_PIPELINE
) -> Iterator[Parallelism]:
    """Experts spread over cards, in a node and over several, each beside a pipeline where the cards allow it.

    DeepSeek-V3 on 2,048 cards: EP 64 and PP 16, as its authors ran it.
    """
    experts = workload.model.moe_experts or 0
    for ep in _EXPERT_GROUPS:
        if not architecture.moe_layers or experts % ep or n % ep:
            continue
        pp = _pipeline(architecture.layers, n // ep, most=deepest)
        yield Parallelism(dp=n // pp, pp=pp, ep=ep, vpp=_chunks(architecture.layers, pp), zero_stage=1)


def _chunks(layers: int, pp: int) -> int | None:
    """Two chunks of layers a stage where it has as many: the interleaved schedule halves the bubble."""
    return 2 if pp > 1 and layers >= 2 * pp else None


def _tensor(workload: TrainingWorkload, architecture: Architecture, n: int) -> int:
    """The largest of 8, 4 and 2 inside the NVLink domain that divides cards and heads; 1 without NVLink."""
    domain = workload.hardware.gpu.link_domain if workload.hardware.gpu else 1
    return next((t for t in (8, 4, 2) if t <= domain and n % t == 0 and architecture.heads % t == 0), 1)


def _pipeline(layers: int, cards: int, *, most: int) -> int:
    """The deepest pipeline that divides the cards and, nearly, the layers: 61 layers make 16 stages of 4, the last of 1."""
    depths = (p for p in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16) if p <= min(most, _MOST_PIPELINE))
    return max((p for p in depths if cards % p == 0 and -(-layers // p) * p <= _UNEVEN * layers), default=1)
