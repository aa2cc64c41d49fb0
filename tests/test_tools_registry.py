"""Our tools: small JSON results with a summary, errors with the remedy, and no way out of the workspace."""

import inspect
import json
from contextlib import closing
from pathlib import Path

import pytest
from cases import each
from tool_calls import CALLS, LOG, NEWEST

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.tools.opened import UnknownLog, find_log, texts_of
from instrumentgpt.instruments.workspace import Workspace, workspace

ROOT = Path(__file__).parents[1]
LARGEST_RESULT = 40_000  # characters of JSON: about 10,000 tokens


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Workspace:
    folder = tmp_path_factory.mktemp("tools")
    where = {"cache": str(folder / "cache"), "artifacts": str(folder / "artifacts")}
    database = folder / "instrumentgpt.db"
    with closing(db.connect(database)) as opened:
        conversation = db.create_conversation(opened)
        asked = db.add_message(opened, conversation, "user", "10.1.1.112 為什麼溫度波動？")
        laid = ("constraint", "do not touch the gains", "")
        db.store_facts(opened, conversation, asked, "user", [], [laid])
        db.add_message(opened, conversation, "assistant", "kp is too high.")
        db.add_message(
            opened, conversation, "user", "you may touch the gains, the lid stays shut until Friday"
        )
    made = workspace(
        str(ROOT / "demo" / "devices.toml"), **where, database=str(database), conversation=conversation
    )
    for back in (0, 1):
        TOOLS["fetch_log"](made, "zspr 053", back=back)
    return made


def test_every_tool_is_called_here_and_described():
    assert set(CALLS) == set(TOOLS)
    described = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert [name for name in TOOLS if f"`{name}" not in described] == []


@pytest.mark.parametrize("name", CALLS)
def test_a_result_is_small_json_with_a_summary(place, name):
    result = TOOLS[name](place, **CALLS[name])
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    assert result["summary"] and len(text) < LARGEST_RESULT


@each("name", TOOLS)
def test_a_tool_has_a_docstring_and_typed_plain_arguments(name):
    signature = inspect.signature(TOOLS[name])
    assert TOOLS[name].__doc__
    assert next(iter(signature.parameters)) == "workspace"
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())


@pytest.mark.parametrize(
    ("log", "device"),
    [(NEWEST, "zspr 053"), (f"{NEWEST}.gz", "10.1.1.112"), (f"zspr 053/{NEWEST}", ""), (NEWEST, "")],
)
def test_a_fetched_log_is_found_by_its_name_however_it_is_given(place, log, device):
    assert find_log(place, log, device).name == f"{NEWEST}.gz"


@pytest.mark.parametrize("log", ["../../../etc/passwd", "/etc/passwd", "..", "zspr 053/../x.log", ""])
def test_a_name_never_leads_out_of_the_workspace(place, log):
    with pytest.raises(InstrumentGPTError):
        find_log(place, log)


def test_a_log_of_another_device_is_not_taken_for_this_one(place):
    with pytest.raises(UnknownLog):
        find_log(place, NEWEST, "zspr 052")


def test_evidence_is_quoted_word_for_word_from_its_line(place):
    path = find_log(place, **LOG)
    found = TOOLS["diagnose_log"](place, **LOG)
    quoted = {item["line"]: item["text"] for one in found["findings"] for item in one["evidence"]}
    assert quoted and texts_of(path, quoted) == quoted


def test_a_gain_is_judged_as_the_log_stands(place):
    (one,) = TOOLS["advise_gains"](place, **LOG, channel=2, gain="kp", target=6.0)["channels"]
    assert (one["answer"]["present"], one["answer"]["asked"]) == (50.0, 6.0)
