"""A panel whose process is killed in the middle: resumed where it was, and nothing is paid twice."""

import os
import signal
from contextlib import closing
from pathlib import Path

import pytest
from panel_script import proposed, says, sums_up
from waiting import wait_for

import db
from instrumentgpt.modes.panel.session import read_progress
from instrumentgpt.settings import database_path
from instrumentgpt.storage.panels import latest_panel, list_steps
from instrumentgpt.storage.runs import get_run
from instrumentgpt.turn import runs

PARTS = ((1, "tuning sensing", ()), (2, "tuning power", (1,)), (3, "sensing tuning", (2,)))


def script(*first):
    """Every expert answers at once, but for what `first` says."""
    held = [
        says(expert, part, f"{expert} holds {part}.5 °C of sub-problem {max(1, part - 1)}.", cause="")
        for part, names, _ in PARTS
        for expert in names.split()
    ]
    return [*first, *held, *sums_up()]


@pytest.fixture
def conversation():
    with closing(db.connect(database_path())) as database:
        made = db.create_conversation(database)
        proposed(database, made, *PARTS)
        return made


def state_of(conversation: str):
    with closing(db.connect(database_path())) as database:
        return read_progress(database, conversation), list_steps(
            database, latest_panel(database, conversation).id
        )


def begun_up_to_part_two(conversation: str) -> str:
    run = runs.start(database_path(), conversation, "yes", mode="panel", agent="scripted")
    wait_for(lambda: any(one.key.sub_problem == 2 for one in state_of(conversation)[1]))
    return run


def kill(run: str) -> None:
    with closing(db.connect(database_path())) as database:
        os.kill(get_run(database, run).pid, signal.SIGKILL)
    wait_for(lambda: run in runs.reap(database_path()) or not alive(run))


def alive(run: str) -> bool:
    with closing(db.connect(database_path())) as database:
        return get_run(database, run).status == "running"


@pytest.mark.soak
def test_a_killed_panel_is_resumed_at_its_sub_problem_and_pays_nothing_twice(scripted, conversation):
    scripted(*script(says("power", 2, "48 %.", {"delay": 600})))
    kill(begun_up_to_part_two(conversation))
    progress, before = state_of(conversation)
    assert progress.panel.status == "running" and progress.reached == 2
    done = {one.key for one in before if one.key.stage in ("contribution", "synthesis")}
    assert {(key.sub_problem, key.expert) for key in done if key.stage == "contribution"} == {
        (1, "tuning"),
        (1, "sensing"),
        (2, "tuning"),
    }
    refused = [  # whoever is asked again what is done already fails, and would be seen
        {
            "task": "panel_contribution",
            "given": {"expert": f'"code": "{key.expert}"', "sub_problem": f'"id": {key.sub_problem},'},
            "error": "asked twice",
        }
        for key in done
        if key.stage == "contribution"
    ]
    scripted(*script(*refused))
    events = list(runs.consume(database_path(), conversation, "continue", mode="panel", agent="scripted"))
    assert events[-1].outcome == "ok"
    assert "Resumed at sub-problem 2" in events[-1].text and "asked twice" not in events[-1].text
    progress, after = state_of(conversation)
    assert progress.panel.status == "done" and [one.status for one in progress.parts] == ["done"] * 3
    kept = {one.key: (one.tokens_in, one.done_at) for one in before}
    assert kept.items() <= {one.key: (one.tokens_in, one.done_at) for one in after}.items()


@pytest.mark.soak
def test_no_agent_of_the_killed_panel_goes_on(scripted, conversation):
    scripted(*script(says("power", 2, "48 %.", {"delay": 600})))
    run = begun_up_to_part_two(conversation)
    assert wait_for(lambda: len(of_run(run)) > 1), "the panel's process, and an agent that it asks"
    kill(run)
    assert wait_for(lambda: not of_run(run))


def of_run(run: str) -> list[str]:
    """Return the processes that carry the run's mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if run.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found
