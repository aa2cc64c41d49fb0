"""How a run ended is judged from the stream first, then stop, clocks, stderr and exit code."""

from cases import each

from cursor_cli import SIGNS
from instrumentgpt.agents.events import Done
from instrumentgpt.agents.evidence import Evidence, judge

OK, CUT, SILENT = Done("ok", "It swings."), Done("no-result", "It sw"), Done("no-result", "")
LOGIN = "Error: Authentication required. Please run 'agent login' first."


@each(
    "done, evidence, outcome",
    [
        (OK, Evidence(exit_code=0), "ok"),
        (OK, Evidence(exit_code=-9), "ok"),
        (OK, Evidence(exit_code=1, stderr="a warning"), "ok"),
        (OK, Evidence(stopped=True), "ok"),
        (OK, Evidence(clock="too long"), "ok"),
        (Done("error", ""), Evidence(exit_code=0), "error"),
        (CUT, Evidence(exit_code=-15, stopped=True), "cancelled"),
        (CUT, Evidence(clock="too long"), "timeout"),
        (CUT, Evidence(exit_code=0), "no-result"),
        (SILENT, Evidence(exit_code=0), "no-result"),
        (SILENT, Evidence(exit_code=1), "error"),
        (SILENT, Evidence(exit_code=1, stderr=LOGIN), "not-logged-in"),
        (SILENT, Evidence(exit_code=0, stderr="Workspace Trust Required"), "untrusted"),
        (SILENT, Evidence(clock="said nothing", stderr=LOGIN), "not-logged-in"),
        (CUT, Evidence(exit_code=-9), "died"),
        (CUT, Evidence(exit_code=None), "no-result"),
    ],
)
def test_the_outcome_follows_the_evidence(done, evidence, outcome):
    failure, judged = judge(done, evidence, SIGNS)
    assert judged == outcome
    assert (failure is not None) == (done.outcome == "no-result" and not evidence.stopped)
    if failure is not None:
        assert failure.outcome == outcome and failure.text and failure.remedy


@each("stderr", ["the agent loginname is bob", "pirate limits", "my-unauthorizedness", "file --trusty"])
def test_words_inside_other_words_are_no_evidence(stderr):
    failure, _ = judge(SILENT, Evidence(exit_code=1, stderr=stderr), SIGNS)
    assert failure.outcome == "error"
    assert "another agent" in failure.remedy


def test_of_a_long_complaint_the_end_is_quoted():
    failure, _ = judge(SILENT, Evidence(exit_code=-6, stderr="x" * 5000 + " out of memory"), SIGNS)
    assert failure.text.endswith("out of memory")
    assert len(failure.text) < 1200
