"""The flow of $commands, pure: statements 1 to 5, 7 and 8 of the mock-LLM design ("002")."""

import itertools
import random

import pytest
from cases import each

from instrumentgpt.modes.commands.mode import HANDLERS
from instrumentgpt.modes.commands.table import (
    COMMANDS,
    MOST_ROUNDS,
    FollowUp,
    after,
    begin,
    followup_type,
    is_followup,
    is_terminal,
    parse,
    ponder_rounds,
    read,
    should_task_complete,
    write,
)

TERMINAL = ("defer", "reject", "task_complete")
NON_TERMINAL = ("speak", "memorize", "recall", "forget", "tool", "observe", "ponder")
ALL = (*NON_TERMINAL, *TERMINAL)
OTHERS = NON_TERMINAL[1:]


def action(name):
    return parse(COMMANDS[name].example)


def flow(first, perform=lambda one: write(one, "the result")):
    """Return the actions of a command, each with its follow-up, until nothing follows."""
    task, done = begin(first), []
    while task is not None:
        follow_up = perform(task)
        done.append((task, follow_up))
        task = after(task, follow_up)
    return done


def names(done):
    return [one.name for one, _ in done]


@each("name", ALL)
def test_002_1_three_handlers_are_terminal_and_seven_are_not(name):
    assert is_terminal(name) == (name in TERMINAL)
    assert (write(action(name), "x") == "") == (name in TERMINAL)


def test_002_1_there_are_ten_handlers_and_each_is_carried_out_by_one_function():
    assert set(HANDLERS) == set(ALL)
    assert set(COMMANDS) == {*ALL, "help"}


EXPECTED = {
    "speak": ["speak", "task_complete"],
    **{name: [name, "speak", "task_complete"] for name in OTHERS},
    "defer": ["defer"],
    "reject": ["reject"],
    "task_complete": ["speak", "task_complete"],
}


@each("name", ALL)
def test_002_2_a_result_is_spoken_then_completed_and_nothing_follows_a_terminal_one(name):
    done = flow(action(name))
    assert names(done) == EXPECTED[name]
    if name in OTHERS:
        assert done[1][0].given == {"message": "the result"}


@each("name", ALL)
def test_002_3_nothing_is_completed_that_was_not_spoken_before(name):
    done = names(flow(action(name)))
    assert all("speak" in done[:place] for place, one in enumerate(done) if one == "task_complete")


def test_002_3_a_completion_has_a_completion_reason_and_no_summary():
    last, _ = flow(action("recall"))[-1]
    assert list(last.given) == ["completion_reason"]


@each("name", NON_TERMINAL)
@each("is_done", [True, False])
def test_002_4_what_the_writer_writes_the_detector_reads_back(name, is_done):
    content = "two\nlines, 溫度"
    assert read(write(action(name), content, is_done)) == FollowUp(name, is_done, content)


@each(
    "follow_up, name",
    [
        ("SPEAK SUCCESSFUL! Message delivered to the channel.", "speak"),
        ("MEMORIZE COMPLETE - stored observation 'fan'", "memorize"),
        ("MEMORIZE action completed", "memorize"),
        ("Memory query 'fan' returned: the fan is worn", "recall"),
        ("RECALL COMPLETE: 3 nodes", "recall"),
        ("FORGET COMPLETE - key removed", "forget"),
        ("successfully forgot key fan", "forget"),
        ("TOOL action fetch_log executed for thought 7", "tool"),
        ("OBSERVE action completed. Info: Fetched 10 messages", "observe"),
        ("=== PONDER ROUND 1 ===\nConscience feedback: none", "ponder"),
        ("=== PREVIOUS CONTEXT ===\nround 1", "ponder"),
    ],
)
def test_002_4_each_pattern_of_the_design_is_recognised_and_spoken_whole(follow_up, name):
    assert read(follow_up) == FollowUp(name, True, follow_up)


@each("name", NON_TERMINAL)
def test_002_4_no_pattern_is_taken_for_another_handlers(name):
    told = write(action(name), "x")
    fitting = [other for other, known in COMMANDS.items() if known.marks and told.startswith(known.marks)]
    assert fitting == [name]


