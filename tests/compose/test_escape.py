"""Marks, links and prose: written once, escaped once."""

import pytest

from bot.compose.escape import bare_text, cell_text, from_markdown, link, slack_text, terminal_links


def test_a_link_survives_the_escaping() -> None:
    assert slack_text(f"see {link('A & B', 'https://x.org/?a=1&b=2')}") == "see <https://x.org/?a=1&amp;b=2|A &amp; B>"


@pytest.mark.parametrize("url", [None, "", "javascript:alert(1)", "ftp://x.org"])
def test_only_web_addresses_are_linked(url: str | None) -> None:
    assert slack_text(link("title", url)) == "title"


def test_a_link_cannot_be_broken_out_of() -> None:
    assert slack_text(link("t", "https://x.org/a|b> <!channel>")).count("<") == 1


@pytest.mark.parametrize(
    ("marked", "bare"),
    [("*Kept* 70B", "Kept 70B"), ("`x` and _y_", "x and y"), ("2 * 3 * 4", "2 * 3 * 4"), ("nf4_dq base", "nf4_dq base")],
)
def test_bare_text(marked: str, bare: str) -> None:
    assert bare_text(marked) == bare


def test_links_in_other_places() -> None:
    text = link("docs", "https://x.org")
    assert bare_text(text) == "docs"
    assert terminal_links(text) == "docs https://x.org"


def test_a_cell_shows_its_characters_raw() -> None:
    assert cell_text("a < b & *c*") == "a ‹ b + c"


def test_markdown_of_the_knowledge_base() -> None:
    prose = "## Head\n- **one** [doc](https://x.org)\n- two"
    assert slack_text(from_markdown(prose)) == "*Head*\n• *one* <https://x.org|doc>\n• two"
