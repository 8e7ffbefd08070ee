"""Cards that pass a filter, and sellers of a card."""

from tests.advise.desk import card, money, put


def cards_of(told: object) -> list[str]:
    return [str(row[0].value) for row in told.answer.table.rows]  # type: ignore[attr-defined]


def test_a_memory_is_exact_unless_at_least_is_said() -> None:
    exact = cards_of(put("catalog_search", "which gpus have 48gb?", gpus=[card(None, 48)]))
    assert {"L40S", "A40", "RTX A6000"} <= set(exact)
    assert "H100 SXM5 80GB" not in exact
    at_least = put("catalog_search", "at least 48 GB with fp8", gpus=[card(None, 48)], metric="fp8_support")
    assert "H100 SXM5 80GB" in cards_of(at_least)


def test_nvlink_is_not_infinity_fabric() -> None:
    told = put("catalog_search", "at least 80 GB with NVLink", gpus=[card(None, 80)], metric="nvlink", budget=money(3))
    assert "Instinct MI300X" not in cards_of(told)
    assert "A100 SXM4 80GB" in cards_of(told)


def test_sxm_only_in_words() -> None:
    told = put("catalog_search", "80 GB, SXM only, under $3", gpus=[card(None, 80)], budget=money(3))
    assert all("SXM" in name for name in cards_of(told))


def test_a_ceiling_leaves_only_cards_with_a_price_below_it() -> None:
    assert cards_of(put("catalog_search", "48 GB under $1/hr", gpus=[card(None, 48)], budget=money(1))) == ["L40S"]


def test_nothing_left_is_said() -> None:
    told = put("catalog_search", "80 GB under 1 cent", gpus=[card(None, 80)], budget=money(0.01))
    assert "No card of the catalog" in told.words


def test_who_has_eight_of_them() -> None:
    told = put("catalog_search", "which clouds have 8x A100 80GB SXM4?", gpus=[card("A100-80G-SXM", 80, 8, "SXM")])
    assert "p4de.24xlarge" in told.words
    assert "a2-ultragpu-8g" in told.words
    assert "not stock" in told.words


def test_a_seller_without_it_is_named_with_its_list() -> None:
    told = put("catalog_search", "H100 at OVH?", gpus=[card("H100", 80)], provider="ovh", metric="availability")
    assert "no listing of H100 at OVHcloud" in told.words
