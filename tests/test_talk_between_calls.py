"""What an agent says between its calls: paragraphs, with the steps or in the answer."""

import io
import json
import zipfile
from itertools import pairwise
from pathlib import Path

from cases import each

import db
from instrumentgpt.__main__ import main
from instrumentgpt.agents.answer import answer_text, paragraphs
from instrumentgpt.agents.events import Done, Text, Tool
from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.agents.stream_parser import HANDS_OVER
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.storage.export import exported
from instrumentgpt.storage.runs import get_prompt, list_prompts, list_runs
from instrumentgpt.storage.search import search
from instrumentgpt.turn.close import events_of
from instrumentgpt.ui.progress import Progress, advance

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared" / "agents"
STREAMS = sorted(
    [*HERE.glob("captures/*/*.jsonl"), *HERE.glob("transcripts/*/*.jsonl")]
    + [path for path in SHARED.glob("*/*.jsonl") if not path.name.startswith("acp")]
)
WHOLE = "## Result\n\nChannel 2 swings by 2.7 °C every 45 s.\n\n- kp is too high\n- ki is fine"
FOUND = "The 12 V rail reads 11.93 V, which is inside the window. No fault found."
LOOK, CHECK, DRAW = "I will read the device first.", "Now I run the checks.", "And draw the channel."
RECORD = "I put it on record."


def agent_of(path):
    known = {path.parent.name, path.name.split("-")[0]} & set(AGENTS)
    return known.pop() if known else "cursor"


def events_in(path):
    return list(AGENTS[agent_of(path)].parse(path.read_bytes().split(b"\n")))


def told_by(events):
    """Return what the page shows: remarks and steps in order, and the paragraphs of the answer."""
    progress = advance(Progress(), enumerate(events, start=1))
    timeline = [one.text if isinstance(one, Text) else one.name for one in progress.timeline()]
    return timeline, [text for _, text in progress.answer() if text]


def is_in_order(parts, text):
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


@each("path", STREAMS)
def test_every_stream_is_told_once_in_order_and_in_paragraphs(path):
    events = events_in(path)
    said = {event.segment: "" for event in events if isinstance(event, Text)}
    for event in events:
        if isinstance(event, Text):
            said[event.segment] = event.text if event.whole else said[event.segment] + event.text
    timeline, answer = told_by(events)
    steps = {event.name for event in events if isinstance(event, Tool)}
    remarks = [one for one in timeline if one not in steps]
    assert [*remarks, *answer] == [text for text in said.values() if text]
    assert events[-1].text == paragraphs(answer) == answer_text(events)
    assert not any(before + after in events[-1].text for before, after in pairwise(said.values()) if after)


def cursor_lines(said, partial=True):
    """Return a stream of Cursor that says words and calls tools: (name,) is ours, [name] its own."""
    lines, recapped = [], ""
    for number, one in enumerate(said):
        if isinstance(one, str):
            message = {"content": [{"type": "text", "text": one}]}
            lines += [{"type": "assistant", "message": message, "timestamp_ms": number}] * partial
            if number + 1 < len(said):
                lines.append(
                    {"type": "assistant", "message": message, "timestamp_ms": 1, "model_call_id": "m"}
                )
            recapped += one
        else:
            args = {"toolName": one[0], "providerIdentifier": "instrumentgpt"}
            body = {"mcpToolCall": {"args": args}} if isinstance(one, tuple) else {f"{one[0]}ToolCall": {}}
            for subtype in ("started", "completed"):
                lines.append(
                    {"type": "tool_call", "subtype": subtype, "call_id": str(number), "tool_call": body}
                )
    lines.append({"type": "result", "subtype": "success", "is_error": False, "result": recapped})
    return [json.dumps(line).encode() for line in lines]


