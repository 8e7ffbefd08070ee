"""What questions usually mean: every name is in the catalog, every value has its reason in both languages."""

from bot.advise.setup import usual
from bot.catalog.specs import load_specs
from bot.folder import Folder

FOLDER = Folder.knowledge()
USUAL, SPECS = usual(FOLDER), load_specs(FOLDER)


def test_models_are_in_the_catalog_and_near_the_size_they_stand_for() -> None:
    for size, name in USUAL["models"].items():
        assert abs(SPECS.model(name).params_b - size) <= 0.1 * size, name


def test_cards_are_in_the_catalog() -> None:
    for name in (USUAL["card"]["name"], *USUAL["cards_to_offer"], *USUAL["compare_with"]):
        assert SPECS.find_gpu(name), name


def test_the_ladder_goes_down() -> None:
    sizes = [SPECS.model(name).params_b for name in USUAL["ladder"]]
    assert sizes == sorted(sizes, reverse=True)


def test_reasons_are_in_both_languages() -> None:
    for name in ("card", "host_ram_gib_per_gpu", "sample_tokens", "compare_load"):
        assert USUAL[name]["why_en"], name
        assert USUAL[name]["why_zh"], name
