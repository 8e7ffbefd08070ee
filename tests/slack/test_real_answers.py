"""The real assistant behind Slack: whatever is typed gets a clear reply, and nothing typed comes back live.

The other tests of this folder see through a short road of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.digests import load_digest_words
from bot.folder import Folder
from bot.settings import Settings
from bot.slack.app import build_app, build_client
from bot.slack.desk import Desk
from bot.storage import Database
from bot.wiring import build_assistant
from tests.slack.conftest import OURS, SECRET, Clock, Workbench
from tests.slack.fake_slack import FakeSlack

ASSISTANT = build_assistant(Settings(_env_file=None))  # type: ignore[call-arg]

TYPED = {
    "empty": "",
    "emoji": "😀😀",
    "five thousand characters": "can A100 fine-tune 70B? " * 210,
    "five thousand digits": "7" * 5000,
    "an unknown model": "Foo-13B on a 4090?",
    "an unknown card": "can an H1OO run 70B?",
    "a negative count": "can -3 A100s run a 7B model",
    "a model of nothing": "can A100 run a 0B model",
    "too many cards": "train 70B on 1000000000 H100",
    "a channel mention": "<!channel> can A100 run 7B?",
    "marks": "*bold* _it_ ~no~ `code` ```fence``` <https://evil.example|A100> &amp;lt;!here&amp;gt; 70B?",
    "an unknown zone": "subscribe prices mon 09:00 Mars/Base",
    "another language": "Kann eine A100 ein 70B-Modell feinabstimmen?",
    "not for us": "what's for lunch",
    "control characters": "A100 \x00\x07 70B\u202e?",
    "Chinese nonsense": "显存显存显存？？？",
}


@pytest_asyncio.fixture
async def real(tmp_path: Path) -> AsyncIterator[Workbench]:
    slack, clock = FakeSlack(), Clock()
    await slack.start()
    database = Database(f"sqlite:///{tmp_path / 'suanli.db'}")
    await asyncio.to_thread(database.upgrade)
    desk = Desk(ASSISTANT, database, load_digest_words(Folder.knowledge()), clock=clock)
    yield Workbench(
        build_app(build_client("xoxb-test", f"{slack.url}/api/"), desk, signing_secret=SECRET), slack, desk, clock
    )
    await slack.stop()
    database.close()


def replies(bench: Workbench) -> list[str]:
    shown = ("chat.postMessage", "chat.postEphemeral", "respond")
    return [json.dumps(arguments, ensure_ascii=False) for name, arguments in bench.slack.calls if name in shown]


@pytest.mark.parametrize("surface", ["command", "mention", "direct"])
@pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
async def test_everything_gets_one_clear_reply(real: Workbench, text: str, surface: str) -> None:
    if surface == "command":
        response = await real.command(text)
    elif surface == "mention":
        response = await real.mention(text)
    else:
        response = await real.message(text, ts="1.1", channel="D1")
    (reply,) = replies(real)
    assert response.status == 200
    assert "on my side" not in reply
    assert "我这边出了错" not in reply
    assert "<!" not in reply
    assert "evil.example" not in reply
    assert "Traceback" not in reply


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("can -3 A100s run a 7B model", "-3"),
        ("can A100 run a 0B model", "0B"),
        ("Foo-13B on a 4090?", "Foo-13B"),
        ("can an H1OO run 70B?", "H100"),
        ("what's for lunch", "GPU"),
    ],
)
async def test_the_reply_names_what_was_wrong(real: Workbench, text: str, words: str) -> None:
    await real.message(text, ts="1.1", channel="D1")
    assert words in replies(real)[0]


async def test_a_thread_of_follow_ups_in_both_languages(real: Workbench) -> None:
    await real.mention("can A100 80G fine-tune a 70B model?")
    for number, (text, words) in enumerate(
        [("and with LoRA?", "LoRA"), ("换成 8 张 H100 呢", "8 张 H100"), ("为什么", "GiB")]
    ):
        await real.message(text, ts=f"10.{number + 5}", thread_ts="10.1")
        assert words in real.slack.posted[-1]["text"], text
    await real.message("nice, see you at lunch", ts="10.9", thread_ts="10.1", user="U2")
    assert len(real.slack.posted) == 4


@pytest.mark.parametrize(("action", "words"), [("show_sum", "adds up"), ("show_recipe", "model_name_or_path")])
async def test_buttons_unfold_more_of_a_real_answer(real: Workbench, action: str, words: str) -> None:
    await real.command("can A100 80G fine-tune a 70B model?")
    turn = real.desk.turns(OURS).last_of_channel("C1")
    assert turn is not None
    await real.press(action, ts=turn.reply_ts)
    assert words in replies(real)[-1]
    assert real.slack.posted[-1]["thread_ts"] == turn.reply_ts
