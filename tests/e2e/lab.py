"""The local Slack, the bot and a browser, together on loopback; and the hands and eyes of a person at the page."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
LOCAL = ROOT / "deploy" / "local-slack"
SHOTS = Path(os.environ.get("SUANLI_SHOTS", ROOT / "shots"))
PORT = 3100
ADDRESS = f"http://127.0.0.1:{PORT}"
PATIENCE_MS = 15_000


@dataclass
class Lab:
    """`folder` holds the database and the logs; `environment` is what the bot was started with."""

    page: Page
    folder: Path
    environment: dict[str, str]

    def suanli(self, *arguments: str) -> str:
        """Another process of the bot beside the running one."""
        done = subprocess.run(
            [suanli(), *arguments], env=self.environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def say(self, text: str) -> None:
        """Type into the channel. `fill`, not key by key: the page's mention list swallows keys."""
        box = self.page.locator(".main > .composer textarea.composer-input, main.main textarea.composer-input").first
        box.fill(text)
        box.press("Enter")

    def reply(self, text: str) -> None:
        """Type into the open thread."""
        box = self.page.locator(".thread-pane textarea.composer-input")
        box.fill(text)
        box.press("Enter")

    def open_channel(self, name: str) -> None:
        self.page.locator("button.sidebar-item", has_text=name).click()

    def open_thread(self, text: str) -> None:
        """Open the thread of the newest message in the channel that shows this text."""
        message = self.page.locator("main.main .messages .msg", has_text=text).last
        message.hover()
        message.get_by_title("Reply in thread").click()
        self.page.locator(".thread-pane", has_text=text).wait_for()
        self.widen_thread()

    def edit(self, text: str, new: str) -> None:
        """Edit one's own message in the channel."""
        message = self.page.locator("main.main .messages .msg", has_text=text).last
        message.hover()
        message.get_by_title("Edit message").click()
        box = self.page.locator("textarea.msg-edit-input")
        box.fill(new)
        box.press("Enter")

    def close_thread(self) -> None:
        self.page.locator(".thread-pane .thread-x").click()

    def widen_thread(self) -> None:
        """Drag the pane to the width that it has in Slack; the page remembers it."""
        pane = self.page.locator(".thread-pane").bounding_box()
        handle = self.page.locator(".thread-resize-handle").bounding_box()
        assert pane is not None
        assert handle is not None
        if pane["width"] > 500:
            return
        self.page.mouse.move(handle["x"] + 2, handle["y"] + 200)
        self.page.mouse.down()
        self.page.mouse.move(handle["x"] - 240, handle["y"] + 200)
        self.page.mouse.up()

    def press(self, label: str, *, where: str = ".thread-pane") -> None:
        """The newest button of that name."""
        self.page.locator(where).get_by_role("button", name=label).last.click()

    def sees(self, words: str | re.Pattern[str], *, where: str = "main.main") -> Locator:
        """Wait for words to show up; the newest element that holds them."""
        found = self.page.locator(where).get_by_text(words).last
        found.wait_for(timeout=PATIENCE_MS)
        return found

    def thread_text(self) -> str:
        return self.page.locator(".thread-pane").inner_text()

    def picture(self, name: str) -> None:
        """The whole page, into the folder of pictures."""
        self._settle()
        self.page.screenshot(path=str(SHOTS / f"{name}.png"))

    def portrait(self, name: str, text: str) -> None:
        """One message of the channel, without the page around it."""
        self._settle()
        box = self.page.locator("main.main .msg", has_text=text).last.bounding_box()
        assert box is not None
        clip = {"x": box["x"], "y": box["y"], "width": min(box["width"], 760), "height": box["height"] + 8}
        self.page.screenshot(path=str(SHOTS / f"{name}.png"), clip=clip)  # type: ignore[arg-type]

    def _settle(self) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.mouse.move(5, 5)  # no hover marks
        self.page.wait_for_timeout(150)  # the page scrolls to its end after drawing


def suanli() -> str:
    return str(Path(sys.executable).with_name("suanli"))


def chromium() -> str | None:
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


@contextmanager
def running(folder: Path) -> Iterator[Lab]:
    """Everything started, the first channel open in the browser; all of it ended afterwards."""
    program = subprocess.run([LOCAL / "install.sh"], capture_output=True, text=True, check=True).stdout.strip()
    environment = _environment(folder)
    slack = [program, "--config", str(LOCAL / "local-slack.yaml"), "--port", str(PORT), "--base-host", "127.0.0.1"]
    with _process(slack, folder / "slack.log", environment), _process([suanli(), "serve"], folder / "bot.log", environment):
        _wait_for_page()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1500, "height": 1100})
            page.goto(ADDRESS)
            page.locator(".app-status .status.ok").wait_for(timeout=30_000)  # the bot's socket is connected
            yield Lab(page, folder, environment)
            browser.close()
    SHOTS.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "bot.log", SHOTS)  # beside the pictures, for whoever looks into a failure


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return kept | {
        "SLACK_BOT_TOKEN": "xoxb-local",
        "SLACK_APP_TOKEN": "xapp-local",
        "SLACK_API_URL": f"{ADDRESS}/api/",
        "SUANLI_BLOCKS": "plain",
        "SUANLI_CATALOG": str(folder / "catalog"),
        "DATABASE_URL": f"sqlite:///{folder / 'suanli.db'}",
    }


@contextmanager
def _process(command: list[str], log: Path, environment: dict[str, str]) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment, cwd=ROOT)
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for_page() -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(ADDRESS, timeout=2).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"no local Slack at {ADDRESS}")
