"""What Claude Code, Codex, Gemini CLI and opencode really printed becomes the same events as Cursor's."""

import json
from pathlib import Path

import pytest
from cases import each

from instrumentgpt.agents.answer import answer_text
from instrumentgpt.agents.events import Done, Failure, Session, Text, Tick, Tool
from instrumentgpt.agents.registry import AGENTS

CAPTURES = Path(__file__).parent / "captures"
ANSWER = (
    "The 12 V rail of PSU-7 reads 11.93 V, which is inside the ±2 % window (11.76–12.24 V). No fault found."
)
INTRO = "I will read the supply first."
ALL = sorted(f"{path.parent.name}/{path.stem}" for path in CAPTURES.glob("*/*.jsonl"))


def lines_of(name):
    return (CAPTURES / f"{name}.jsonl").read_bytes().split(b"\n")


def events_of(name):
    return list(AGENTS[name.split("/")[0]].parse(lines_of(name)))


def only(kind, events):
    return [event for event in events if isinstance(event, kind)]


@each("agent", ["claude", "codex", "gemini", "opencode"])
def test_every_agent_has_captures_of_an_answer_a_tool_and_an_error(agent):
    kinds = {name.split("/")[1].split("-")[0] for name in ALL if name.startswith(agent)}
    assert {"answer", "mcp", "error401", "shell"} <= kinds


@each("name", ALL)
def test_every_capture_ends_in_exactly_one_done_whose_text_is_the_answer(name):
    events = events_of(name)
    assert [type(event) for event in events].count(Done) == 1
    assert events[-1].text == answer_text(events)
    assert not [event for event in only(Tick, events) if "unknown" in event.note and "kinds" in event.note]


@each(
    "name, outcome, text",
    [
        ("claude/answer", "ok", ANSWER),
        ("claude/resume", "ok", ANSWER),
        ("claude/drop", "ok", ANSWER),
        ("claude/shell", "ok", ANSWER),
        ("claude/mcp", "ok", ANSWER),
        ("claude/denied", "tools-denied", ANSWER),
        ("claude/nologin", "not-logged-in", ""),
        ("claude/malformed", "error", "First part.\n\nSecond "),  # its error is the failure, and no words
        ("claude/error401", "not-logged-in", ""),
        ("codex/answer", "ok", ANSWER),
        ("codex/resume", "ok", ANSWER),
        ("codex/shell", "ok", ANSWER),
        ("codex/mcp-required", "ok", ANSWER),
        ("codex/error401", "not-logged-in", ""),
        ("gemini/answer", "ok", ANSWER),
        ("gemini/shell", "ok", ANSWER),
        ("gemini/mcp", "ok", ANSWER),
        ("gemini/error401", "not-logged-in", ""),
        ("opencode/answer", "ok", ANSWER),
        ("opencode/shell", "ok", ANSWER),
        ("opencode/mcp", "ok", ANSWER),
        ("opencode/ask", "tools-denied", INTRO),
        ("opencode/error401", "not-logged-in", ""),
    ],
)
def test_a_capture_ends_as_its_evidence_says(name, outcome, text):
    events = events_of(name)
    assert (events[-1].outcome, events[-1].text) == (outcome, text)
    failures = only(Failure, events)
    assert [failure.outcome for failure in failures] == ([] if outcome == "ok" else [outcome])
    assert all(failure.remedy for failure in failures)


@each(
    "name, tool, server, argument",
    [
        ("claude/mcp", "read_channel", "bench", "channel"),
        ("codex/mcp-required", "read_channel", "bench", "channel"),
        ("gemini/mcp", "read_channel", "bench", "channel"),
        ("opencode/mcp", "bench_read_channel", "", "channel"),
        ("claude/shell", "Bash", "", "command"),
        ("codex/shell", "shell", "", "command"),
        ("gemini/shell", "run_shell_command", "", "command"),
        ("opencode/shell", "bash", "", "command"),
    ],
)
def test_a_call_is_told_when_it_starts_and_when_it_ends(name, tool, server, argument):
    started, ended = only(Tool, events_of(name))
    assert (started.status, ended.status) == ("started", "ok")
    assert started.call_id == ended.call_id
    assert {(call.name, call.server) for call in (started, ended)} == {(tool, server)}
    assert argument in started.arguments
    assert "11.93" in ended.result and not started.result


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude/denied", "require approval"),
        ("opencode/ask", "rejected permission"),
    ],
)
def test_a_denied_call_is_told_as_denied_with_the_agents_words(name, words):
    *_, call = only(Tool, events_of(name))
    assert call.status == "denied" and words in call.result


