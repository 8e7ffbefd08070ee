"""Between which prices a feed is believed, and how old a price may be: `knowledge/price_limits.yaml`."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property

from pydantic import Field

from bot.catalog.records import Record
from bot.errors import KnowledgeError
from bot.folder import Folder


class Range(Record):
    """USD for one GPU for one hour."""

    low: Decimal = Field(gt=0)
    high: Decimal = Field(gt=0)
    gpus: tuple[str, ...] = ()


class PriceLimits(Record):
    spot_floor: Decimal = Field(gt=0, le=1)
    default: Range
    limits: tuple[Range, ...] = ()
    disagreement: float = Field(gt=0, lt=1)
    quiet_change: float = Field(ge=0, lt=1)
    jump: float = Field(gt=0)
    lost_rows: float = Field(gt=0, lt=1)
    say_age_days: int = Field(gt=0)
    cheapest_days: int = Field(gt=0)

    @cached_property
    def _by_gpu(self) -> dict[str, Range]:
        return {gpu: entry for entry in self.limits for gpu in entry.gpus}

    def outside(self, gpu: str, usd: Decimal, billing: str) -> str | None:
        """Why a price is not believed, None where it is: 0.01 for a B200 is `below 2 USD`."""
        limit = self._by_gpu.get(gpu, self.default)
        low = limit.low * self.spot_floor if billing in ("spot", "community") else limit.low
        if usd < low:
            return f"below {low.normalize():f} USD"
        return f"above {limit.high.normalize():f} USD" if usd > limit.high else None


def load_limits(folder: Folder) -> PriceLimits:
    """Raises KnowledgeError naming the fields that cannot be used."""
    from pydantic import ValidationError

    try:
        return PriceLimits.model_validate(folder.yaml("price_limits.yaml"))
    except ValidationError as exc:
        raise KnowledgeError(
            [f"knowledge/price_limits.yaml {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors()]
        ) from exc
