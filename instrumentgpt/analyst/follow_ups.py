"""What stands under an answer as buttons: what a question left open, and what fits what was found."""

import re
from itertools import pairwise

from instrumentgpt.analyst.questions import KINDS, devices_in, named_kind, near_misses, read_question
from instrumentgpt.instruments.devices import Inventory, resolve
from instrumentgpt.instruments.faults import NO_FAULT, fault_classes
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.state import DiagnosticState

QUESTIONS: dict[str, dict[Language, str]] = {
    "raise": {"en": "Can kp be raised?", "zh": "那 kp 可以調高嗎？"},
    "tune": {"en": "Which gains are better?", "zh": "建議的增益是多少？"},
    "evidence": {"en": "Show me the evidence", "zh": "有什麼證據？"},
    "errors": {"en": "What errors are in the log?", "zh": "記錄裡有哪些錯誤？"},
    "compare": {"en": "Compare with the previous log", "zh": "跟上一份記錄比較"},
    "channel": {"en": "Plot channel {}", "zh": "畫通道 {}"},
    "gain": {"en": "And {}?", "zh": "那 {} 呢？"},
}
TOO_HIGH = ("oscillation_tuning", "overshoot_tuning", "integral_windup")  # other gains, and not higher ones
TOO_LOW = ("sluggish_tuning",)
MOST_DEVICES = 6  # offered where none was named
NEED_A_DEVICE = ("diagnosis", "figures", "plot", "compare", "gains", "events", "handover")
_CHANNEL = re.compile(r"(?:\bChannel|通道) (\d+)")


def follow_ups(
    state: DiagnosticState, language: Language, last_question: str = "", inventory: Inventory | None = None
) -> list[str]:
    """Return the questions that fit what is known of the device in view, best first.

    last_question  one that names no device, where none is in view, is offered with each; one that names a
                   device that nobody has, with those most like it; one that may be of another kind, with
                   that kind's name before it, which then decides
    """
    in_view = bool(state.device_name or state.device_ip or state.last_log_file)
    if last_question and inventory and (completed := _completed(last_question, inventory, in_view)):
        return completed
    faults = {fault for text in (*state.root_causes, *state.findings) for fault in fault_classes(text)}
    faults -= {*NO_FAULT}
    named, repeated = named_kind(last_question)
    question = read_question(last_question, in_view, 0, *([repeated] if named else []))
    meant = [f"{KINDS[kind][language]}: {last_question}" for kind in question.others if not question.again]
    others = [gain for gain in ("kp", "ki", "kd") if gain != question.gain] if question.gain else []
    if last_question and question.kind == "gains" and others and not faults & {*TOO_HIGH}:
        offered = [QUESTIONS["gain"][language].format(gain) for gain in others]
    else:
        offered = [QUESTIONS[_about_gains(faults)][language]]
    channels = dict.fromkeys(number for text in state.findings for number in _CHANNEL.findall(text))
    if faults and channels and question.channel is None:
        offered.append(QUESTIONS["channel"][language].format(next(iter(channels))))
    kinds = {"errors": "events"} | ({"compare": "compare"} if state.device_ip else {})  # else no log before
    others = [QUESTIONS[name][language] for name, kind in kinds.items() if kind != question.kind]
    return meant + offered + others  # a wrong guess has a visible way out


def _completed(question: str, inventory: Inventory, in_view: bool) -> list[str]:
    """Return the question with a device that it lacks, or with one that may have been meant."""
    names = resolve(question, inventory).unknown[:1]
    if not names and (in_view or devices_in(question, inventory)):
        return []
    words = re.findall(r"[\w.-]+", question, re.ASCII)
    for name in names or [*map(" ".join, pairwise(words)), *words]:
        near = near_misses(name, inventory)
        if near and (names or re.findall("[1-9]", name) == re.findall("[1-9]", near[0]) != []):
            return [re.sub(re.escape(name), other, question, flags=re.IGNORECASE) for other in near]
    if names or read_question(question).kind not in NEED_A_DEVICE:
        return []
    return [f"{device.name}: {question}" for device in inventory.devices[:MOST_DEVICES]]


def _about_gains(faults: set[str]) -> str:
    """Return what to ask of gains, if anything: they repair nothing but the faults of gains."""
    if faults & {*TOO_HIGH}:
        return "tune"
    return "raise" if faults <= {*TOO_LOW} else "evidence"
