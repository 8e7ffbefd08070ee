"""What a job sees of its cards beside the datasheet: usable memory, the size of a node, the speed of PCIe."""

from __future__ import annotations

from operator import attrgetter

from bot.catalog.records import GpuSpec
from bot.errors import InvalidWorkload
from bot.estimator.workload import Hardware

GPUS_PER_NODE = 8  # HGX and DGX boards; a node of fewer cards is named by `gpus_per_node`
_SAME_SIZE = 0.04  # sizes on sale that differ by less are one card: H200 with "141" or "140" GB
# Share of the size on sale that software sees, where the card is not in the catalog: 79.1 GiB of "80 GB", 23.5 of "24".
_SEEN_LARGE, _SEEN_SMALL, _LARGE_GB = 0.989, 0.98, 32
_COUNTS = ("n_gpus", "gpus_per_node")
_NUMBERS = (*_COUNTS, "memory_gb", "power_w", "internode_gbps")
_numbers_of = attrgetter(*_NUMBERS)
_LANE_GBS = {"3.0": 1.0, "4.0": 2.0, "5.0": 4.0, "6.0": 8.0}  # of one direction


def usable_gib(hardware: Hardware) -> float | None:
    """GiB that software sees of one card. A stated size that differs from the card's own (a slice, a mod) wins."""
    gpu, sold = hardware.gpu, hardware.memory_gb
    if gpu is not None and (sold is None or abs(sold - gpu.memory_gb) / gpu.memory_gb < _SAME_SIZE):
        return gpu.usable_gib
    if sold is None:
        return None
    return sold * (_SEEN_LARGE if sold >= _LARGE_GB else _SEEN_SMALL)


def node_size(hardware: Hardware) -> int:
    """Cards of one node: as stated, else 8."""
    return hardware.gpus_per_node or GPUS_PER_NODE


def pcie_gbs(gpu: GpuSpec | None) -> float:
    """GB/s of the slot in one direction: `4.0 x16` is 32, `4.0 x8` is 16; 32 where it is not known."""
    generation, _, lanes = ((gpu.pcie if gpu else None) or "4.0 x16").partition(" x")
    return _LANE_GBS.get(generation, 2.0) * int(lanes or 16)


def check_hardware(hardware: Hardware) -> None:
    """Raises InvalidWorkload for a count or a size that is not above zero."""
    for name, value in zip(_NUMBERS, _numbers_of(hardware), strict=True):
        if value is not None:
            check_above_zero(name, value, whole=name in _COUNTS)


def check_above_zero(name: str, value: object, *, whole: bool) -> None:
    """Raises InvalidWorkload unless `value` is None or a number above zero, `whole` where it counts something."""
    kinds = (int,) if whole else (int, float)
    if value is None or (isinstance(value, kinds) and not isinstance(value, bool) and value > 0):
        return
    raise InvalidWorkload(name, value, f"a {'whole ' if whole else ''}number above 0 is accepted")
