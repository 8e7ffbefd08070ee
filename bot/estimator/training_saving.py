"""What would make a training job fit on the cards at hand: one change at a time, with what it saves on each card.

In the order in which an engineer tries them: settings that cost nothing first, then those that cost speed, then those that
train something else, then more cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.answer import Saving, Say, say
from bot.errors import InvalidWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import TrainingEstimate
from bot.estimator.training import estimate_training, with_layout
from bot.estimator.training_planner import smallest_training
from bot.estimator.training_setup import Setup, resolve_training
from bot.estimator.workload import Parallelism, TrainingWorkload

_LEAST_GIB = 0.1
_ADAPTERS = ("lora", "dora", "adalora")
_FULL = ("full_finetune", "pretrain")


def training_savings(workload: TrainingWorkload, data: EstimatorData) -> tuple[Saving, ...]:
    """Each step that saves at least 0.1 GiB a card, with the GiB still needed after it. Nothing for an unknown card."""
    laid = with_layout(workload, data)
    before = estimate_training(laid, data)
    if before.fits is None:
        return ()
    setup = resolve_training(laid, data)
    steps = (_saving(change, other, before, data) for change, other in _changes(laid, setup, data))
    return tuple(step for step in steps if step is not None)


def _saving(change: Say, other: TrainingWorkload, before: TrainingEstimate, data: EstimatorData) -> Saving | None:
    try:
        after = estimate_training(other, data)
    except InvalidWorkload:
        return None
    left = after.memory_gib_per_gpu.best
    saved = before.memory_gib_per_gpu.best - left
    return Saving(change, saved, left, after.fits) if after.fits and saved >= _LEAST_GIB else None


def _changes(w: TrainingWorkload, setup: Setup, data: EstimatorData) -> Iterator[tuple[Say, TrainingWorkload]]:
    yield from _settings(w, setup)
    yield from _states(w, setup)
    yield from _sharding(w, setup)
    yield from _methods(w)
    yield from _more_cards(w, setup, data)


def _settings(w: TrainingWorkload, setup: Setup) -> Iterator[tuple[Say, TrainingWorkload]]:
    if setup.stores_scores:
        yield say("training.save_flash"), replace(w, attention="flash")
    if setup.loss == "whole":
        yield say("training.save_loss"), replace(w, fused_loss=True)
    if setup.checkpointing != "full":
        yield say("training.save_checkpointing"), replace(w, checkpointing="full", checkpointing_detail=())
    if setup.micro_batch > 1:
        yield say("training.save_micro_batch"), replace(w, micro_batch=1, grad_accum=None)
    if setup.seq_len >= 2048:
        half = setup.seq_len // 2
        yield say("training.save_seq_len", tokens=half), replace(w, seq_len=half)


def _states(w: TrainingWorkload, setup: Setup) -> Iterator[tuple[Say, TrainingWorkload]]:
    if w.method not in _FULL:
        return
    if (w.optimizer or "adamw") == "adamw":
        yield say("training.save_adamw_8bit"), replace(w, optimizer="adamw_8bit")
    if setup.states != "pure" and w.precision != "fp32":
        pure = replace(w, master_weights="none", param_dtype="bf16" if w.param_dtype == "fp32" else w.param_dtype)
        yield say("training.save_pure"), pure
        yield say("training.save_pure_8bit"), replace(pure, optimizer="adamw_8bit")
    if "optimizer" not in w.offload:
        yield say("training.save_offload_optimizer"), replace(w, offload=(*w.offload, "optimizer"))


def _sharding(w: TrainingWorkload, setup: Setup) -> Iterator[tuple[Say, TrainingWorkload]]:
    lay = setup.layout
    if lay.n_gpus > 1 and lay.zero < 3 and lay.pp == 1 and lay.layer_split == 1:
        sharded = replace(w.parallelism, zero_stage=None, fsdp="full_shard", dp=lay.dp)
        yield say("training.save_shard", n=lay.n_gpus), replace(w, parallelism=sharded)
    if lay.weights_over > 1 and "param" not in w.offload:
        both = ("param",) if w.method not in _FULL else ("optimizer", "param")
        yield say("training.save_offload_param"), replace(w, offload=tuple(dict.fromkeys((*w.offload, *both))))


def _methods(w: TrainingWorkload) -> Iterator[tuple[Say, TrainingWorkload]]:
    plain = replace(w, master_weights=None, param_dtype=None, optimizer=None, optimizer_dtype=None, offload=())
    if w.method in _FULL and w.method != "pretrain":
        yield say("training.save_lora"), replace(plain, method="lora")
    if w.method == "full_finetune" or w.method in _ADAPTERS:
        yield say("training.save_qlora"), replace(plain, method="qlora", quant="nf4_dq")


def _more_cards(w: TrainingWorkload, setup: Setup, data: EstimatorData) -> Iterator[tuple[Say, TrainingWorkload]]:
    open_layout = replace(w, parallelism=Parallelism(), hardware=replace(w.hardware, n_gpus=None))
    smallest = smallest_training(open_layout, data)
    plans = {plan.n_gpus: plan for plan in (smallest.plan, smallest.plan_yes) if plan is not None}
    for n, plan in plans.items():
        if n > setup.layout.n_gpus:
            yield say("training.save_cards", n=n), plan.workload
