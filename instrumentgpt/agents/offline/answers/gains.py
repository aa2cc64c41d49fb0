"""Whether a gain may be changed, and which gains would be better, by the worst model that a log accepts."""

from collections.abc import Iterator
from contextlib import suppress

from instrumentgpt.agents.offline.answers.diagnosis import diagnosed, proposals
from instrumentgpt.agents.offline.answers.held import GAINS, Step, mark
from instrumentgpt.agents.offline.answers.subject import Subject, bare, choose_log, day_of
from instrumentgpt.agents.offline.case import Case, Result, ToolFailed
from instrumentgpt.agents.offline.phrases import joined, phrase, quoted

LOWERED = 1 / 1.3  # what "lower" means when the question names no number: the inverse of "raise"
EXAMPLE_GAIN = 1.0  # to ask about, where no model tells a better one
GRAVE = ("critical", "high")
NOT_TUNING = ("oscillation_tuning", "overshoot_tuning", "sluggish_tuning", "healthy")  # gains may help
NEED_A_STEP = ("quiet", "short")  # reasons that another log of the device may do away with
VERDICTS = ("yes", "no", "not_proven")


def gain(case: Case) -> Iterator[str]:
    """Say whether the gain may be changed, on the channel asked about or on each."""
    about = choose_log(case)
    asked = case.question
    factor = asked.factor or (LOWERED if asked.direction == "down" else None)
    named = asked.gain or "kp"
    target = {"factor": None if asked.target else factor, "target": asked.target}
    found = _advised(case, about, gain=named, **target)
    if not asked.target and all(one["answer"]["present"] == 0 for one in found["channels"]):
        yield _needs_a_number(case, found, named)
        return
    several = len(found["groups"]) > 1
    if several:
        yield phrase("gain_all", case.language, gain=named, verdicts=_verdicts(case, found)) + "\n\n"
        yield from _faults_first(case, about)
    told = [(_verdict(case, found, group), group) for group in _proven_first(found["groups"])]
    yield from _told(told)
    if held := mark(case.task, case.language, Step(channel=asked.channel, gains=[named])):
        yield f"\n{held.strip()}\n"
    yield from proposals(case, found)
    yield from _older_log(case, about, found["groups"], named)
    if not several:
        yield "\n"
        yield from _faults_first(case, about)


def tune(case: Case) -> Iterator[str]:
    """Propose gains, on the channel asked about or on each, or say why none are proposed."""
    about = choose_log(case)
    found = _advised(case, about)
    proposed = [one["channel"] for one in found["channels"] if one["advice"]["proposed"]]
    key = "tune_some" if proposed else "tune_none"
    numbers = {"channels": joined(proposed, case.language), "count": len(found["channels"])}
    yield phrase(key, case.language, label=about.label, **numbers) + "\n\n"
    groups = found["advice_groups"]
    yield from _faults_first(case, about)
    proposed_first = sorted(groups, key=lambda one: one["channels"][0] not in proposed)
    yield from _told([(_proposal(case, one, proposed), one) for one in proposed_first])
    yield from _older_log(case, about, groups, "")


def _proposal(case: Case, group: Result, proposed: list[int]) -> str:
    """Return the verdict of a group of channels; gains that the user does not want touched are marked."""
    channel = group["channels"][0]
    held = mark(case.task, case.language, Step(channel=channel, gains=GAINS)) if channel in proposed else ""
    return str(group["sentences"][0]) + held.replace("**", "")


def _advised(case: Case, about: Subject, **asked: object) -> Result:
    wanted = {"log": about.log, "device": about.device, "channel": case.question.channel}
    return case.tool("advise_gains", language=case.language, **wanted, **asked)


def _needs_a_number(case: Case, found: Result, gain: str) -> str:
    """Return that a gain of 0 cannot be raised by a factor, with a value worth asking about."""
    answers = [one["answer"] for one in found["channels"]]
    modelled = next((one for one in answers if "tau2" in one["numbers"]), None)
    example, why = EXAMPLE_GAIN, ""
    if modelled and gain == "kd":
        example = modelled["numbers"]["kp"] * modelled["numbers"]["tau2"]
        named = {"channel": modelled["channel"], "tau2": modelled["numbers"]["tau2"]}
        why = phrase("gain_zero_model", case.language, **named)
    channels = joined((one["channel"] for one in answers), case.language)
    numbers = {"gain": gain, "count": len(answers), "example": example}
    return phrase("gain_zero", case.language, channels=channels, why=why, **numbers)


def _told(groups: list[tuple[str, Result]]) -> Iterator[str]:
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
            listed = joined(channels, case.language)
            told.append(phrase(f"gain_{verdict}", case.language, channels=listed, count=len(channels)))
    return phrase("clause_separator", case.language).join(told)


def _proven_first(groups: list[Result]) -> list[Result]:
    return sorted(groups, key=lambda group: group["reason"] in NEED_A_STEP)


def _verdict(case: Case, found: Result, group: Result) -> str:
    """Return the tool's verdict; lowering a gain too little is not wrong, only not enough."""
    answers = {one["channel"]: one["answer"] for one in found["channels"]}
    told = answers[group["channels"][0]]
    if told["verdict"] != "no" or told["asked"] >= told["present"] or len(group["channels"]) > 1:
        return str(group["sentences"][0])
    named = {name: told[name] for name in ("channel", "gain", "present", "asked")}
    return phrase("gain_not_enough", case.language, **named)


def _older_log(case: Case, about: Subject, groups: list[Result], gain: str) -> Iterator[str]:
    """Name the device's log before this one, where this one is too quiet: it is not fetched unasked."""
    channels = [one for group in groups if group["reason"] in NEED_A_STEP for one in group["channels"]]
    if not about.device or not channels:
        return
    older = ""
    with suppress(ToolFailed):  # a list that cannot be had costs the hint, not the answer
        names = [bare(one["name"]) for one in case.tool("list_logs", device=about.device)["logs"]]
        older = next(iter(names[names.index(about.log) + 1 :]), "") if about.log in names else ""
    if not older or older in map(bare, case.task.state.get("downloaded_logs") or []):
        return
    day = day_of(older)
    when = day[5:] if day and day != day_of(about.log) else older
    named = {"log": quoted(older), "when": when, "gain": gain, "count": len(channels)}
    named["channels"] = joined(sorted(channels), case.language)
    way = "way_to" if case.question.target else "way_down" if case.question.direction == "down" else "way_up"
    named["way"] = phrase(way, case.language, target=case.question.target)
    key = "older_log_gain" if gain else "older_log_tune"
    yield "\n" + phrase(key, case.language, **named) + "\n"


def _faults_first(case: Case, about: Subject) -> Iterator[str]:
    """Name the grave fault that gains do not repair, if the log has one."""
    found = diagnosed(case, about)
    grave = [one for one in found["findings"] if one["severity"] in GRAVE and one["class"] not in NOT_TUNING]
    if grave:
        yield phrase("gain_faults", case.language, text=grave[0]["summary"]) + "\n\n"
