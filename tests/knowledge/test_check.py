"""`suanli knowledge check`: what ships is sound; what is wrong is named by file, line and field."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.catalog.checks import check_catalog
from bot.check import check_knowledge
from bot.cli import app
from bot.folder import Folder


def layered(tmp_path: Path, name: str, text: str) -> Folder:
    """The shipped facts with one file of a test over them."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return Folder.knowledge(tmp_path)


def test_what_ships_is_sound() -> None:
    assert check_knowledge(Folder.knowledge()) == []


GPU = (
    "id,name,title,vendor,arch,memory_gb,usable_gib,bandwidth_gbs,"
    "standing,source,read_on,crosscheck,bf16_tflops,fp8_tflops\n"
)
MODEL = "name,family,params_b,layers,hidden,intermediate,heads,kv_heads,head_dim,vocab,standing,source,read_on\n"
PRICE = "provider,gpu,currency,price_per_gpu_hour,billing,read_on,source\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gpus.csv", GPU + "x,X,X1,V,A,80,79,2039000,recalled,https://e.org,,c,,\n", "gpus.csv:2 bandwidth_gbs"),
        ("gpus.csv", GPU + "x,X,X1,V,A,80,90,2000,recalled,https://e.org,,c,,\n", "gpus.csv:2 usable_gib: 90 is more than"),
        ("gpus.csv", GPU + "x,X,X1,V,A,80,79,2000,secondary,https://e.org,,c,,\n", "gpus.csv:2 read_on: a secondary figure"),
        ("gpus.csv", GPU + "x,X,X1,V,A,80,79,2000,recalled,,,c,,\n", "gpus.csv:2 source: is missing"),
        ("gpus.csv", GPU + "x,X,X1,V,A,80,79,2000,recalled,https://e.org,,,,\n", "gpus.csv:2 crosscheck"),
        ("gpus.csv", GPU + "x,X,X1,V,A,80,79,2000,recalled,https://e.org,,c,1979,989\n", "rates swapped?"),
        ("gpus.csv", GPU + "x,A100-80G-SXM,X1,V,A,80,79,2000,recalled,https://e.org,,c,,\n", "is a name of a100-sxm-80 too"),
        (
            "gpus.csv",
            GPU + 2 * "x,X,X1,V,A,80,79,2000,recalled,https://e.org,,c,,\n",
            "gpus.csv:3 id: x is used in line 2 too",
        ),
        ("gpu_families.csv", "name,default\nX,none\n", "no GPU has the id 'none'"),
        (
            "models.csv",
            MODEL + "X-7B,X,6.7,32,4096,11008,32,7,128,32000,recalled,https://e.org,\n",
            "models.csv:2 kv_heads: 7 does not",
        ),
        (
            "models.csv",
            MODEL + "X-7B,X,many,32,4096,11008,32,8,128,32000,recalled,https://e.org,\n",
            "models.csv:2 params_b",
        ),
        (
            "prices/2026-11-20.csv",
            PRICE + "lambda,h100-sxm,USD,0.08,on-demand,2026-11-20,https://e.org\n",
            "is below 0.8 USD",
        ),
        (
            "prices/2026-11-20.csv",
            PRICE + "lambda,h100-sxm,USD,0,on-demand,2026-11-20,https://e.org\n",
            "price_per_gpu_hour",
        ),
        (
            "prices/2026-11-20.csv",
            PRICE + "lambda,h100-sxm,USD,3,on-demand,2026-11-21,https://e.org\n",
            "is after the day of the file",
        ),
        (
            "prices/2026-11-20.csv",
            PRICE + "nobody,h100-sxm,USD,3,on-demand,2026-11-20,https://e.org\n",
            "no provider has the id 'nobody'",
        ),
        (
            "prices/2026-11-20.csv",
            PRICE + 2 * "lambda,h100-sxm,USD,3,on-demand,2026-11-20,https://e.org\n",
            "has a price for 2026-11-20",
        ),
        ("prices/latest.csv", PRICE, "begins with its day"),
        ("providers.yaml", "- {id: me, name: AWS, kind: cloud}\n", "'AWS' is a name of aws too"),
        ("providers.yaml", "- {id: me, name: Me, kind: shop}\n", "providers.yaml:1 kind"),
        ("price_limits.yaml", "jump: none\n", "price_limits.yaml jump"),
    ],
)
def test_a_wrong_fact_is_named_by_its_place(tmp_path: Path, name: str, text: str, said: str) -> None:
    found = check_catalog(layered(tmp_path, name, text))
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("models.csv", MODEL + "X,X,16,32,4096,11008,32,32,128,32000,recalled,https://e.org,\n", "params_b: 16 published"),
        ("costs.yaml", "pue: {value: 1.2, why_zh: ''}\n", "costs.yaml pue: why_zh is missing"),
    ],
)
def test_what_contradicts_another_part_is_named_too(tmp_path: Path, name: str, text: str, said: str) -> None:
    found = check_knowledge(layered(tmp_path, name, text))
    assert any(said in problem for problem in found), found


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    rows = "a,A9000,A9,V,A,0,79,2000,recalled,https://e.org,,c,,\nb,B9000,B9,V,A,80,79,-1,recalled,https://e.org,,c,,\n"
    assert len(check_catalog(layered(tmp_path, "gpus.csv", GPU + rows))) == 2


def test_the_command_says_so_and_exits_with_one(tmp_path: Path) -> None:
    (tmp_path / "gpu_families.csv").write_text("name,default\nX,none\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["knowledge", "check", "--own", str(tmp_path)])
    assert result.exit_code == 1
    assert "gpu_families.csv" in result.output


@pytest.mark.parametrize(
    ("name", "said"),
    [("H100 SXM", "bandwidth_gbs: 3350"), ("qwen2.5-7b", "layers: 28"), ("C003-09", "verdict"), ("阿里云", "aliyun")],
)
def test_a_fact_is_shown_by_any_of_its_names(name: str, said: str) -> None:
    result = CliRunner().invoke(app, ["knowledge", "show", name])
    assert result.exit_code == 0
    assert said in result.output


def test_what_is_not_known_is_not_shown() -> None:
    assert CliRunner().invoke(app, ["knowledge", "show", "Foo-9000"]).exit_code == 1


def test_stats_count_the_parts() -> None:
    output = CliRunner().invoke(app, ["knowledge", "stats"]).output
    assert "GPUs" in output
    assert "claims" in output
