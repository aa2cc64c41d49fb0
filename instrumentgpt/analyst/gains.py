"""Whether a gain may be changed, and which gains would be better, by the worst model that a log accepts."""

from collections.abc import Iterator
from contextlib import suppress

from instrumentgpt.analyst.case import (
    Case,
    Result,
    Subject,
    ToolFailed,
    bare,
    choose_log,
    day_of,
    log_names,
)
from instrumentgpt.analyst.constraints import GAINS, Step, mark
from instrumentgpt.analyst.figures import figures
from instrumentgpt.analyst.questions import aspect
from instrumentgpt.analyst.report import TUNED, diagnosed, explained, proposals
from instrumentgpt.analyst.words import quoted

LOWERED = 1 / 1.3  # what "lower" means when the question names no number: the inverse of "raise"
EXAMPLE_GAIN = 1.0  # to ask about, where no model tells a better one
GRAVE = ("critical", "high")
NOT_TUNING = (*TUNED, "healthy")  # gains may help
NEED_A_STEP = ("quiet", "short")  # reasons that another log of the device may do away with
VERDICTS = ("yes", "no", "not_proven")


def gains(case: Case) -> Iterator[str]:
    """Answer about gains: what they were, whether one may be changed, or which would be better."""
    asked = case.question
    if aspect("without_gains", asked.words):
        about = choose_log(case, known=True)
        yield from explained(case, about, diagnosed(case, about))
        return
    if aspect("present_value", asked.words) and not (aspect("advice", asked.words) or asked.direction):
        yield from figures(case)
        return
    if aspect("autotune", asked.words):
        yield case.say("no_autotune") + "\n\n"
    changes = asked.gain and (asked.target is not None or asked.factor is not None or asked.direction)
    if changes and not aspect("is_right", asked.words):
        yield from _change(case)
    else:
        yield from _better(case)


def _change(case: Case) -> Iterator[str]:
    """Say whether the gain may be changed, on the channel asked about or on each."""
    about = choose_log(case, known=True)
    asked = case.question
    factor = asked.factor or (LOWERED if asked.direction == "down" else None)
    named = asked.gain or "kp"
    found = _advised(case, about, gain=named, factor=None if asked.target else factor, target=asked.target)
    if not asked.target and all(one["answer"]["present"] == 0 for one in found["channels"]):
        yield _needs_a_number(case, found, named)
        return
    several = len(found["groups"]) > 1
    if several:
        yield case.say("gain_all", gain=named, verdicts=_verdicts(case, found)) + "\n\n"
        yield from _faults_first(case, about)
    told = [(_verdict(case, found, group), group) for group in _proven_first(found["groups"])]
    yield from _verdict_lines(told)
    if held := mark(case.task, case.language, Step(channel=asked.channel, gains=[named])):
        yield f"\n{held.strip()}\n"
    yield from (f"\n{better}\n" for better in proposals(case, found))
    yield from _older_log(case, about, found["groups"], named)
    if not several:
        yield "\n"
        yield from _faults_first(case, about)


def _better(case: Case) -> Iterator[str]:
    """Propose gains, on the channel asked about or on each, or say why none are proposed."""
    about = choose_log(case, known=True)
    found = _advised(case, about)
    proposed = [one["channel"] for one in found["channels"] if one["advice"]["proposed"]]
    numbers = {"channels": case.listed(proposed), "count": len(found["channels"])}
    yield case.say("tune_some" if proposed else "tune_none", label=about.label, **numbers) + "\n\n"
    groups = found["advice_groups"]
    yield from _faults_first(case, about)
    proposed_first = sorted(groups, key=lambda one: one["channels"][0] not in proposed)
    yield from _verdict_lines([(_proposal(case, one, proposed), one) for one in proposed_first])
    yield from _older_log(case, about, groups, "")


def _proposal(case: Case, group: Result, proposed: list[int]) -> str:
    """Return the verdict of a group of channels; gains that the user does not want touched are marked."""
    channel = group["channels"][0]
    held = mark(case.task, case.language, Step(channel=channel, gains=GAINS)) if channel in proposed else ""
    return str(group["sentences"][0]) + held.replace("**", "")


