"""Bytes become lines, lines become JSON objects, whatever comes between."""

import json

from cases import each

from instrumentgpt.agents.stream import LineSplitter, clean, json_objects


def fed(splitter, *chunks):
    return [line for chunk in chunks for line in splitter.feed(chunk)]


@each("size", [1, 2, 3, 5, 8, 100])
def test_lines_do_not_depend_on_how_they_were_cut(size):
    whole = '{"a": "溫度"}\n\n{"b": 1}\nrest'.encode()
    splitter = LineSplitter()
    lines = fed(splitter, *(whole[at : at + size] for at in range(0, len(whole), size)))
    assert lines == ['{"a": "溫度"}'.encode(), b"", b'{"b": 1}']
    assert splitter.rest() == b"rest"
    assert splitter.rest() == b""


def test_a_line_over_the_cap_is_dropped_and_counted_and_the_next_is_read():
    splitter = LineSplitter(longest=10)
    assert fed(splitter, b"x" * 8, b"x" * 8, b"x" * 8 + b"\nok\n" + b"y" * 11 + b"\n") == [b"ok"]
    assert splitter.dropped == 2


def test_a_line_at_the_cap_is_read():
    assert fed(LineSplitter(longest=10), b"x" * 10 + b"\n") == [b"x" * 10]


def test_a_dropped_line_without_an_end_keeps_nothing():
    splitter = LineSplitter(longest=10)
    assert fed(splitter, b"x" * 1000) == []
    assert splitter.rest() == b""
    assert splitter.dropped == 1


@each(
    "line",
    [
        b'{"a":1}\r\n',
        b'\x1b[2K\x1b[1G{"a":1}',
        b'\x1b]0;title\x07{"a":1}',
        b'stdout: {"a":1}',
        b' stdout:{"a":1}',
        b'\x00{"a":1}\x00',
        b'\x1b[?25h{"a":1}\x1b[0m',
    ],
)
def test_what_terminals_and_wrappers_add_is_taken_off(line):
    assert clean(line) == '{"a":1}'


def test_bytes_that_are_no_utf8_cost_only_themselves():
    assert list(json_objects([b'{"a": "\xff"}', b'{"b": "\xe6\xba"}'])) == [{"a": "\ufffd"}, {"b": "\ufffd"}]


@each("line", [b"", b"null", b"42", b'"text"', b"[]", b'{"a":', b"{}}", b"[" * 100_000, b"{nan}"])
def test_what_is_no_object_is_passed_over(line):
    assert [found for found in json_objects([line, b'{"a": 1}']) if found] == [{"a": 1}]


def test_a_character_split_into_halves_is_joined():
    (found,) = json_objects([json.dumps({"a": "😀"}).encode()])
    assert found == {"a": "😀"}
    (found,) = json_objects([b'{"a": "\\ude00 \\ud83d"}'])
    assert found["a"].encode()
