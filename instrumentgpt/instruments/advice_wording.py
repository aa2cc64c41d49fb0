"""Answers about gains as sentences, English and Traditional Chinese, from advice.toml."""

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.gains import Gains
from instrumentgpt.instruments.verdicts import Advice, Answer
from instrumentgpt.text.language import Language

SENTENCES = Path(__file__).with_name("advice.toml")
GAIN_UNITS = {"kp": "%/{unit}", "ki": "%/({unit}·s)", "kd": "%·s/{unit}"}
FRAGILE_PHASE = 45.0  # degrees; below it "good enough" is not what can be said


@cache
def _wordings() -> dict[str, Any]:
    return tomllib.loads(SENTENCES.read_text(encoding="utf-8"))


def sentences(subject: Answer | Advice, language: Language, unit: str = "°C") -> list[str]:
    """Return what to say about `subject`, the verdict first; every number carries its unit.

    unit  of the pv (`Log.unit`)
    """
    keys = _answer_keys(subject) if isinstance(subject, Answer) else _advice_keys(subject)
    numbers = _numbers(subject, unit)
    return [_wording(key)[language].format(**numbers) for key in keys]


def answer_text(answer: Answer, language: Language, unit: str = "°C") -> str:
    """Return the sentences on `answer` as one paragraph."""
    return ("" if language == "zh" else " ").join(sentences(answer, language, unit))


def advice_text(advice: Advice, language: Language, unit: str = "°C") -> str:
    """Return the sentences on `advice` as one paragraph."""
    return ("" if language == "zh" else " ").join(sentences(advice, language, unit))


def _wording(key: str) -> dict[str, str]:
    entry = _wordings()
    for part in key.split("."):
        entry = entry[part]
    return entry


def _answer_keys(answer: Answer) -> list[str]:
    keys = ["verdict.unknown" if math.isnan(answer.asked + answer.present) else f"verdict.{answer.verdict}"]
    keys.append(f"reason.{answer.reason}")
    if answer.experiment:
        keys.append(f"experiment.{answer.experiment}")
    proven = answer.numbers.get("proven")
    if answer.verdict != "yes" and isinstance(proven, float) and proven > answer.present:
        keys.append("proven")
    return keys + _grounds(answer.numbers)


def _advice_keys(advice: Advice) -> list[str]:
    if advice.present is None:
        keys = ["advice.refused", f"reason.{advice.reason}"]
    elif advice.proposed is not None:
        keys = ["advice.better", "benefit", "caution"]
    elif advice.reason == "good_enough" and float(advice.numbers["phase_now"]) < FRAGILE_PHASE:
        keys = ["advice.good_enough_fragile"]
    else:
        keys = [f"advice.{advice.reason}"]
    if advice.experiment:
        keys.append(f"experiment.{advice.experiment}")
    return keys + _grounds(advice.numbers)


def _grounds(numbers: dict[str, float | str]) -> list[str]:
    if "plant_gain" not in numbers:
        return []
    return ["model", "form", f"source.{numbers['source']}"]


def _numbers(subject: Answer | Advice, unit: str) -> dict[str, float | str]:
    found: dict[str, float | str] = {"channel": subject.channel, "unit": unit}
    found |= {"phase_margin": subject.phase_margin, "gain_margin": subject.gain_margin}
    if isinstance(subject, Answer):
        found |= {"gain": subject.gain, "present": subject.present, "asked": subject.asked}
        found["gain_unit"] = GAIN_UNITS[subject.gain].format(unit=unit)
    else:
        found["change"] = 100 * (subject.iae_ratio - 1)
        if subject.proposed is not None:
            new = subject.proposed
            found |= {"new_kp": new.kp, "new_ki": new.ki, "new_kd": new.kd}
    found |= subject.numbers
    if "ki" in found:
        now = Gains(float(found["kp"]), float(found["ki"]), float(found["kd"]))
        found |= {"band": now.proportional_band, "ti": now.ti, "td": now.td}
    return found
