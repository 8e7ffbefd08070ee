"""Before the first token: reading the weights, the disk they need, and the host beside the cards.

Rates are `loading` of `knowledge/engines.yaml`, each with its standing; a measured rate of the reader's own wins.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.answer import Band
from bot.catalog.records import GB, GIB
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import ServingEstimate
from bot.estimator.training_setup import Setup

_PIPE_SHARE = (0.4, 0.7, 1.0)  # of the medium's rate that loaders reach: one thread, several, in parallel from one node
_STARTUP_S = (20.0, 40.0, 90.0)  # process start, compiling and graph capture of a server


# Host memory of a training process beside its weights (libraries, data loaders), and of a shard as hubs cut checkpoints.
_PROCESS_GIB = (2.0, 3.0, 4.0)
_SHARD_GIB = 4.7


def training_loading_gib(setup: Setup) -> Band:
    """GiB of host memory on one node while the weights are loaded, the peak that kills jobs before their first step.

    At least a shard at a time; usually one copy of the 16-bit checkpoint, which the first process spreads to the others; at
    worst a copy in each process, as older trainers do. 70B on 8 cards: 21 to 1,080 GiB, usually 155.
    """
    copy = 2 * setup.architecture.total / GIB
    processes = 1 if setup.layout.layer_split > 1 else setup.layout.gpus_per_node
    low, best, high = (each * processes for each in _PROCESS_GIB)
    return Band(low + min(copy, _SHARD_GIB), best + copy, high + processes * copy)


@dataclass(frozen=True, slots=True)
class Loading:
    """Seconds until the server answers, and what it takes beside the cards."""

    read_s: Band  # reading the weights from the medium
    ready_s: Band  # with the start of the server
    disk_gib: float
    host_ram_gib: float
    vcpus: int


def loading_of(
    estimate: ServingEstimate, data: EstimatorData, *, n_gpus: int = 1, medium: str = "nvme", gb_per_s: float | None = None
) -> Loading:
    """Time = file size / (rate x what loaders reach of it). 135 GiB from NVMe at 3 GB/s: about 70 s, 48 to 121.

    Disk: the checkpoint and room for one more version of it. Host memory: the file passes through the page cache, in shards.
    """
    table = data.engines["loading"]
    rate = gb_per_s or float(table["media"][medium]["gb_per_s"])
    size = (estimate.file_size_gib or estimate.weights_gib) * GIB / GB
    slow, usual, fast = (size / (rate * share) for share in _PIPE_SHARE)
    read = Band(fast, usual, slow)
    start = Band(*_STARTUP_S)
    return Loading(
        read_s=read,
        ready_s=Band(read.low + start.low, read.best + start.best, read.high + start.high),
        disk_gib=2 * size * GB / GIB,
        host_ram_gib=max(table["host_ram_gib_per_gpu"] * n_gpus, table["ram_share_of_file"] * size * GB / GIB),
        vcpus=table["vcpus_per_gpu"] * n_gpus,
    )