@each(
    "said, timeline, answer",
    [
        (
            [LOOK, ("fetch_log",), CHECK, ("diagnose_log",), DRAW, ("plot_log",), WHOLE],
            [LOOK, "fetch_log", CHECK, "diagnose_log", DRAW, "plot_log"],
            [WHOLE],
        ),
        (
            [RECORD, ("record_finding",), WHOLE],
            [RECORD, "record_finding"],
            [WHOLE],
        ),
        (
            [LOOK, ["shell"], FOUND, ("record_finding",), "Done."],
            [LOOK, "shell", "record_finding"],
            [FOUND, "Done."],
        ),
        ([LOOK, ["shell"], FOUND, ("record_finding",)], [LOOK, "shell", "record_finding"], [FOUND]),
        ([LOOK, ["shell"], WHOLE, ["write"], "Done."], [LOOK, "shell", "write"], [WHOLE, "Done."]),
        ([LOOK, ["shell"], "37 °C."], [LOOK, "shell"], ["37 °C."]),
        ([LOOK, ["shell"]], ["shell"], [LOOK]),
        ([WHOLE], [], [WHOLE]),
        ([["shell"], ["read"], FOUND], ["shell", "read"], [FOUND]),
    ],
)
def test_the_answer_is_what_was_said_last_unless_it_was_given_before(said, timeline, answer):
    for partial in (True, False):
        events = list(AGENTS["cursor"].parse(cursor_lines(said, partial)))
        assert told_by(events) == (timeline, answer)
        assert events[-1] == Done("ok", paragraphs(answer))


def test_the_tools_that_hand_over_are_ours():
    assert set(TOOLS) > set(HANDS_OVER)


def test_deltas_without_a_recap_are_split_where_a_call_stands():
    """Gemini recaps nothing."""
    deltas = [
        {"type": "message", "role": "assistant", "content": word, "delta": True} for word in (LOOK, FOUND)
    ]
    call = {"type": "tool_use", "tool_id": "1", "tool_name": "read_file"}
    ends = [{"type": "tool_result", "tool_id": "1", "status": "success"}, deltas[1]]
    lines = [deltas[0], call, *ends, {"type": "result", "status": "success"}]
    assert told_by(AGENTS["gemini"].parse([json.dumps(one).encode() for one in lines])) == (
        [LOOK, "read_file"],
        [FOUND],
    )


def test_while_it_grows_a_remark_is_text_until_its_call_begins():
    events = list(AGENTS["cursor"].parse(cursor_lines([LOOK, ["shell"], FOUND])))
    first_call = next(place for place, event in enumerate(events) if isinstance(event, Tool))
    spoken = next(place for place, event in enumerate(events) if isinstance(event, Text))
    assert told_by(events[: spoken + 1]) == ([], [LOOK])
    assert told_by(events[:first_call]) == ([LOOK], [])


def test_stored_exported_searched_and_told_again_are_the_paragraphs_of_the_answer(
    cli_agent, conversation, database, capsys
):
    cli_agent("fake_agent.py", "talks")
    ask = ["ask", "--agent", "cursor", "--conversation", conversation]
    assert main([*ask, "why does it swing?"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{WHOLE}\n" and is_in_order((LOOK, CHECK, "diagnose_log", DRAW), printed.err)
    message = db.list_messages(database, conversation)[-1]
    chart = f"<!-- PLOTLY_CHART:{db.list_artifacts(database, message.id)[0].id} -->"
    assert message.content == f"{chart}\n\n{WHOLE}"
    timeline, _ = told_by(events_of(database, list_runs(database, conversation)[0].id))
    assert [one for one in timeline if " " in one] == [LOOK, CHECK, DRAW, RECORD]
    with zipfile.ZipFile(io.BytesIO(exported(database, conversation))) as archive:
        assert WHOLE in archive.read("conversation.md").decode()
    (hit,) = [one for one in search(database, "kp is too high") if one.message_id == message.id]
    assert "kp is too high" in hit.text
    assert main([*ask, "and ki?"]) == 0
    newest = get_prompt(database, conversation, list_prompts(database, conversation)[-1][0])
    assert "Channel 2 swings by 2.7 °C every 45 s.\n" in newest.text and CHECK not in newest.text
