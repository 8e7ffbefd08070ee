"""`suanli catalog` from the outside: import, list, changes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot import wiring
from bot.cli import app

LIST = "provider,gpu,price_per_gpu_hour,currency,read_on,source\n"


@pytest.fixture(autouse=True)
def own_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Imported prices go to a folder of the test, and are read again by every command."""
    monkeypatch.setenv("SUANLI_CATALOG", str(tmp_path / "catalog"))
    _forget()
    yield
    _forget()


def _forget() -> None:
    for read_once in (wiring.settings_once, wiring.folder_once, wiring.load_specs_once, wiring.load_offers_once):
        read_once.cache_clear()


def catalog(*words: str) -> Result:
    _forget()
    return CliRunner().invoke(app, ["catalog", *words])


def write(tmp_path: Path, *rows: str) -> str:
    path = tmp_path / "mine.csv"
    path.write_text(LIST + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return str(path)


def test_an_import_is_listed_and_shows_as_a_change(tmp_path: Path) -> None:
    first = catalog("import", write(tmp_path, "lambda,A100 PCIe 40GB,1.29,USD,2026-11-20,https://lambda.ai"))
    assert first.exit_code == 0, first.output
    assert "written: " in first.output
    assert "1.2900 USD" in catalog("list", "A100-40G", "--provider", "lambda").output
    assert catalog("import", write(tmp_path, "lambda,A100 PCIe 40GB,1.99,USD,2026-11-27,https://lambda.ai")).exit_code == 0
    assert "+54%" in catalog("changes").output


def test_a_refused_feed_leaves_the_prices_in_force(tmp_path: Path) -> None:
    before = catalog("list", "B200").output
    result = catalog("import", write(tmp_path, "lambda,B200,0.01,USD,2026-11-20,https://lambda.ai"))
    assert result.exit_code == 1
    assert "stay in force" in result.output
    assert catalog("list", "B200").output == before


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    result = catalog("import", "--dry-run", "--verbose", write(tmp_path, "lambda,A10,1.29,USD,2026-11-20,https://lambda.ai"))
    assert result.exit_code == 0
    assert not (tmp_path / "catalog").exists()


def test_a_card_that_nobody_knows_is_said(tmp_path: Path) -> None:
    result = catalog("list", "Foo-9000")
    assert result.exit_code == 2
    assert "Foo-9000" in result.output
