"""How large are checkpoints, how long do they take to write, and how much disk do they want?"""

from __future__ import annotations

from bot.advise.topics.inputs import Inputs
from bot.answer import Answer, Cell, Table, say
from bot.estimator.infrastructure import checkpoint_gb, transfer_s

_WEIGHTS_BYTES = 2.0
_COLUMNS = (say("topics.col_kind"), say("topics.col_gb"), say("topics.col_write"))


def answer(inputs: Inputs) -> Answer | None:
    params_b = inputs.params_b
    if params_b is None:
        return None
    per_param, kept, disk = (inputs.value(name) for name in ("full_checkpoint_bytes", "checkpoints_kept", "disk_gb_s"))
    full, weights = checkpoint_gb(params_b, per_param), checkpoint_gb(params_b, _WEIGHTS_BYTES)
    rows = tuple(
        (Cell(say(f"topics.checkpoint_{kind}")), Cell(gb, "count"), Cell(transfer_s(gb, disk * 8) / 3600, "hours"))
        for kind, gb in (("full", full), ("weights", weights))
    )
    headline = say("topics.checkpoints", params_b=params_b, full=full, weights=weights, kept=kept, disk_gb=full * kept,
                   hours=transfer_s(full, disk * 8) / 3600, disk=disk)  # fmt: skip
    return inputs.answer(
        headline,
        body=(say("topics.checkpoint_advice"),),
        table=Table(_COLUMNS, rows),
        assumptions=inputs.assume("full_checkpoint_bytes", "checkpoints_kept", "disk_gb_s"),
        sources=inputs.sources("full_checkpoint_bytes", claims=("C002-51", "C002-52")),
    )
