"""Every path of every test lies in its own temporary folder."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True)
def _home_in_tmp(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("INSTRUMENTGPT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("INSTRUMENTGPT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))


@pytest.fixture
def shared_logs() -> Path:
    """The labelled and real logs that lie beside the checkout; the test is skipped without them."""
    if not (SHARED / "logs").is_dir():
        pytest.skip(f"needs the reference logs in {SHARED / 'logs'}, which are not part of this repository")
    return SHARED / "logs"


@pytest.fixture
def scripted(tmp_path, monkeypatch):
    """A function that makes its arguments (docs/scripted-agent.md) the answers of the scripted agent."""

    def script(*answers: dict[str, Any]) -> Path:
        path = tmp_path / "script.json"
        path.write_text(json.dumps({"answer": answers}, ensure_ascii=False), encoding="utf-8")
        monkeypatch.setenv("INSTRUMENTGPT_SCRIPT", str(path))
        return path

    return script
