"""Keys never reach an event: neither whole nor in pieces, neither known ones nor those that look like one."""

import json
import os
import sys
from pathlib import Path

from cases import each

from cursor_cli import parse_stream
from instrumentgpt.agents.answer import answer_text
from instrumentgpt.agents.events import Done, Failure, Text, Thinking, Tick, Tool, to_json
from instrumentgpt.agents.process import Clocks, Command, run
from instrumentgpt.agents.secrets import HIDDEN, Secrets, redacted, secrets_of

OWN = "correct-horse-battery"
KEYS = [
    "sk-ant-api03-AbCdEf0123456789_-xyz",
    "sk-proj-0123456789abcdefghij",
    "key_0123456789abcdef0123456789abcdef",
    "AIzaSyA0123456789abcdefghijklmnopqrstuv",
    "ghp_0123456789abcdefghijABCDEFGHIJ",
    "xoxb-123456789012-abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXBhcnQ",
    OWN,
]


def hidden(*events, values=(OWN,)):
    return list(redacted((event for event in events), Secrets(values)))


@each("key", KEYS)
def test_a_key_is_hidden_wherever_an_event_holds_text(key):
    events = hidden(
        Text(f"a {key} b", whole=True),
        Thinking(key),
        Tick(f"trying {key}"),
        Tool("1", "shell", "ok", {"command": f"curl -H {key}", "more": [{"x": key}], key: 1}, f"={key}\n"),
        Failure("error", f"refused: {key}"),
        Done("error", f"a {key} b"),
    )
    assert len(events) == 6
    assert not any(key in to_json(event) for event in events)
    assert all(HIDDEN in to_json(event) for event in events)


@each("key", KEYS)
@each("size", [1, 2, 5, 13])
def test_a_key_in_pieces_is_hidden_too(key, size):
    said = f"The key is {key} and 溫度 is fine."
    pieces = [Text(said[at : at + size]) for at in range(0, len(said), size)]
    events = hidden(*pieces, Done("ok", said))
    assert answer_text(events) == events[-1].text == f"The key is {HIDDEN} and 溫度 is fine."


def test_a_key_at_the_very_end_is_hidden_and_innocent_words_are_said():
    assert answer_text(hidden(Text(f"it is {OWN[:-3]}"), Text(OWN[-3:]), Done("ok", ""))) == f"it is {HIDDEN}"
    assert (
        answer_text(hidden(Text("ta"), Text("sk-based-analysis-of-42"), Done("ok", "")))
        == "task-based-analysis-of-42"
    )
    assert answer_text(hidden(Text("ask sk-"), Tick("x"), Text("learn"), Done("ok", ""))) == "ask sk-learn"


def test_words_of_another_segment_are_not_mixed_with_what_is_held_back():
    events = hidden(Text("see sk-", 0), Text("next", 1), Done("ok", ""))
    assert answer_text(events) == "see sk-\n\nnext"
    assert {event.segment for event in events if isinstance(event, Text)} == {0, 1}


def test_a_recap_replaces_what_was_held_back():
    assert answer_text(hidden(Text("see sk-"), Text("see sk-", whole=True), Done("ok", ""))) == "see sk-"


@each(
    "text",
    ["kp 1.2, sk-learn", "key_value", "task-force", "risk-free " * 20, "AIza", "10.1.1.47 為什麼溫度波動？"],
)
def test_what_is_no_key_stays_byte_for_byte(text):
    assert Secrets((OWN,)).hide(text) == text


def test_only_values_whose_names_say_so_are_secret():
    given = {
        "CURSOR_API_KEY": "k" * 20,
        "HTTP_PROXY": "http://proxy:8080",
        "MY_PASSWORD": "abc",
        "LANG": "zh_TW.UTF-8",
    }
    assert secrets_of(given).values == ("k" * 20,)


def test_a_proxys_password_is_no_part_of_what_is_shown():
    assert (
        secrets_of({"HTTPS_PROXY": "http://me:pass-word-99@proxy:8080"}).hide("via pass-word-99")
        == f"via {HIDDEN}"
    )


def test_a_private_key_is_hidden_whole():
    block = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
    assert Secrets().hide(f"a\n{block}\nb") == f"a\n{HIDDEN}\nb"


def test_an_agent_that_prints_its_own_key_tells_nobody(tmp_path):
    script = (
        "import os, sys, json; key = os.environ['CURSOR_API_KEY'];"
        "print(json.dumps({'type': 'assistant', 'message': {'content': [{'text': key}]}}), flush=True);"
        "sys.stderr.write('Error: bad key ' + key); sys.exit(3)"
    )
    environment = {"PATH": os.environ["PATH"], "CURSOR_API_KEY": OWN}
    command = Command((sys.executable, "-c", script), "why?", environment, Path(tmp_path))
    events = list(redacted(run(command, parse_stream, Clocks()), secrets_of(environment)))
    assert isinstance(events[-1], Done) and events[-1].outcome == "error"
    assert OWN not in json.dumps([to_json(event) for event in events])
