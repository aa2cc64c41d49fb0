"""`python -m instrumentgpt panel`: the whole panel in a terminal, approved by a word or a flag."""

import subprocess
import sys

import pytest
from faulty_logs import written

from instrumentgpt.settings import DEMO_INVENTORY

pytestmark = pytest.mark.usefixtures("forked", "judged_before")

LOG = DEMO_INVENTORY.parent / "logs" / "zspr_053" / "InstrumentDebug_2026-02-20_08-47-19.73.log.gz"


def panel(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "instrumentgpt", "panel", "--agent", "offline", *words]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=250)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, warm_server):
    """A panel on a log, approved by the flag."""
    home = tmp_path_factory.mktemp("home")
    log = written("heater_degradation", home)
    (home / "warm.sock").symlink_to(warm_server)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSTRUMENTGPT_HOME", str(home))
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
