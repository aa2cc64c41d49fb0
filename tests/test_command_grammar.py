"""What can be typed after `$`, and what it means: statement 5 of the mock-LLM design ("002")."""

import pytest
from cases import each

from instrumentgpt.modes.commands.table import (
    COMMANDS,
    ID_CHARACTERS,
    TEXT_CHARACTERS,
    BadCommand,
    is_command,
    parse,
    phrase,
)


@each(
    "text, name, given",
    [
        ("$speak The oven is free", "speak", {"message": "The oven is free"}),
        ("$recall kp of 052", "recall", {"query": "kp of 052"}),
        ("$recall風扇", "recall", {"query": "風扇"}),
        ("＄Ｒｅｃａｌｌ 風扇", "recall", {"query": "風扇"}),
        ("  $ RECALL fan\nand relay ", "recall", {"query": "fan\nand relay"}),
        ("$forget fan it was replaced", "forget", {"id": "fan", "reason": "it was replaced"}),
        ("$ponder what?; why？ ；誰", "ponder", {"questions": ["what?", "why？", "誰"]}),
        ("$observe", "observe", {"where": ""}),
        ("$observe 052 2", "observe", {"where": "052 2"}),
        ("$defer 請人看一下", "defer", {"reason": "請人看一下"}),
        ("$reject no", "reject", {"reason": "no"}),
        ("$task_complete", "task_complete", {"completion_reason": ""}),
        ("$task-complete all is well", "task_complete", {"completion_reason": "all is well"}),
        ("$help", "help", {"command": ""}),
        ("$help $recall", "help", {"command": "recall"}),
        ("$tool list_devices", "tool", {"tool": "list_devices", "arguments": {}}),
        (
            "$tool read_lines log='a b.log' first=1 last=3",
            "tool",
            {"tool": "read_lines", "arguments": {"log": "a b.log", "first": "1", "last": "3"}},
        ),
        (
            '$tool diagnose_log {"log": "a.log", "channel": 2}',
            "tool",
            {"tool": "diagnose_log", "arguments": {"log": "a.log", "channel": 2}},
        ),
        ("$tool x query=a=b", "tool", {"tool": "x", "arguments": {"query": "a=b"}}),
    ],
)
def test_002_5_a_command_is_read(text, name, given):
    assert is_command(text)
    assert (parse(text).name, parse(text).given) == (name, given)


@each(
    "words, kind, scope, text",
    [
        ("fan", "note", "conversation", "fan"),
        ("fan The fan is worn", "note", "conversation", "The fan is worn"),
        ("fan warning The fan is worn", "warning", "conversation", "The fan is worn"),
        ("fan fact device It has two", "fact", "device", "It has two"),
        ("fan global fact It has two", "fact", "global", "It has two"),
        ("fan global", "note", "global", "fan"),
        ("風扇 警告 裝置 已磨損", "warning", "device", "已磨損"),
        ('fan "device is old"', "note", "conversation", "device is old"),
        ("fan 「事實」", "note", "conversation", "事實"),
        ("fan devices differ", "note", "conversation", "devices differ"),
        ("fan one\ntwo", "note", "conversation", "one\ntwo"),
    ],
)
def test_002_5_memorize_takes_an_id_then_type_and_scope_where_they_are_named(words, kind, scope, text):
    given = parse(f"$memorize {words}").given
    assert (given["kind"], given["scope"], given["text"]) == (kind, scope, text)


def test_002_5_there_are_eleven_commands():
    handlers = ["speak", "memorize", "recall", "forget", "ponder", "tool", "observe", "defer", "reject"]
    assert list(COMMANDS) == [*handlers, "task_complete", "help"]


@each("name", COMMANDS)
def test_002_5_the_example_of_each_command_is_one(name):
    assert parse(COMMANDS[name].example).name == name


@each(
    "text",
    [
        "$speak",
        "$memorize",
        "$recall ",
        "$forget",
        "$forget fan",
        "$ponder ; ;",
        "$tool",
        "$defer",
        "$reject",
    ],
)
def test_002_5_missing_arguments_give_the_usage_and_an_example(text):
    with pytest.raises(BadCommand) as told:
        parse(text)
    name = text.split()[0][1:]
    assert told.value.fields == {"usage": COMMANDS[name].usage(name), "example": COMMANDS[name].example}
    for language in ("en", "zh"):
        assert COMMANDS[name].example in phrase(told.value.key, language, **told.value.fields)


@each(
    "text, near",
    [
        ("$recal fan", "$recall"),
        ("$memorise x", "$memorize"),
        ("$taskcomplete", "$task_complete"),
        ("$HELPP", "$help"),
    ],
)
def test_002_5_an_unknown_command_is_answered_with_the_one_that_was_meant(text, near):
    with pytest.raises(BadCommand) as told:
        parse(text)
    assert told.value.key == "meant" and told.value.fields["near"] == near
    assert all(f"`{near}`" in phrase("meant", language, **told.value.fields) for language in ("en", "zh"))


@each("text", ["$", "$zzz", "$說明", "$$help", "$;"])
def test_002_5_an_unknown_command_lists_those_there_are(text):
    assert is_command(text)
    with pytest.raises(BadCommand) as told:
        parse(text)
    assert told.value.fields["known"].split() == [f"`${name}`" for name in COMMANDS]


@each("text", ["why?", "", "what is $help?", "$20 for a sensor?", "$ 20", "＄100 的感測器好嗎？", "kp $x"])
def test_what_does_not_begin_with_a_command_is_none(text):
    assert not is_command(text)


@each(
    "text, key",
    [
        ('$tool x {"a":', "bad_arguments"),
        ("$tool x log", "bad_arguments"),
        ("$tool x =2", "bad_arguments"),
        ("$tool x log='a", "bad_arguments"),
        (f"$memorize {'x' * (ID_CHARACTERS + 1)} y", "too_long"),
        (f"$memorize x {'y' * (TEXT_CHARACTERS + 1)}", "too_long"),
        ("$tool x {" + '"a":[' * 100_000, "bad_arguments"),
    ],
)
def test_what_cannot_be_read_says_why(text, key):
    with pytest.raises(BadCommand) as told:
        parse(text)
    assert told.value.key == key
    assert all(phrase(key, language, **told.value.fields) for language in ("en", "zh"))
