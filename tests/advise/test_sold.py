"""Memory sizes that cards are not sold with."""

import pytest

from bot.advise.context import AdviceContext
from bot.advise.sold import with_sold_memory
from bot.question import GpuSlot, Intent, Question, Slots
from tests.advise.road import NOW, ask, assistant


def checked(name: str | None, memory_gb: float | None, count: int | None = None) -> Question:
    question = Question("", Intent.FEASIBILITY, Slots(gpus=(GpuSlot(name, memory_gb, count),)))
    return with_sold_memory(question, AdviceContext(assistant().advisor.library, NOW))


@pytest.mark.parametrize(
    ("name", "memory_gb", "near"),
    [
        ("V100", 80, ("V100 16G", "V100 32G")),
        ("H100-SXM", 120, ("H100 80G", "H100 94G", "H100 96G")),
        ("L40S", 80, ("L40S 48G",)),
        ("A100", 96, ("A100 40G", "A100 80G")),
    ],
)
def test_never_sold(name: str, memory_gb: float, near: tuple[str, ...]) -> None:
    (problem,) = checked(name, memory_gb, 1).problems
    assert (problem.code, problem.near) == ("never_sold", near)


@pytest.mark.parametrize(
    ("name", "memory_gb"),
    [
        ("RTX4090", 48),  # modded
        ("RTX2080Ti", 22),
        ("H20", 98),  # what software shows
        ("L40", 40),
        ("B200", 192),
        ("K80", 24),  # a board
        ("A100", 80),
        ("A100", None),
        (None, 640),
        ("Foo9000", 640),
    ],
)
def test_left_alone(name: str | None, memory_gb: float | None) -> None:
    question = checked(name, memory_gb)
    assert question.problems == ()
    assert question.slots.gpus[0].memory_gb == memory_gb


def test_memory_of_all_cards_is_shared_out() -> None:
    assert checked("A100", 640, 8).slots.gpus[0].memory_gb == 80
    assert ask("8 张 A100 一共 640G 显存，能跑 DeepSeek-R1 int4 吗").answer.verdict == "yes"


@pytest.mark.parametrize("text", ["V100 80G 一张能跑 Llama-3-8B 吗", "can a 4090 Ti run a 7B?"])
def test_the_answer_is_no(text: str) -> None:
    assert ask(text).answer.verdict == "no"


def test_the_sizes_that_exist_are_offered() -> None:
    assert "V100 32G" in ask("can one V100 80G run Llama-3-8B?").words
