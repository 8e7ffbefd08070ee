"""What surrounds the cards, as sums: transfers, checkpoints, interruptions, energy, owning against renting.

Every figure that is not arithmetic comes in as an argument; the defaults are in `knowledge/defaults.yaml` (`topics`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

GPU_POWER_SHARE = 0.85  # of the board limit while training, measured 600-650 W of 700 W on H100
SERVER_OVER_GPU = 1.2  # host, fans and network: an H100 node in training draws 0.65-0.75 kW a card, its boards 0.6
HOURS_A_YEAR = 8766
HOURS_A_WEEK = 168


def transfer_s(gb: float, gbps: float) -> float:
    """Seconds to move `gb` (1e9 bytes) at `gbps` Gbit/s. 140 GB at 10 Gbit/s: 112 s."""
    return gb * 8 / gbps


def checkpoint_gb(params_b: float, bytes_per_param: float) -> float:
    """GB of a checkpoint. 70B with optimizer states at 13 bytes a parameter: 910 GB; weights alone (2 bytes): 140."""
    return params_b * bytes_per_param


def interruption_chance(n_gpus: float, days: float, rate_per_gpu_week: float) -> float:
    """Chance of at least one interruption, failures being independent: 1 - exp(-rate x cards x weeks).

    64 cards for a week at 0.0033 (Meta's Llama 3 run): 19 %.
    """
    return 1 - math.exp(-rate_per_gpu_week * n_gpus * days / 7)


def hours_between(n_gpus: float, rate_per_gpu_week: float) -> float:
    """Mean hours between interruptions of a job. 512 cards at 0.0033 a card and week: 99 h."""
    return HOURS_A_WEEK / (rate_per_gpu_week * n_gpus)


def checkpoint_every_h(write_h: float, between_h: float) -> float:
    """Interval with the least time lost (Young's formula): sqrt(2 x write time x time between failures).

    Writing takes 0.1 h, failures come every 99 h: every 4.4 h.
    """
    return math.sqrt(2 * write_h * between_h)


def energy_kwh(n_gpus: float, tdp_w: float, hours: float, pue: float) -> float:
    """At the plug of the site: boards at their usual load, host and network beside them, times PUE.

    8 x H100 SXM for 24 h at PUE 1.3: 178 kWh.
    """
    return n_gpus * tdp_w / 1000 * GPU_POWER_SHARE * SERVER_OVER_GPU * hours * pue


def pue_saving(old: float, new: float) -> float:
    """Share of the site's energy saved: 1 - new / old. From 1.54 to 1.1: 29 %."""
    return 1 - new / old


def text_read_mb_s(tokens_per_s: float, bytes_per_token: float) -> float:
    """MB/s that text training reads. 512 x 9,670 tokens/s at 4 bytes a token: 20 MB/s."""
    return tokens_per_s * bytes_per_token / 1e6


def read_ceiling_tokens_per_s(storage_gb_s: float, sample_bytes: float, tokens_per_sample: float) -> float:
    """Tokens a second that storage can feed, whatever the cards could do.

    Pictures of 2 MB that make 1,000 tokens each, from one drive of 2 GB/s: 1,000 pictures, 1,000,000 tokens a second.
    """
    return storage_gb_s * 1e9 / sample_bytes * tokens_per_sample


@dataclass(frozen=True, slots=True)
class Owning:
    """One card with its share of the server, owned for `years`. Shares are of the purchase price."""

    price_usd: float
    years: float
    upkeep_share_a_year: float  # space, network, staff, repairs
    residual_share: float  # what it sells for in the end
    power_kw: float  # at the plug of the server while busy
    pue: float
    usd_per_kwh: float

    def usd_per_used_hour(self, utilisation: float) -> float:
        """Cost of an hour in which the card works, when it works that share of the time.

        38,750 USD over 4 years, 20 % upkeep a year, 15 % resale, 0.8 kW at PUE 1.3 and 0.10 USD/kWh, 60 % used:
        (38,750 x (1 - 0.15 + 0.8)) / (4 x 8,766 x 0.6) + 0.10 = 3.14 USD.
        """
        fixed = self.price_usd * (1 - self.residual_share + self.upkeep_share_a_year * self.years)
        return fixed / (self.years * HOURS_A_YEAR * utilisation) + self.power_kw * self.pue * self.usd_per_kwh

    def break_even(self, rent_usd_per_hour: float) -> float | None:
        """Utilisation from which owning is cheaper than renting by the hour; None where power alone costs more."""
        margin = rent_usd_per_hour - self.power_kw * self.pue * self.usd_per_kwh
        if margin <= 0:
            return None
        fixed = self.price_usd * (1 - self.residual_share + self.upkeep_share_a_year * self.years)
        return fixed / (self.years * HOURS_A_YEAR * margin)

    def hidden_share(self, utilisation: float) -> float:
        """Everything beside the purchase, over the purchase: what "1.5 times the hardware" is compared with."""
        energy = self.power_kw * self.pue * self.usd_per_kwh * self.years * HOURS_A_YEAR * utilisation
        return self.upkeep_share_a_year * self.years + energy / self.price_usd
