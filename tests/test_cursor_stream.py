"""Cursor's NDJSON stream becomes events: the answer exactly, tools with their names, nothing guessed."""

import json
from pathlib import Path

from cases import each

from cursor_cli import parse_stream
from instrumentgpt.agents.answer import answer_text
from instrumentgpt.agents.events import Done, Failure, Session, Text, Thinking, Tick, Tool, to_json
from instrumentgpt.agents.stream import LineSplitter

TRANSCRIPTS = Path(__file__).parent / "transcripts" / "cursor"
SUCCESSFUL = sorted(
    path.name for path in TRANSCRIPTS.glob("*.jsonl") if b'"subtype":"success"' in path.read_bytes()
)


def lines_of(name):
    return (TRANSCRIPTS / name).read_bytes().split(b"\n")


def told_result(lines):
    return next(json.loads(line)["result"] for line in lines if line.startswith(b'{"type":"result"'))


def assistant(text, **marks):
    message = {"content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "assistant", "message": message, **marks}).encode()


def ended(text, **fields):
    line = {"type": "result", "subtype": "success", "is_error": False, "result": text, **fields}
    return json.dumps(line).encode()


def call(subtype, body, call_id="1"):
    return json.dumps(
        {"type": "tool_call", "subtype": subtype, "call_id": call_id, "tool_call": body}
    ).encode()


def tools_in(lines):
    return [event for event in parse_stream(lines) if isinstance(event, Tool)]


def test_all_successful_transcripts_are_here():
    assert len(SUCCESSFUL) == 5


@each("name", SUCCESSFUL)
def test_the_answer_is_rebuilt_exactly(name):
    lines = lines_of(name)
    events = list(parse_stream(lines))
    assert events[-1].outcome == "ok"
    segments = {event.segment: "" for event in events if isinstance(event, Text)}
    for event in events:
        if isinstance(event, Text):
            segments[event.segment] = event.text if event.whole else segments[event.segment] + event.text
    assert "".join(segments.values()) == told_result(lines)
    assert events[-1].text == answer_text(events)


@each("name", SUCCESSFUL)
@each("size", [1, 7, 65536])
def test_pieces_of_any_size_make_the_same_events(name, size):
    if size == 1 and name.startswith("06"):
        size = 3  # half a million bytes one by one would take its time
    whole = (TRANSCRIPTS / name).read_bytes()
    splitter = LineSplitter()
    lines = [line for at in range(0, len(whole), size) for line in splitter.feed(whole[at : at + size])]
    assert list(parse_stream([*lines, splitter.rest()])) == list(parse_stream(whole.split(b"\n")))


@each(
    "name, outcome, text",
    [
        ("04a_error_midway.jsonl", "no-result", "I will start with the zero point of "),
        ("04b_error_result.jsonl", "error", "One moment."),
        ("04c_not_logged_in.jsonl", "no-result", ""),
        ("05_no_result_hang.jsonl", "no-result", "The chiller holds 18.0 °C within 0.1 K."),
    ],
)
def test_a_stream_without_success_keeps_its_text_and_says_so(name, outcome, text):
    *_, done = parse_stream(lines_of(name))
    assert (done.outcome, done.text) == (outcome, text)


def test_an_error_inside_the_result_is_a_failure_with_a_remedy():
    failure = next(
        event for event in parse_stream(lines_of("04b_error_result.jsonl")) if isinstance(event, Failure)
    )
    assert failure.text == 'Model name is not valid: "fast-9"'
    assert "agent models" in failure.remedy


def test_nothing_after_the_result_is_read():
    def lines():
        yield ended("done")
        raise AssertionError("read on")

    assert isinstance(list(parse_stream(lines()))[-1], Done)


def test_equal_deltas_are_all_kept_and_a_recap_replaces_its_own_segment_only():
    lines = [
        assistant("ha", timestamp_ms=1),
        assistant("ha", timestamp_ms=1),
        assistant("haha", timestamp_ms=1, model_call_id="m"),
        assistant("ha", timestamp_ms=2),
        assistant("ha!"),
        ended("hahaha!"),
    ]
    assert list(parse_stream(lines))[:-1] == [
        Text("ha", 0),
        Text("ha", 0),
        Text("haha", 0, whole=True),
        Text("ha", 1),
        Text("ha!", 1, whole=True),
    ]


@each(
    "said, told, text",
    [
        (["a", "c"], "abc", "abc"),  # a line was lost: the agent's own word counts
        ([], "all at once", "all at once"),
        (["first. ", "last."], "last.", "first. last."),  # only its last words are told again
        (["I look.", None, "It"], "It swings.", "It swings."),
        (["I look.", None, "It"], "I look.It swings.", "It swings."),
        (["I look.", None], "I look.It swings.", "It swings."),
    ],
)
def test_the_result_mends_a_torn_answer_and_never_shortens_it(said, told, text):
    lines = [
        assistant(one, timestamp_ms=1) if one else call("started", {"shellToolCall": {}}) for one in said
    ]
    events = list(parse_stream([*lines, ended(told)]))
    assert events[-1].text == text == answer_text(events)


def test_tools_are_named_by_what_they_are_and_end_out_of_order():
    tools = tools_in(lines_of("02_shell_tools_partial.jsonl"))
    assert [(tool.name, tool.status) for tool in tools] == [
        ("shell", "started"),
        ("shell", "started"),
        ("shell", "failed"),
        ("shell", "ok"),
        ("read", "started"),
        ("read", "ok"),
        ("edit", "started"),
        ("edit", "ok"),
    ]
    assert (tools[0].call_id, tools[1].call_id) == (tools[3].call_id, tools[2].call_id)
    assert "cannot open" in tools[2].result and tools[3].result == "17\n"


def test_an_mcp_call_carries_server_tool_arguments_and_text():
    done = [tool for tool in tools_in(lines_of("03_mcp_tool_partial.jsonl")) if tool.server == "bench"]
    assert [(tool.name, tool.status) for tool in done[1::2]] == [
        ("read_channel", "ok"),
        ("set_output", "denied"),
        ("read_channel", "failed"),
    ]
    assert done[1].arguments == {"channel": "psu7.rail12"}
    assert json.loads(done[1].result)["value"] == 11.93
    assert done[3].arguments == {"supply": "psu7", "on": False}  # a rejected completion brings none
    assert "rejected by user" in done[3].result


def test_signs_of_life_are_ticks_and_unknown_kinds_are_counted_and_told(caplog):
    events = list(parse_stream(lines_of("06_dirty_stream.jsonl")))
    notes = [event.note for event in events if isinstance(event, Tick)]
    assert notes[:-1] == ["connecting", "retrying", "waiting for permission", "waiting for permission"]
    assert "unknown" in notes[-1] and "somethingNew" in notes[-1]
    assert "somethingNew" in caplog.text


def test_a_completion_that_never_started_is_told():
    tools = tools_in(lines_of("06_dirty_stream.jsonl"))
    assert ("call-never-started", "denied", "denied by configuration") in [
        (tool.call_id, tool.status, tool.result) for tool in tools
    ]


def test_escape_codes_inside_the_answer_stay_as_they_are():
    *_, done = parse_stream(lines_of("06_dirty_stream.jsonl"))
    assert "\x1b[31mred\x1b[0m <script>" in done.text


def test_who_answers_and_what_it_thinks_and_counts_are_told():
    session, *thoughts, done = [
        event
        for event in parse_stream(lines_of("01_answer_partial.jsonl"))
        if isinstance(event, Session | Thinking | Done)
    ]
    assert (session.agent, session.model) == ("cursor", "Composer 2.5")
    assert "".join(thought.text for thought in thoughts).endswith("bits 5 and 2.")
    assert done.usage["outputTokens"] == 214


@each(
    "result, status, text",
    [
        ({"success": {"stdout": "x"}}, "ok", "x"),
        ({"success": {}}, "ok", ""),
        ({"toolNotFound": {"error": "no such tool"}}, "failed", "no such tool"),
        ({"permissionDenied": {"error": "no"}}, "denied", "no"),
        ({"isBackground": False, "success": {"content": "c"}}, "ok", "c"),
        ({"somethingElse": {"a": 1}}, "failed", '{"somethingElse": {"a": 1}}'),
    ],
)
def test_a_result_is_one_of_known_kinds_or_failed(result, status, text):
    (tool,) = tools_in(
        [call("completed", {"toolCallId": "1", "shellToolCall": {"args": {}, "result": result}})]
    )
    assert (tool.name, tool.status, tool.result) == ("shell", status, text)


def test_a_generic_function_call_is_named_by_its_own_name():
    (tool,) = tools_in([call("started", {"function": {"name": "plot", "arguments": '{"channel": 1}'}})])
    assert (tool.name, tool.arguments) == ("plot", {"channel": 1})


def test_a_run_whose_every_call_was_denied_is_told_as_such():
    denied = call("completed", {"mcpToolCall": {"result": {"rejected": {"reason": "no"}}}})
    *_, failure, done = parse_stream([denied, assistant("I could not look."), ended("I could not look.")])
    assert (failure.outcome, done.outcome, done.text) == ("tools-denied", "tools-denied", "I could not look.")
    assert "permissions.allow" in failure.remedy


def test_a_success_without_a_word_is_none():
    assert list(parse_stream([ended("")]))[-1].outcome == "no-result"


@each(
    "line",
    [
        b'{"type":"assistant"}',
        b'{"type":"assistant","message":"text"}',
        b'{"type":"assistant","message":{"content":[1,null,{"text":3}]}}',
        b'{"type":"tool_call","subtype":"started"}',
        b'{"type":"tool_call","subtype":"completed","tool_call":{"mcpToolCall":null}}',
        b'{"type":"tool_call","subtype":"completed","call_id":["x"],"tool_call":[]}',
        b'{"type":["assistant"]}',
        b'{"type":{"a":1},"subtype":[]}',
        b'{"type":"result","result":{"a":1},"usage":[1]}',
        b'{"type":"thinking","subtype":"delta","text":7}',
        b'{"a":' * 100_000,
        b"\xff\xfe{",
    ],
)
def test_a_line_of_the_wrong_shape_breaks_nothing(line):
    *_, done = parse_stream([line, assistant("still here"), ended("still here")])
    assert isinstance(done, Done)


def test_halves_of_a_character_can_be_stored():
    line = b'{"type":"assistant","message":{"content":[{"type":"text","text":"\\ud83d"}]},"timestamp_ms":1}'
    text, _ = parse_stream([line])
    assert to_json(text).encode()
