"""Answers about gains as sentences, English and Traditional Chinese, from advice.toml."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.tuning.gains import Advice, Answer, Gains

SENTENCES = Path(__file__).with_name("advice.toml")
word = partial(phrase, SENTENCES)
GAIN_UNITS = {"kp": "%/{unit}", "ki": "%/({unit}·s)", "kd": "%·s/{unit}"}
TOLD_TOGETHER = (  # reasons that several channels can share
    "no_output", "short", "quiet", "no_gains", "no_temperature", "switches", "every_model", "no_model",
    "good_enough",
)  # fmt: skip
PERCENT = (1.0, 100.0)  # scales of an output that is a percentage, or a share
FRAGILE_PHASE = 45.0  # degrees; below it "good enough" is not what can be said


def sentences(
    subject: Answer | Advice, language: Language, unit: str = "°C", scale: float = 1.0
) -> list[str]:
    """Return what to say about `subject`, the verdict first; every number carries its unit.

    unit   of the pv (`Log.unit`)
    scale  percent per unit of the output as the log has it (`Log.output_scale`)
    """
    texts = group_sentences([subject], language, unit)
    numbers = _numbers(subject, unit)
    if "new_kp" in numbers and scale not in PERCENT and subject.reason != "back":
        own = {f"own_{name}": float(numbers[f"new_{name}"]) / scale for name in GAIN_UNITS}
        texts[0] += ("" if language == "zh" else " ") + word("own_unit", language, scale=scale, **own)
    return texts


def model_sentence(advice: Advice, language: Language, unit: str = "°C") -> str:
    """Return what is said of the plant that the log shows, "" if it shows none."""
    return word("model", language, **_numbers(advice, unit)) if "plant_gain" in advice.numbers else ""


def grouped(subjects: Sequence[Answer] | Sequence[Advice]) -> list[list[Any]]:
    """Return `subjects` in groups that can be told in one breath: the same verdict for the same reason."""
    groups: dict[Any, list[Any]] = {}
    for subject in subjects:
        together = subject.reason in TOLD_TOGETHER and not _is_fragile(subject)
        verdict = _answer_keys(subject)[0] if isinstance(subject, Answer) else ""
        enough = tuple(name for name, number in subject.numbers.items() if number != number)  # told of none
        key = (subject.reason, verdict, enough) if together else subject.channel
        groups.setdefault(key, []).append(subject)
    return list(groups.values())


def _is_fragile(subject: Answer | Advice) -> bool:
    """Return whether other gains are wanted though none can be proposed: that is told of each channel."""
    return subject.reason == "good_enough" and float(subject.numbers["phase_now"]) < FRAGILE_PHASE


def group_sentences(group: Sequence[Any], language: Language, unit: str = "°C") -> list[str]:
    """Return what to say about a group of `grouped`, the verdict first.

    Of several channels with models the tightest is told, of those without the widest range of all.
    """
    by = "iae_ratio" if isinstance(group[0], Advice) else "phase_margin"
    tightest = min(group, key=lambda subject: getattr(subject, by))
    keys = _answer_keys(tightest) if isinstance(tightest, Answer) else _advice_keys(tightest)
    numbers = _numbers(tightest, unit) | _listed(group, language)
    has_model = "plant_gain" in tightest.numbers
    if not has_model:
        ranges = [name for name, value in group[0].numbers.items() if isinstance(value, int | float)]
        numbers |= {name: max(float(subject.numbers[name]) for subject in group) for name in ranges}
    elif len(group) > 1:
        keys = [keys[0], "tightest", *keys[1:]] if isinstance(tightest, Answer) else keys[:1]
    return [word(key, language, **numbers, tightest=tightest.channel) for key in keys]


def _listed(group: Sequence[Any], language: Language) -> dict[str, float | str]:
    """Return the channels, and the values that differ between them, as lists."""
    separator = "、" if language == "zh" else ", "
    numbers: dict[str, float | str] = {"count": len(group)}
    numbers["channel"] = separator.join(str(subject.channel) for subject in group)
    for name in ("present", "asked") if isinstance(group[0], Answer) else ():
        values = [f"{getattr(subject, name):.4g}" for subject in group]
        numbers[name] = separator.join(values if len(set(values)) > 1 else values[:1])
    return numbers


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
    if advice.reason == "from_step":
        keys = ["advice.from_step", "benefit_from_step"]
    elif advice.present is None:
        keys = ["advice.refused", f"reason.{advice.reason}"]
    elif advice.reason == "back":
        keys = ["advice.back_own" if "back" in advice.numbers else "advice.back"]
        keys += ["softer"] if "softer" in advice.numbers else []
    elif advice.proposed is not None:
        keys = ["advice.better", "benefit", "caution"]
    elif _is_fragile(advice):
        keys = ["advice.good_enough_fragile"]
    else:
        keys = [f"advice.{advice.reason}"]
    if advice.experiment:
        keys.append(f"experiment.{advice.experiment}")
    return keys + _grounds(advice.numbers)


def _grounds(numbers: dict[str, float | str]) -> list[str]:
    if "plant_gain" not in numbers:
        return []
    return ["model"] if numbers["source"] == "none" else ["model", "form", f"source.{numbers['source']}"]


def _numbers(subject: Answer | Advice, unit: str) -> dict[str, float | str]:
    numbers: dict[str, float | str] = {"unit": unit}
    numbers |= {"phase_margin": subject.phase_margin, "gain_margin": subject.gain_margin}
    if isinstance(subject, Answer):
        numbers |= {"gain": subject.gain, "gain_unit": GAIN_UNITS[subject.gain].format(unit=unit)}
    else:
        numbers["change"] = 100 * (subject.iae_ratio - 1)
        if subject.proposed is not None:
            new = subject.proposed
            numbers |= {"new_kp": new.kp, "new_ki": new.ki, "new_kd": new.kd}
    numbers |= subject.numbers
    if "ki" in numbers:
        now = Gains(float(numbers["kp"]), float(numbers["ki"]), float(numbers["kd"]))
        numbers |= {"band": now.proportional_band, "ti": now.ti, "td": now.td}
    return numbers
