"""What was judged of a log is kept by content, and says the same as judging it anew."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instrumentgpt.instruments.advice import advise
from instrumentgpt.instruments.diagnosis import diagnose, rows, spoiled
from instrumentgpt.instruments.kept_verdicts import advised, diagnosed, identified
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.plant import Refusal, identify

DEMO = Path(__file__).parents[1] / "demo/logs"
LOGS = ("zspr_051", "zspr_052", "zspr_055")


def verdicts(cache: Path) -> list[Path]:
    return sorted(cache.glob("*.verdict"))


@pytest.fixture
def log(tmp_path):
    return read_log(next((DEMO / "zspr_051").iterdir()), cache=tmp_path)


@pytest.mark.parametrize("device", LOGS)
def test_a_kept_diagnosis_and_its_models_say_what_judging_says(device, tmp_path):
    log = read_log(next((DEMO / device).iterdir()), cache=tmp_path)
    judged = diagnose(log)
    diagnosed(log)
    kept = diagnosed(log)
    assert rows(kept) == rows(judged)
    assert repr((kept.channels, kept.findings, kept.withheld)) == repr(
        (judged.channels, judged.findings, judged.withheld)
    )
    for channel, loop in loops_of(log).items():
        model = identify(loop, spoiled(judged, channel), log.unit)
        identified(kept, loop)
        again = identified(kept, loop)
        assert repr(again) == repr(model)
        if not isinstance(model, Refusal):
            np.testing.assert_array_equal(again.models, model.models)
        assert [repr(advised(log, model)) for _ in range(2)] == [repr(advise(model))] * 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"findings": 1}', '{"channels": [{}]}'])
def test_a_damaged_verdict_is_judged_again_and_kept(log, tmp_path, content):
    findings = rows(diagnosed(log))
    (path,) = verdicts(tmp_path)
    whole = path.read_text()
    path.write_text(content)
    assert rows(diagnosed(log)) == findings
    assert path.read_text() == whole


def test_a_kept_verdict_is_read_and_not_judged_again(log, tmp_path):
    diagnosed(log)
    (path,) = verdicts(tmp_path)
    path.write_text(path.read_text().replace('"severity": "', '"severity": "in'))
    assert all(finding.severity.startswith("in") for finding in diagnosed(log).findings)


def test_a_log_without_a_frame_keeps_nothing(log, tmp_path):
    diagnosed(replace(log, kept=None))
    assert not verdicts(tmp_path)
