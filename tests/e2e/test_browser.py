"""The main job in a real browser: everything runs in a network namespace of its own, which has loopback only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
IN_NAMESPACE = ROOT / "deploy" / "local-slack" / "in_namespace.sh"
INSTALL = ROOT / "deploy" / "local-slack" / "install.sh"


def missing() -> str | None:
    """Why the scenes cannot be played here; None when they can."""
    try:
        from tests.e2e.lab import chromium
    except ImportError as exc:
        return f"playwright is not installed ({exc})"
    if chromium() is None:
        return "no chromium is installed"
    allowed = subprocess.run([IN_NAMESPACE, "true"], capture_output=True, text=True, check=False)
    if allowed.returncode != 0:
        return f"network namespaces are forbidden here: {allowed.stderr.strip()}"
    installed = subprocess.run([INSTALL], capture_output=True, text=True, check=False)
    return None if installed.returncode == 0 else installed.stderr.strip()


@pytest.mark.e2e
def test_the_scenes_play_in_a_browser() -> None:
    reason = missing()
    if reason is not None:
        if os.environ.get("SUANLI_REQUIRE_E2E") == "1":
            pytest.fail(f"the browser test is required (SUANLI_REQUIRE_E2E=1), but {reason}")
        print(f"browser test skipped: {reason}")
        pytest.skip(reason)
    command = [IN_NAMESPACE, sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(HERE / "scenes.py")]
    played = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert played.returncode == 0, f"{played.stdout}\n{played.stderr}\n(pictures and bot.log are in SUANLI_SHOTS or shots/)"


def test_where_it_cannot_run_it_is_skipped_unless_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.e2e.test_browser.missing", lambda: "no chromium is installed")
    monkeypatch.delenv("SUANLI_REQUIRE_E2E", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no chromium"):
        test_the_scenes_play_in_a_browser()
    monkeypatch.setenv("SUANLI_REQUIRE_E2E", "1")
    with pytest.raises(pytest.fail.Exception, match="no chromium"):
        test_the_scenes_play_in_a_browser()