@pytest.mark.parametrize("name", ["claude/denied", "opencode/ask"])
def test_commands_and_edits_that_were_denied_are_allowed_by_the_switch_of_the_page(name):
    (failure,) = only(Failure, events_of(name))
    assert "in the sidebar" in failure.remedy and "ask again" in failure.remedy
    assert failure.text == "The only tool call was denied."


def test_tools_of_a_server_that_were_denied_are_allowed_in_the_agents_own_settings():
    item = {"id": "1", "type": "mcp_tool_call", "server": "instrumentgpt", "tool": "plot_log"}
    lines = [
        {"type": "item.completed", "item": {**item, "status": "declined"}},
        {"type": "turn.completed"},
    ]
    (failure,) = only(Failure, AGENTS["codex"].parse([json.dumps(line).encode() for line in lines]))
    assert "own settings" in failure.remedy and "sidebar" not in failure.remedy


def test_our_own_servers_tools_are_known_as_such_from_opencode():
    part = {"tool": "instrumentgpt_plot_log", "callID": "1", "state": {"status": "completed", "output": "{}"}}
    line = json.dumps({"type": "tool_use", "part": part}).encode()
    assert [(tool.server, tool.name) for tool in only(Tool, AGENTS["opencode"].parse([line]))] == [
        ("instrumentgpt", "plot_log")
    ] * 2


@each("agent", ["claude", "codex", "gemini", "opencode"])
def test_the_session_to_resume_is_told(agent):
    (session,) = only(Session, events_of(f"{agent}/answer"))
    assert session.agent == agent and len(session.session_id) > 20


def test_a_resumed_session_keeps_its_id():
    for agent in ("claude", "codex"):
        first, again = (only(Session, events_of(f"{agent}/{kind}"))[0] for kind in ("answer", "resume"))
        assert first.session_id == again.session_id


@each(
    "name, usage",
    [
        ("claude/mcp", {"inputTokens": 240, "outputTokens": 84, "costUSD": 0.00264}),
        ("codex/shell", {"inputTokens": 240, "outputTokens": 84, "cacheReadTokens": 40}),
        ("gemini/mcp", {"inputTokens": 240, "outputTokens": 84}),
        ("opencode/shell", {"inputTokens": 240, "outputTokens": 84, "costUSD": 0.000408}),
    ],
)
def test_tokens_and_cost_have_the_same_names_for_every_agent(name, usage):
    told = events_of(name)[-1].usage
    assert {key: told[key] for key in usage} == pytest.approx(usage)
    assert set(told) <= {"inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "costUSD"}


def test_a_key_that_is_refused_is_not_tried_for_minutes():
    def lines():
        yield from lines_of("claude/error401")[:4]
        raise AssertionError("read on")

    assert list(AGENTS["claude"].parse(lines()))[-1].outcome == "not-logged-in"


def test_words_of_a_broken_connection_are_not_said_twice():
    events = events_of("claude/drop")
    assert [event.text for event in only(Text, events) if event.whole] == ["", "", ANSWER]


@each("name", ["claude/mcp", "codex/mcp-required", "gemini/mcp", "opencode/mcp"])
def test_without_its_last_line_a_stream_is_no_success(name):
    kept = [line for line in lines_of(name) if line.strip()][:-1]
    assert list(AGENTS[name.split("/")[0]].parse(kept))[-1].outcome == "no-result"


@each("name", ALL)
def test_no_shape_of_a_line_breaks_a_parser(name):
    """Each line with each of its fields replaced by what it should not be."""
    parse = AGENTS[name.split("/")[0]].parse
    for line in filter(bytes.strip, lines_of(name)):
        told = json.loads(line)
        for key in told:
            for value in (None, 7, "x", [], {}, [None], {"type": []}):
                *_, done = parse([json.dumps({**told, key: value}).encode()])
                assert isinstance(done, Done)


def test_kinds_of_lines_that_nobody_knows_are_counted_and_shown():
    for agent in ("cursor", "claude", "codex", "gemini", "opencode"):
        events = list(AGENTS[agent].parse([b'{"type":"hologram"}', b'{"type":"hologram"}']))
        assert "2 lines" in events[-2].note and "hologram" in events[-2].note
