"""Before the first token: reading the weights, the disk they need, and the host beside the cards.

Rates are `loading` of `knowledge/engines.yaml`, each with its standing; a measured rate of the reader's own wins.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.answer import Band
from bot.catalog.records import GB, GIB
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import ServingEstimate

_PIPE_SHARE = (0.4, 0.7, 1.0)  # of the medium's rate that loaders reach: one thread, several, in parallel from one node
_STARTUP_S = (20.0, 40.0, 90.0)  # process start, compiling and graph capture of a server


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
