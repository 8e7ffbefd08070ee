"""The claims of the source articles: complete by section, judged in both languages, evidence that resolves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.errors import KnowledgeError, UnknownName
from bot.faq.claims import Claim, check_claims, load_claims
from bot.folder import Folder

CLAIMS = load_claims(Folder.knowledge())

# Headings of the articles, an opening without heading first; "四、" of the third article is its 4.1 to 4.4.
SECTIONS = {
    "深度学习训练选A100还是H100？大模型算力怎么配才不浪费": (
        "开篇", "哪些GPU真正适合深度学习训练", "云上GPU vs 自建机房：成本与弹性如何权衡",
        "显存与互联：决定训练效率的关键细节", "存储与IO：别让硬盘拖了GPU后腿", "常见问题", "温馨提示",
    ),
    "买A100还是H100云服务器？高端AI模型训练者最常问的5个配置决策问题": (
        "开篇", "一、性能差距不是线性翻倍，而是场景适配断层", "二、价格差背后是隐性成本结构差异",
        "三、什么情况下A100仍是理性选择？", "四、避坑提醒：别让“参数党思维”耽误上线时间",
        "五、配套产品搭配建议（直接影响模型交付效率）", "常见问题FAQ",
    ),
    "大模型训练选哪种 AI 算力服务？支持 H100/A100 集群的厂商推荐": (
        "引言", "一、AI大模型训练的算力需求核心维度", "1.1 计算性能与显存容量", "1.2 网络互联能力",
        "1.3 能效比与运营成本", "1.4 软件生态与技术支持", "二、H100与A100 GPU的技术特性对比", "2.1 架构与工艺",
        "2.2 关键技术参数对比", "2.3 适用场景分析", "三、支持H100/A100集群的主流厂商服务能力分析",
        "3.1 云计算厂商", "3.2 专业算力服务商", "3.3 硬件厂商", "4.1 集群规模与扩展性", "4.2 技术支持与服务质量",
        "4.3 成本与性价比", "4.4 数据安全与合规性", "五、结论与展望",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("article", "section"), [(a, s) for a, sections in SECTIONS.items() for s in sections])
def test_every_section_of_every_article_is_represented(article: str, section: str) -> None:
    assert any(claim.article == article and claim.section == section for claim in CLAIMS)


def test_no_claim_names_a_section_that_does_not_exist() -> None:
    assert {c.id for c in CLAIMS if c.section not in SECTIONS[c.article]} == set()


def test_the_knowledge_is_sound() -> None:
    assert check_claims(Folder.knowledge()) == []
    assert len(CLAIMS.by_id) == 202


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.needs_correction], ids=lambda c: c.id)
def test_a_claim_that_is_wrong_says_what_is_right(claim: Claim) -> None:
    assert claim.caveat is not None
    assert claim.evidence
    assert claim.claim.en not in claim.caveat.en


@pytest.mark.parametrize("claim", list(CLAIMS), ids=lambda c: c.id)
def test_both_languages_say_the_same_figures(claim: Claim) -> None:
    """Every figure with two digits or more stands in both languages, in the claim and in each piece of evidence."""
    for words in (claim.claim, *claim.evidence):
        assert figures(words.en) <= figures(words.zh) | spelled_in_chinese(words.zh), words


def test_conflicts_are_mutual_or_at_least_known() -> None:
    assert all(other in CLAIMS.by_id for claim in CLAIMS for other in claim.conflicts_with)


def test_sources_of_a_claim_are_pages_named_once() -> None:
    sources = CLAIMS.sources_of("C000-12", "C000-50")
    assert len({s.url for s in sources}) == len(sources) == 2
    assert all(s.read_on for s in sources)


def test_an_unknown_claim_is_named() -> None:
    with pytest.raises(UnknownName, match="C999-01"):
        CLAIMS.claim("C999-01")


def test_what_is_wrong_is_reported_by_file_line_and_field(tmp_path: Path) -> None:
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "own.yaml").write_text(
        "article: Own notes\nclaims:\n  - id: C000-01\n    section: s\n    topic: t\n"
        "    claim: {en: half the words}\n    verdict: confirmed\n    evidence: []\n",
        encoding="utf-8",
    )
    with pytest.raises(KnowledgeError, match=r"claims/own\.yaml:3 claim\.zh: Field required"):
        _ = load_claims(Folder((tmp_path,))).by_id


def figures(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.]*\d", text.replace(",", "")))


def spelled_in_chinese(text: str) -> set[str]:
    """千亿 is 100 (in 1e9), 百亿 10, 三成 30 and so on: the figures that Chinese writes as words."""
    words = {
        "千亿": {"100"},
        "百亿": {"10"},
        "万亿": {"1000"},
        "亿": {"80", "54.2", "10", "50"},
        "四成": {"40"},
        "三成": {"30"},
    }
    return {figure for word, values in words.items() if word in text for figure in values}
