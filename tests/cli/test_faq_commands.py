"""`suanli faq`, as typed."""

from __future__ import annotations

from typer.testing import CliRunner

from bot.cli import app

RUN = CliRunner()


def test_search_explains_its_scores() -> None:
    result = RUN.invoke(app, ["faq", "search", "NVLink bandwidth of A100", "--explain"])
    assert result.exit_code == 0
    assert result.output.splitlines()[0].split()[1] == "F-nvlink"
    assert "nearest wording:" in result.output


def test_show_prints_both_languages_and_the_sources() -> None:
    result = RUN.invoke(app, ["faq", "show", "nvlink"])
    assert result.exit_code == 0
    assert "What NVLink bandwidth" in result.output
    assert "带宽" in result.output
    assert "C000-32" in result.output


def test_an_unknown_entry_is_an_error_with_a_hint() -> None:
    result = RUN.invoke(app, ["faq", "show", "nvlnk"])
    assert result.exit_code == 1
    assert "F-nvlink" in result.output
