"""The offline analyst's stream has the shapes of Cursor's, so that one reader serves both."""

import io
import json

from instrumentgpt.agents.offline.wire import Wire


def spoken(form="stream-json", partial=True):
    stream = io.StringIO()
    wire = Wire(stream, form, partial)
    wire.open("/srv/bench")
    wire.hear("why?")
    wire.say("Reading ")
    wire.say("the log.\n")
    wire.call("diagnose_log", {"log": "a.log"}, lambda name, given: {"summary": f"{name} {given['log']} 好"})
    wire.say("ha")
    wire.say("ha")
    wire.close()
    return stream.getvalue()


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_first_event_names_the_session_and_the_last_is_the_result():
    stream = events(spoken())
    assert (stream[0]["type"], stream[0]["subtype"]) == ("system", "init")
    assert stream[-1]["type"] == "result"
    assert {event["session_id"] for event in stream} == {stream[0]["session_id"]}


def test_deltas_carry_a_time_and_no_call_and_recaps_do_not():
    answers = [event for event in events(spoken()) if event["type"] == "assistant"]
    deltas = [event for event in answers if "timestamp_ms" in event and "model_call_id" not in event]
    assert [event["message"]["content"][0]["text"] for event in deltas] == [
        "Reading ",
        "the log.\n",
        "ha",
        "ha",
    ]
    recaps = [event["message"]["content"][0]["text"] for event in answers if event not in deltas]
    assert recaps == ["Reading the log.\n", "haha"]


def test_without_partial_output_only_whole_segments_are_printed():
    answers = [event for event in events(spoken(partial=False)) if event["type"] == "assistant"]
    assert [event["message"]["content"][0]["text"] for event in answers] == ["Reading the log.\n", "haha"]


def test_the_result_holds_the_whole_answer_and_the_usage():
    result = events(spoken())[-1]
    assert (result["subtype"], result["is_error"]) == ("success", False)
    assert result["result"] == "Reading the log.\nhaha"
    assert result["usage"]["inputTokens"] == 0


def test_a_tool_call_is_an_mcp_call_of_our_server_with_one_json_text():
    started, completed = (event for event in events(spoken()) if event["type"] == "tool_call")
    asked = started["tool_call"]["mcpToolCall"]["args"]
    assert asked == {
        "name": "instrumentgpt-diagnose_log",
        "args": {"log": "a.log"},
        "providerIdentifier": "instrumentgpt",
        "toolName": "diagnose_log",
        "toolCallId": started["call_id"],
    }
    success = completed["tool_call"]["mcpToolCall"]["result"]["success"]
    assert completed["call_id"] == started["call_id"] and success["isError"] is False
    assert json.loads(success["content"][0]["text"]["text"]) == {"summary": "diagnose_log a.log 好"}


def test_a_tool_that_failed_is_marked_as_an_error():
    stream = io.StringIO()
    wire = Wire(stream)
    wire.call("fetch_log", {}, lambda name, given: {"error": "no such device"})
    assert events(stream.getvalue())[-1]["tool_call"]["mcpToolCall"]["result"]["success"]["isError"] is True


def test_the_start_of_a_call_is_printed_before_the_tool_runs():
    stream = io.StringIO()
    seen = []

    def slow(name, given):
        seen.append(events(stream.getvalue())[-1]["subtype"])
        return {}

    Wire(stream).call("diagnose_log", {}, slow)
    assert seen == ["started"]


def test_an_error_ends_in_a_result_that_says_so():
    stream = io.StringIO()
    wire = Wire(stream)
    wire.say("half")
    wire.close("the disk is full")
    result = events(stream.getvalue())[-1]
    assert (result["is_error"], result["subtype"], result["result"]) == (True, "error", "the disk is full")


def test_the_text_form_prints_the_answer_alone():
    assert spoken("text") == "Reading the log.\nhaha\n"


def test_the_json_form_prints_the_result_alone():
    (result,) = events(spoken("json"))
    assert result["type"] == "result"
