"""Why a verdict is not given is said in English and in Chinese, with what would help."""

import math

import pytest
from cases import each

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.findings import Withheld
from instrumentgpt.instruments.language import language_of, table

KEYS = table(wording.TOLD)["withheld"]
NUMBERS = {
    "swing": 0.5,
    "error": -0.2,
    "rate": 0.05,
    "overshoot": 2.0,
    "percent": 20.0,
    "count": 2,
    "holds": 5,
    "size": 8.0,
    "line": 120,
    "needed": 60.0,
    "period": 1.0,
    "text": "±0.5 °C",
}
REASONS = sorted(KEYS.keys() - {"missing", "place"})


@each("key", REASONS)
@each("language", ["en", "zh"])
def test_every_reason_is_a_sentence_in_its_language(key, language):
    said = wording.withheld_reason(Withheld("healthy", 2, {key: NUMBERS}), language)
    assert language_of(said) == language
    assert "{" not in said


def test_several_reasons_are_joined():
    doubts = {"unsettled": {}, "off_setpoint": {"error": 1.25}}
    said = wording.withheld_reason(Withheld("healthy", 1, doubts), "en")
    assert said == "it never settled in this log; its mean error while holding is 1.25"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_missing_period_is_asked_for(language):
    assert "--period" in wording.withheld_remedy(Withheld("saturation", missing=("period",)), language)


@pytest.mark.parametrize(
    "fault, channel, named", [("saturation", None, "輸出飽和"), ("healthy", 3, "，通道 3")]
)
def test_a_verdict_is_named_with_its_channel(fault, channel, named):
    assert wording.withheld_title(Withheld(fault, channel), "zh").endswith(named)


@pytest.mark.parametrize(
    "language, told", [("en", "channel 3: it swings ±0.50"), ("zh", "通道 3：保持時波動 ±0.50")]
)
def test_why_a_channel_is_not_called_healthy_is_told_with_it(language, told):
    withheld = [
        Withheld("healthy", 3, {"swings": {"swing": 0.5, "period": math.nan}}),
        Withheld("saturation", missing=("output",)),
    ]
    assert told in wording.not_healthy(withheld, language)
    assert wording.not_healthy(withheld[1:], language) == ""
