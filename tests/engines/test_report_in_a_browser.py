"""The page of ``toolparse stats --html`` in a real Chromium: it draws what it says and asks for nothing else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from _batch import PATHS, folder
from toolparse.cli import main

pytestmark = pytest.mark.engines


def test_a_browser_draws_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "a Chromium is needed"
    monkeypatch.chdir(folder(tmp_path / "logs", 6000, (7,)))
    assert main(["batch", "log.jsonl", "-o", "out.jsonl", *PATHS, "--stats", "stats.json", "--quiet"]) == 0
    assert main(["stats", "stats.json", "--html", "page.html"]) == 0
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=900,2400"]
    page = (tmp_path / "logs" / "page.html").as_uri()
    shown = subprocess.run([*command, "--dump-dom", page], capture_output=True, timeout=120, check=True).stdout.decode()
    assert shown.count("<svg") == 7
    assert "5,999" in shown
    picture = tmp_path / "page.png"
    subprocess.run([*command, f"--screenshot={picture}", page], capture_output=True, timeout=120, check=True)
    assert picture.stat().st_size > 50_000
