"""How long a person waits: a warm answer with its reply under 20 ms, one that searches all cards or models under 50 ms,
a cold `suanli ask` under 0.7 s.

The bars are held against CPU time, which on an idle machine is the time that passes; both are printed.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.advise.road import READER, ask, assistant

_QUESTIONS = (
    "can A100 80G fine-tune a 70B model?",
    "A100 80G 能微调 70B 模型吗",
    "can 2x A100 80G serve Qwen2-72B for 20 users?",
    "A100 or H100 for LoRA on 13B, which is cheaper?",
    "cheapest H100 right now",
    "does L40S have NVLink?",
    "how fast is Llama-3.3-70B on 8xH100",
    "how many H100 for Qwen2-72B at 10 requests per second",
)
_SEARCHES = (
    "which card for DeepSeek-R1 671B",
    "推荐什么卡跑 Qwen2-72B",
    "微调 7B 用什么卡合适",
    "what should I rent for pretraining a 7B from scratch",
    "预算 5 万元能微调 13B 吗",
    "budget $3000 a month, serve Qwen2.5-72B, which cards",
    "what can I run on 4x3090",
    "一张 4090 最大能微调多大的模型",
)


@pytest.mark.parametrize(
    ("message", "bar"), [*((message, 0.020) for message in _QUESTIONS), *((message, 0.050) for message in _SEARCHES)]
)
def test_a_warm_answer(message: str, bar: float) -> None:
    def answer() -> None:
        assistant().reply(ask(message).answer, reader=READER)

    best = _best_of([_timed(answer) for _ in range(10)])
    print(f"\nwarm answer   {best.in_ms()}   {message}")
    assert best.cpu < bar


def test_a_cold_answer() -> None:
    command = [sys.executable, "-m", "bot", "ask", _QUESTIONS[0]]
    first, *further = (_timed(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(6))
    best = _best_of(further)
    print(f"\nfirst answer  {first.in_ms()}   with no copies of parsed files, if this test runs alone")
    print(f"cold answer   {best.in_ms()}   {_QUESTIONS[0]}")
    assert best.cpu < 0.7


class Taken(NamedTuple):
    """Seconds of the clock and of the processor, child processes included."""

    wall: float
    cpu: float

    def in_ms(self) -> str:
        return f"{self.wall * 1000:6.1f} ms, CPU {self.cpu * 1000:6.1f} ms"


def _timed(work: Callable[[], object]) -> Taken:
    wall, cpu = time.perf_counter(), _cpu()
    work()
    return Taken(time.perf_counter() - wall, _cpu() - cpu)


def _cpu() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _best_of(runs: list[Taken]) -> Taken:
    """The least of each: the run that nothing else on the machine disturbed."""
    return Taken(min(run.wall for run in runs), min(run.cpu for run in runs))
