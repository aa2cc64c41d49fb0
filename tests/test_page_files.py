"""Files that are dropped, and log lines that are asked for."""

from contextlib import closing
from pathlib import Path

import pytest
from cases import each
from pages import page

import db
from instrumentgpt.settings import database_path, home
from instrumentgpt.storage.artifacts import plain_name
from instrumentgpt.storage.runs import live_run
from instrumentgpt.turn import runs
from instrumentgpt.ui import artifacts

pytestmark = pytest.mark.usefixtures("forked")

PNG = b"\x89PNG\r\n\x1a\n" + bytes.fromhex(
    "0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001000105fe02fea7"
    "35814e0000000049454e44ae426082"
)


@each(
    "name, content, kind",
    [("run 7.csv", b"time,pv\n0,1\n", "log"), ("photo.log", PNG, "image"), ("../../溫度.log", b"x", "log")],
)
def test_a_dropped_file_becomes_an_artifact_of_its_question(name, content, kind):
    at = page()
    at.chat_input[0].upload(name, content)
    at.chat_input[0].set_value("what is this?").run()
    with closing(db.connect(database_path())) as database:
        conversation = db.list_conversations(database)[0].id
        message = db.list_messages(database, conversation)[0]
        (kept,) = db.list_artifacts(database, message.id)
        stored = db.get_artifact(database, conversation, kept.id)
        run = live_run(database, conversation)
    if run:
        runs.stop(database_path(), run.id)
    assert (kept.kind, kept.title) == (kind, Path(name).name)
    assert stored.content == content


@each(
    "given, kept",
    [
        ("C:\\logs\\a.log", "a.log"),
        ("a\x00\n.log", "a.log"),
        ("..", "attachment"),
        ("", "attachment"),
        ("/", "attachment"),
        ("x" * 500 + ".log", "x" * 116 + ".log"),
    ],
)
def test_the_name_of_a_file_is_one_printable_word(given, kept):
    assert plain_name(given) == kept


def cached(name: str = "run.log", device: str = "zspr_051", lines: int = 40) -> str:
    folder = home() / "cache" / device
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\n".join(f"line {number} <b> $5" for number in range(1, lines + 1)))
    with closing(db.connect(database_path())) as database:
        conversation = db.create_conversation(database)
        db.add_message(database, conversation, "user", "hello")
    return conversation


def test_an_address_with_a_line_shows_the_lines_around_it_and_keeps_it():
    conversation = cached()
    at = page(conversation, log="zspr 051/run.log", line="20")
    shown = next(code.value for code in at.code if "▶" in code.value)
    assert "20 ▶ line 20 <b> $5" in shown
    assert "10   line 10" in shown
    assert "line 31" not in shown
    assert at.query_params["log"]


@each("log", ["../../../etc/passwd", "/etc/passwd", "zspr 051/../../instrumentgpt.db", "no.log"])
def test_no_other_file_can_be_opened(log):
    at = page(cached(), log=log, line="1")
    assert not at.exception
    assert at.warning
    assert not [code for code in at.code if "▶" in code.value]


@each("line", ["0", "-5", "x", "99999999999999999999", "41", "¹"])
def test_a_line_that_is_not_there_is_no_accident(line):
    at = page(cached(), log="run.log", line=line)
    assert not at.exception


def test_a_long_line_is_cut_on_screen():
    assert len(artifacts.text_around([(1, "x" * 5000)], 1)) < 500
