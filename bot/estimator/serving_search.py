"""One model over all cards and formats at once: which hold it, on how few cards, and at what price.

The need of each format and count is worked out once, for a card without a name; numpy compares it with every card.
Speeds are then estimated for the few that are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bot.catalog.records import GpuSpec
from bot.errors import InvalidWorkload
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import ServingEstimate
from bot.estimator.formats import WeightFormat, weight_format
from bot.estimator.serving import MARGIN, MOST, estimate_serving, need_band
from bot.estimator.serving_checks import runs_natively
from bot.estimator.serving_planner import layout_on
from bot.estimator.serving_setup import serving_setup
from bot.estimator.workload import Hardware, ServingWorkload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COUNTS = (1, 2, 4, 8)


class CardOption(NamedTuple):  # not a dataclass: a search makes a thousand of them in a few milliseconds
    """A card that holds the model: in this format, on the fewest of it. `hourly` is None without a price."""

    gpu: GpuSpec
    weights_format: str
    n_gpus: int
    verdict: str
    hourly: float | None
    estimate: ServingEstimate | None = None


def search_cards(
    workload: ServingWorkload,
    gpus: Sequence[GpuSpec],
    data: EstimatorData,
    *,
    formats: Sequence[str],
    prices: Mapping[str, float] | None = None,
    shown: int = 5,
) -> tuple[CardOption, ...]:
    """Options by price (cards without a price last, then by count); the first `shown` carry their estimates."""
    import numpy as np  # here, so that a question that searches nothing does not wait for it

    prices = prices or {}
    usable = np.array([gpu.usable_gib for gpu in gpus])
    priced = [prices.get(gpu.id) for gpu in gpus]
    options = []
    for name in formats:
        form = weight_format(name, data)
        suited = np.array([_suits(gpu, form) for gpu in gpus])
        best = _fewest(replace(workload, weights_format=name), usable, suited, data)
        for index, (count, verdict) in best.items():
            price = priced[index]
            options.append(CardOption(gpus[index], name, count, verdict, None if price is None else price * count))
    options.sort(key=lambda o: (o.hourly is None, o.hourly or 0.0, o.n_gpus, o.gpu.usable_gib))
    return (*[_estimated(option, workload, data) for option in options[:shown]], *options[shown:])


def _fewest(
    workload: ServingWorkload, usable: NDArray[np.float64], suited: NDArray[np.bool_], data: EstimatorData
) -> dict[int, tuple[int, str]]:
    """Card index -> the fewest cards that hold it and their verdict."""
    found: dict[int, tuple[int, str]] = {}
    for count in _COUNTS:
        try:
            setup = serving_setup(
                replace(workload, hardware=Hardware(n_gpus=count), tp=None, pp=None, layer_split=None), data
            )
        except InvalidWorkload:
            return found
        if setup.cards != count:
            continue
        need = need_band(setup, data)
        share = setup.utilisation if setup.utilisation is not None and not setup.engine.of_free else 1.0
        starts = suited & (need.low <= usable * max(share, MOST if setup.engine.cache == "paged" else 1.0))
        sure = need.high + MARGIN * usable <= usable * share
        suited &= ~starts  # on fewer cards already
        for index, is_sure in zip(starts.nonzero()[0].tolist(), sure[starts].tolist(), strict=True):
            found[index] = (count, "yes" if is_sure else "tight")
    return found


def _suits(gpu: GpuSpec, form: WeightFormat) -> bool:
    return not form.instead or runs_natively(gpu, form)


def _estimated(option: CardOption, workload: ServingWorkload, data: EstimatorData) -> CardOption:
    hardware = Hardware(gpu=option.gpu, n_gpus=option.n_gpus)
    laid_out = layout_on(replace(workload, hardware=hardware, weights_format=option.weights_format), option.n_gpus, data)
    try:
        return option._replace(estimate=estimate_serving(laid_out, data)) if laid_out else option
    except InvalidWorkload:
        return option
