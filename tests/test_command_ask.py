"""`ask`: chat turns in the terminal, in the same conversations as on the page."""

import io
import json
import os
import sys
import unicodedata
from contextlib import closing
from pathlib import Path

import pexpect
import pytest

import db
from instrumentgpt.__main__ import main
from instrumentgpt.agents.events import Text
from instrumentgpt.commands.ask import Printed
from instrumentgpt.storage.paths import database_path

pytestmark = pytest.mark.usefixtures("forked", "judged_before")

OFFLINE = ("--agent", "offline")
ROOT = Path(__file__).parents[1]


def ask(*arguments):
    return main(["ask", *OFFLINE, *arguments])


def test_a_question_is_answered_and_followed_up_without_a_second_fetch(capsys):
    assert ask("10.1.1.112 為什麼溫度波動？") == 0
    first = capsys.readouterr()
    assert "通道 2 增益造成的振盪" in first.out and "fetch_log zspr 053" in first.err
    assert ask("--continue", "那 kp 可以調高嗎？") == 0
    second = capsys.readouterr()
    assert "通道 2：不可以" in second.out and "fetch_log" not in second.err
    with closing(db.connect(database_path())) as database:
        (conversation,) = db.list_conversations(database)
        messages = db.list_messages(database, conversation.id)
        state = json.loads(db.get_memory(conversation.id, database)[1])
    assert [message.role for message in messages] == ["user", "assistant"] * 2
    assert state["device_name"] == "zspr 053" and len(state["root_causes"]) == 1


def test_a_conversation_is_continued_by_its_name(capsys):
    ask("053 why?")
    name = capsys.readouterr().err.split("conversation ")[1].split()[0]
    assert ask("--conversation", name, "what did we find so far?") == 0
    assert "swings by" in capsys.readouterr().out


@pytest.mark.parametrize("going_on", [["--continue"], ["--conversation", "nobody"]])
def test_a_conversation_that_is_not_there_is_an_error_with_the_remedy(going_on, capsys):
    assert ask(*going_on, "why?") == 1
    assert "There is no conversation" in capsys.readouterr().err


def test_files_are_handed_over(tmp_path, capsys):
    path = tmp_path / "notes.csv"
    path.write_text("".join(f"{i * 0.5},60,{60 + i % 2 / 10},50\n" for i in range(600)), encoding="utf-8")
    assert ask("what is wrong?", str(path)) == 0
    assert "`notes.csv`" in capsys.readouterr().out


def test_json_prints_the_events_of_the_turn(capsys):
    assert ask("--json", "list devices") == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0]["event"] == "Session" and events[-1]["event"] == "Done"


NASTY = "one\x1b]0;owned\x07two\x00three\x9b31mfour\u202efive\u2066six\rseven\x7feight\ud800nine\x1b[2J"


def commanding(printed: str) -> list[str]:
    return [letter for letter in printed if letter not in "\n\t" and unicodedata.category(letter)[0] == "C"]


def test_nothing_that_an_agent_says_commands_the_terminal_not_even_in_pieces(scripted, capsys):
    scripted({"say": [*NASTY, "\n\n", NASTY], "task": "chat"})
    assert main(["ask", "--agent", "scripted", "why?"]) == 0
    printed = capsys.readouterr()
    assert commanding(printed.out) == commanding(printed.err) == []
    assert "one␛]0;owned␇two␀three\ufffd31mfour" in printed.out


def test_on_a_real_terminal_no_byte_of_an_agent_commands_it(scripted):
    scripted({"say": ["red \x1b[31", "m, title \x1b]2;x\x07, C1 \x9b2", "J, nul \x00", ", end"]})
    words = ["-m", "instrumentgpt", "ask", "--agent", "scripted", "why?"]
    terminal = pexpect.spawn(sys.executable, words, cwd=ROOT, timeout=250)
    terminal.expect("end\r\n")
    answer = terminal.before
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert "red ␛[31m, title ␛]2;x␇, C1 \ufffd2J, nul ␀".encode() in answer
    assert not any(byte in answer + terminal.before for byte in (b"\x1b", b"\x00", b"\x07", b"\xc2\x9b"))


def test_json_of_an_answer_commands_nothing_and_is_exact(scripted, capsys):
    said = NASTY.replace("\ud800", "")
    scripted({"say": said, "task": "chat"})
    assert main(["ask", "--agent", "scripted", "--json", "why?"]) == 0
    printed = capsys.readouterr().out
    assert commanding(printed) == []
    assert said in [json.loads(line).get("text") for line in printed.splitlines()]


def test_words_that_are_no_utf_8_are_a_question_all_the_same(scripted, monkeypatch, capsys):
    scripted({"say": "asked", "task": "chat"})
    assert main(["ask", "--agent", "scripted", "heater \udcff?"]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"heater \xff?")))
    assert main(["ask", "--agent", "scripted", "-"]) == 0
    assert main(["search", "heater \udcff"]) == 0
    assert capsys.readouterr().out.count("heater \ufffd?") >= 2


def test_a_folder_or_a_pipe_is_no_file_to_hand_over(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    assert [ask("why?", str(path)) for path in (tmp_path, tmp_path / "pipe")] == [1, 1]
    told = capsys.readouterr().err.splitlines()
    assert "Give the path of a file" in told[0] and "Save it as a file" in told[1]


def test_an_error_with_the_name_of_a_file_commands_nothing(tmp_path, capsys):
    assert ask("why?", str(tmp_path / "a\x1b[2J\udcff.log")) == 1
    assert main(["diagnose", str(tmp_path / "b\x1b[2J\u202e.log")]) == 1
    printed = capsys.readouterr().err
    assert commanding(printed) == [] and "a␛[2J" in printed and "b␛[2J" in printed


@pytest.mark.parametrize(
    ("events", "shown"),
    [
        ([Text("ha"), Text("ha"), Text("haha!", whole=True)], "haha!\n"),
        ([Text("see [L 1"), Text("8](?log=a"), Text(".log&line=18) now")], "see L 18 now\n"),
        ([Text("a [b"), Text("] c")], "a [b] c\n"),
        ([Text("one"), Text("two", segment=1), Text(" more", segment=1)], "one\n\ntwo more\n"),
        ([Text("one\n"), Text("", aside=True), Text("\n\ntwo", segment=1)], "one\n\ntwo\n"),
        ([Text("wrong"), Text("right", whole=True)], "wrong\nright\n"),
        ([Text("open [L 1")], "open [L 1\n"),
    ],
)
def test_text_is_printed_once_as_it_comes_and_links_as_words(events, shown, capsys):
    printed = Printed()
    for event in events:
        printed.add(event)
    printed.pause()
    assert capsys.readouterr().out == shown


def test_what_a_question_leaves_open_of_constraints_is_asked_below_the_answer(capsys):
    ask("10.1.1.47: the client wants an unbroken trace tonight. Why does it swing?")
    assert "Keep “10.1.1.47: the client wants" in capsys.readouterr().out