def _advised(case: Case, about: Subject, **asked: object) -> Result:
    wanted = {"channel": case.question.channel, "language": case.language}
    return case.tool("advise_gains", **about.named, **wanted, **asked)


def _needs_a_number(case: Case, found: Result, gain: str) -> str:
    """Return that a gain of 0 cannot be raised by a factor, with a value worth asking about."""
    answers = [one["answer"] for one in found["channels"]]
    modelled = next((one for one in answers if "tau2" in one["numbers"]), None)
    example, why = EXAMPLE_GAIN, ""
    if modelled and gain == "kd":
        example = modelled["numbers"]["kp"] * modelled["numbers"]["tau2"]
        named = {"channel": modelled["channel"], "tau2": modelled["numbers"]["tau2"]}
        why = case.say("gain_zero_model", **named)
    channels = case.listed(one["channel"] for one in answers)
    numbers = {"gain": gain, "count": len(answers), "example": example}
    return case.say("gain_zero", channels=channels, why=why, **numbers)


def _verdict_lines(groups: list[tuple[str, Result]]) -> Iterator[str]:
    """Yield each group's verdict with its grounds: one alone as a headline, several as a list."""
    alone = len(groups) == 1
    for verdict, group in groups:
        yield f"**{verdict}**\n\n" if alone else f"- **{verdict}**\n"
        yield from (f"{'' if alone else '  '}- {sentence}\n" for sentence in group["sentences"][1:])


def _verdicts(case: Case, found: Result) -> str:
    """Return which channels get which verdict, as one list."""
    told = []
    for verdict in VERDICTS:
        channels = [one["channel"] for one in found["channels"] if one["answer"]["verdict"] == verdict]
        if channels:
            listed = case.listed(channels)
            told.append(case.say(f"gain_{verdict}", channels=listed, count=len(channels)))
    return case.say("clause_separator").join(told)


def _proven_first(groups: list[Result]) -> list[Result]:
    return sorted(groups, key=lambda group: group["reason"] in NEED_A_STEP)


def _verdict(case: Case, found: Result, group: Result) -> str:
    """Return the tool's verdict; lowering a gain too little is not wrong, only not enough."""
    answers = {one["channel"]: one["answer"] for one in found["channels"]}
    told = answers[group["channels"][0]]
    if told["verdict"] != "no" or told["asked"] >= told["present"] or len(group["channels"]) > 1:
        return str(group["sentences"][0])
    named = {name: told[name] for name in ("channel", "gain", "present", "asked")}
    return case.say("gain_not_enough", **named)


def _older_log(case: Case, about: Subject, groups: list[Result], gain: str) -> Iterator[str]:
    """Name the device's log before this one, where this one is too quiet: it is not fetched unasked."""
    channels = [one for group in groups if group["reason"] in NEED_A_STEP for one in group["channels"]]
    if not about.device or not channels:
        return
    older = ""
    with suppress(ToolFailed):  # a list that cannot be had costs the hint, not the answer
        names = log_names(case)
        older = next(iter(names[names.index(about.log) + 1 :]), "") if about.log in names else ""
    if not older or older in map(bare, case.task.state.get("downloaded_logs") or []):
        return
    day = day_of(older)
    when = day[5:] if day and day != day_of(about.log) else older
    named = {"log": quoted(older), "when": when, "gain": gain, "count": len(channels)}
    named["channels"] = case.listed(sorted(channels))
    way = "way_to" if case.question.target else "way_down" if case.question.direction == "down" else "way_up"
    named["way"] = case.say(way, target=case.question.target)
    key = "older_log_gain" if gain else "older_log_tune"
    yield "\n" + case.say(key, **named) + "\n"


def _faults_first(case: Case, about: Subject) -> Iterator[str]:
    """Name the grave fault that gains do not repair, if the log has one."""
    found = diagnosed(case, about)
    grave = [one for one in found["findings"] if one["severity"] in GRAVE and one["class"] not in NOT_TUNING]
    if grave:
        yield case.say("gain_faults", text=grave[0]["summary"]) + "\n\n"
