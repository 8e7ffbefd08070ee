"""How many CPU cores and how much RAM beside a card? What real instances have, and what offload wants."""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Source, Table, say
from bot.catalog.records import Instance

_COLUMNS = (say("topics.col_instance"), say("topics.col_cards"), say("topics.col_vcpu"), say("topics.col_ram"))
_MOST = 6


def answer(inputs: Inputs) -> Answer | None:
    gpu = inputs.gpu
    if gpu is None or inputs.question.slots.models or inputs.context.offers is None:
        return None
    family = {spec.id for spec in inputs.context.specs.gpus if spec.name.split("-")[0] == gpu.name.split("-")[0]}
    known = [i for i in inputs.context.offers.instances if i.gpu in family and i.vcpus and i.ram_gib]
    if not known:
        return None
    cpu, ram = [_each(i.vcpus, i) for i in known], [_each(i.ram_gib, i) for i in known]
    low, high = inputs.defaults["ram_per_gpu_memory"]["value"]
    shown = sorted(known, key=lambda i: (-i.gpu_count, i.provider, i.instance))[:_MOST]
    n_gpus = inputs.n_gpus or 1
    headline = say(
        "topics.host", gpu=gpu.name.split("-")[0], vcpu=(min(cpu), max(cpu)), ram=(min(ram), max(ram)), n=n_gpus,
        offload=(low * gpu.memory_gb * n_gpus, high * gpu.memory_gb * n_gpus),
    )  # fmt: skip
    return inputs.answer(
        headline,
        body=(say("topics.host_advice"),),
        table=Table(_COLUMNS, tuple(_row(i) for i in shown)),
        sources=(*_pages(shown), *inputs.sources("ram_per_gpu_memory", claims=("C000-46",))),
    )


def _each(total: float | None, instance: Instance) -> float:
    return (total or 0) / instance.gpu_count


def _row(instance: Instance) -> tuple[Cell, ...]:
    return (
        Cell(f"{instance.provider} {instance.instance}"),
        Cell(instance.gpu_count, "count"),
        Cell(_each(instance.vcpus, instance), "count"),
        Cell(_each(instance.ram_gib, instance), "count"),
    )


def _pages(instances: list[Instance]) -> tuple[Source, ...]:
    found = (Source(i.provider, i.source, i.read_on, i.standing) for i in instances if i.source)
    return tuple(dict.fromkeys(found))[:2]
