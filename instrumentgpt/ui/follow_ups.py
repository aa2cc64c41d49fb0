"""What is worth asking next, by what was found: nobody is invited to raise a gain that is found too high."""

from collections.abc import Iterable

from instrumentgpt.instruments.fault_classes import NO_FAULT, fault_classes
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.state import DiagnosticState

QUESTIONS: dict[str, dict[Language, str]] = {
    "raise": {"en": "Can kp be raised?", "zh": "那 kp 可以調高嗎？"},
    "tune": {"en": "Which gains are better?", "zh": "建議的增益是多少？"},
    "evidence": {"en": "Show me the evidence", "zh": "有什麼證據？"},
    "errors": {"en": "What errors are in the log?", "zh": "log 裡有哪些錯誤？"},
    "compare": {"en": "Compare with the previous log", "zh": "跟上一份 log 比較"},
}
TOO_HIGH = ("oscillation_tuning", "overshoot_tuning", "integral_windup")  # other gains, and not higher ones
TOO_LOW = ("sluggish_tuning",)


def follow_ups(state: DiagnosticState, language: Language) -> list[str]:
    """Return the questions that fit what is known of the device in view, best first."""
    found = {one for text in (*state.root_causes, *state.findings) for one in fault_classes(text)}
    about_gains = _about_gains(found - {*NO_FAULT})
    has_older = bool(state.device_ip)  # a log that was brought has none before it
    names = [about_gains, "errors", *(["compare"] if has_older else [])]
    return [QUESTIONS[name][language] for name in names]


def _about_gains(faults: Iterable[str]) -> str:
    """Return what to ask of gains, if anything: they repair nothing but the faults of gains."""
    found = set(faults)
    if found & {*TOO_HIGH}:
        return "tune"
    return "raise" if found <= {*TOO_LOW} else "evidence"
