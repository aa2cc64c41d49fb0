"""Tools called with what a person or a script wrote: texts become kinds, and what does not fit is said."""

import inspect

import pytest
from cases import each

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.tools import TOOLS
from instrumentgpt.instruments.tools.called import BadArguments, UnknownTool, call, needs, usage
from instrumentgpt.instruments.workspace import workspace

DEVICE = "zspr 052"


@pytest.fixture
def where(tmp_path):
    return workspace(cache=str(tmp_path / "cache"), artifacts=str(tmp_path / "artifacts"))


@pytest.fixture
def log(where):
    return call(where, "fetch_log", {"device": DEVICE})["log"]


@pytest.mark.parametrize("back", [1, "1", " 1 "])
def test_a_number_may_be_written_as_text(where, back):
    first = call(where, "fetch_log", {"device": DEVICE, "back": 0})["log"]
    assert call(where, "fetch_log", {"device": DEVICE, "back": back})["log"] != first


@pytest.mark.parametrize(
    ("channel", "count"), [("2", 1), (2, 1), ("all", 4), ("null", 4), ("", 4), ("None", 4), (None, 4)]
)
def test_a_number_may_be_none(where, log, channel, count):
    found = call(where, "channel_metrics", {"log": log, "device": DEVICE, "channel": channel})
    assert len(found["channels"]) == count


@pytest.mark.parametrize("lines", ["11,12", "[11, 12]", "11, 12,", [11, 12], ["11", "12"]])
def test_a_list_may_be_written_as_text(where, log, lines):
    given = {"text": "It holds", "log": log, "device": DEVICE, "lines": lines}
    (finding,) = call(where, "record_finding", given)["findings"]
    assert [one["line"] for one in finding["evidence"]] == [11, 12]


def test_a_number_where_a_text_is_wanted_is_its_text(where):
    with pytest.raises(InstrumentGPTError, match="'60' is not in the inventory"):
        call(where, "list_logs", {"device": 60})


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("fetch_log", {}, "fetch_log needs device. Usage: fetch_log device=… (log=…) (back=0)"),
        ("fetch_log", {"device": ""}, "fetch_log needs device"),
        ("read_lines", {"log": "x"}, "read_lines needs first"),
        ("compare_logs", {}, "compare_logs needs log and before"),
        ("fetch_log", {"devise": "x"}, "takes no 'devise'. Did you mean device?"),
        ("fetch_log", {"workspace": "x", "device": DEVICE}, "takes no 'workspace'"),
        ("fetch_log", {"device": DEVICE, "back": "1.5"}, "back='1.5' should be a valid integer"),
        ("fetch_log", {"device": DEVICE, "back": True}, "back=True is no number"),
        ("advise_gains", {"log": "x", "factor": "nan"}, "factor='nan' is no number"),
        ("advise_gains", {"log": "x", "gain": "kq"}, "gain='kq' should be 'kp', 'ki' or 'kd'"),
        ("record_finding", {"text": "a", "log": "x", "lines": "1,b"}, "should be a valid integer"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_usage(where, name, given, reason):
    with pytest.raises(BadArguments) as told:
        call(where, name, given)
    assert reason in str(told.value) and f"Usage: {name}" in str(told.value)


@pytest.mark.parametrize(
    ("name", "near"), [("fetch_logs", "fetch_log"), ("Diagnose_Log", "diagnose_log"), ("zzz", "")]
)
def test_an_unknown_tool_is_refused_with_the_one_that_was_meant_and_all_there_are(where, name, near):
    with pytest.raises(UnknownTool) as told:
        call(where, name, {})
    assert str(told.value).endswith(f"Tools: {', '.join(TOOLS)}")
    assert (f"Did you mean {near}?" in str(told.value)) == bool(near)


@each("name", TOOLS)
def test_the_usage_of_every_tool_names_its_arguments_and_says_which_it_needs(name):
    _, *own = inspect.signature(TOOLS[name]).parameters
    words = usage(name).split()
    assert words[0] == name and [word.strip("()").split("=")[0] for word in words[1:]] == own
    assert all(word.startswith("(") != needs(name, key) for key, word in zip(own, words[1:], strict=True))