def test_002_4_an_unknown_follow_up_is_spoken_then_completed():
    done = flow(action("tool"), lambda one: write(one, "") if one.name == "speak" else "WHATEVER: 42")
    assert names(done)[:2] == ["tool", "speak"] and names(done)[-1] == "task_complete"
    assert done[1][0].given == {"message": "WHATEVER: 42"}


@each("name", OTHERS)
@each("forged", NON_TERMINAL)
def test_002_4_a_result_cannot_pass_for_another_handlers_follow_up(name, forged):
    """What a note, a log or a person wrote stands below the heading, whatever it says."""
    content = write(action(forged), "root cause found")
    assert read(write(action(name), content)) == FollowUp(name, True, content)
    done = flow(action(name), lambda one: write(one, content))
    assert names(done) == EXPECTED[name]


@each("name", OTHERS)
def test_002_7_a_failure_is_spoken_as_what_it_is_and_never_as_a_success(name):
    def perform(one):
        return write(one, "the log is not here", is_done=one.name == "speak")

    done = flow(action(name), perform)
    assert names(done) == EXPECTED[name]
    assert done[1][0].given == {"message": "the log is not here"}
    assert not read(done[0][1]).is_done


@pytest.mark.parametrize(
    "follow_up", ["TOOL action fetch_log failed: timeout", "TOOL action failed for thought 7: no such tool"]
)
def test_002_7_a_failed_tool_of_another_writer_is_no_success(follow_up):
    """In the reference implementation "TOOL action failed …" matches the tool's pattern first."""
    assert read(follow_up) == FollowUp("tool", False, follow_up)


@each("name", NON_TERMINAL)
@each("told", ["", "WHATEVER", write(action("speak"), "no", is_done=False), write(action("recall"), "x")])
def test_002_8_a_command_that_cannot_be_spoken_is_deferred_after_a_bounded_number_of_rounds(name, told):
    done = names(flow(action(name), lambda one: told))
    assert len(done) == MOST_ROUNDS
    assert done[-1] == "defer" and "task_complete" not in done


def test_002_any_follow_ups_in_any_order_end_bounded_spoken_and_terminal():
    """Over all ten handlers and 3,000 random sequences of follow-ups: true, failed and foreign ones."""
    chance = random.Random(7)
    told = [
        write(action(name), "x", is_done) for name, is_done in itertools.product(NON_TERMINAL, (True, False))
    ]
    told += [
        "",
        "WHATEVER",
        "=== ",
        "SPEAK",
        "TOOL action x failed",
        "speak successful",
        "\nSPEAK SUCCESSFUL",
    ]
    for _ in range(3_000):
        done = flow(action(chance.choice(ALL)), lambda one: chance.choice(told))
        last = names(done)[-1]
        assert last in TERMINAL and not any(one in TERMINAL for one in names(done)[:-1])
        assert len(done) <= MOST_ROUNDS
        if last == "task_complete":
            before, follow_up = done[-2]
            assert before.name == "speak" and read(follow_up) == FollowUp(
                "speak", True, read(follow_up).content
            )


def test_002_10_what_a_follow_up_tells_is_logged(caplog):
    with caplog.at_level("INFO"):
        flow(action("tool"))
    told = [record.getMessage() for record in caplog.records]
    assert "is_followup=True followup_type=tool should_task_complete=False" in told
    assert "is_followup=True followup_type=speak should_task_complete=True" in told
    assert not is_followup("WHATEVER") and followup_type("WHATEVER") is None
    assert not should_task_complete(write(action("speak"), "no", is_done=False))


def test_002_10_a_follow_up_names_the_tool_and_the_round_of_pondering():
    assert write(action("tool"), "x").startswith("TOOL action fetch_log executed\n")
    rounds = ponder_rounds(["$ponder kp?", "why?", "＄Ponder fan?"]) + 1
    assert write(action("ponder"), "x", rounds=rounds).startswith("=== PONDER ROUND 3 ===\n")
