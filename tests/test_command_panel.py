"""`python -m instrumentgpt panel`: the whole panel in a terminal, approved by a word or a flag."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import pytest
from faulty_logs import written

from instrumentgpt.__main__ import main
from instrumentgpt.settings import DEMO_INVENTORY

pytestmark = pytest.mark.usefixtures("forked", "judged_before")

LOG = DEMO_INVENTORY.parent / "logs" / "zspr_053" / "InstrumentDebug_2026-02-20_08-47-19.73.log.gz"


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def panel(*words: str, typed: str = "") -> Done:
    """Run the command in this process, with what is piped into it."""
    with (
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as complaints,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(["panel", "--agent", "offline", *words])
    return Done(code, out.getvalue(), complaints.getvalue())


@pytest.fixture(scope="module")
def whole(tmp_path_factory, warm_server):
    """A panel on a log, approved by the flag."""
    home = tmp_path_factory.mktemp("home")
    log = written("heater_degradation", home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSTRUMENTGPT_HOME", str(home))
        patch.setenv("INSTRUMENTGPT_WARM", warm_server)
        return panel("加熱器還是感測器？", "--log", str(log), "--yes")


def test_it_prints_every_stage_in_the_language_of_the_question(whole):
    assert whole.returncode == 0, whole.stderr
    for text in (
        "個子問題",
        "### 子問題 2／3",
        "✓ 承接子問題",
        "| 專家 | 主張 |",
        "### 結論",
        "expert_memory",
    ):
        assert text in whole.stdout
    assert "加熱或冷卻衰退" in whole.stdout.partition("### 結論")[2]


def test_what_the_tools_do_goes_to_standard_error(whole):
    assert "… diagnose_log" in whole.stderr and "… diagnose_log" not in whole.stdout


def test_without_approval_nobody_is_asked(tmp_path):
    done = panel("why?", "--log", str(written("heater_degradation", tmp_path)), typed="no\n")
    assert done.returncode == 0 and "0 experts were asked" in done.stdout
    assert "### Sub-problem" not in done.stdout


def test_where_the_checks_leave_one_cause_alive_one_answer_is_enough():
    done = panel("why?", "--log", str(LOG), "--yes")
    assert done.returncode == 0 and "one answer is enough" in done.stdout


def test_without_a_terminal_it_says_how_to_approve(tmp_path):
    done = panel("why?", "--log", str(written("heater_degradation", tmp_path)))
    assert done.returncode == 1 and "Give --yes" in done.stderr


def test_a_log_that_cannot_be_read_is_named(tmp_path):
    done = panel("why?", "--log", str(tmp_path / "none.log"), "--yes")
    assert done.returncode == 1 and "none.log" in done.stderr
