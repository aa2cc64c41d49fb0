"""Whether a gain may be changed, and which gains would be better, by the worst model that a log accepts."""

from collections.abc import Iterator

from instrumentgpt.analyst import report
from instrumentgpt.analyst.case import (
    Case,
    Result,
    Subject,
    choose_log,
    diagnosed,
    faults_of,
)
from instrumentgpt.analyst.constraints import GAINS, Step, mark
from instrumentgpt.analyst.figures import figures
from instrumentgpt.analyst.questions import aspect
from instrumentgpt.analyst.report import proposals, rising_over
from instrumentgpt.instruments.faults import TUNED

LOWERED = 1 / 1.3  # what "lower" means when the question names no number: the inverse of "raise"
EXAMPLE_GAIN = 1.0  # to ask about, where no model tells a better one
NEED_A_STEP = ("quiet", "short")  # reasons that another log of the device may do away with


def gains(case: Case) -> Iterator[str]:
    """Answer about gains: what they were, whether one may be changed, or which would be better."""
    question, words = case.question, case.question.words
    asks_more = question.direction or aspect("advice", words) or aspect("plant", words)
    if aspect("present_value", words) and not asks_more:
        yield from figures(case)
        return
    if aspect("autotune", words):
        yield case.say("no_autotune") + "\n\n"
    changes = question.gain and ({question.target, question.factor} != {None} or question.direction)
    if changes and not aspect("is_right", words):
        yield from _change(case)
    else:
        yield from _better(case)


def _change(case: Case) -> Iterator[str]:
    """Say whether the gain may be changed, on the channel asked about or on each."""
    about, question = choose_log(case, in_view=True), case.question
    named, lowered = question.gain or "kp", LOWERED if question.direction == "down" else None
    factor = None if question.target else question.factor or lowered
    advice = _advised(case, about, gain=named, factor=factor, target=question.target)
    if not question.target and all(channel["answer"]["present"] == 0 for channel in advice["channels"]):
        channels = [channel["channel"] for channel in advice["channels"]]
        numbers = {"gain": named, "count": len(channels), "example": EXAMPLE_GAIN}
        yield case.say("gain_zero", channels=case.listed(channels), **numbers)
        return
    answered = {channel["answer"]["verdict"] for channel in advice["channels"]}
    yield case.lead(None if answered - {"yes"} and answered - {"no"} else answered == {"yes"})
    others = list(_faults_first(case, about))
    yield from others
    proven_first = sorted(advice["groups"], key=lambda group: group["reason"] in NEED_A_STEP)
    verdicts = [(_verdict(case, advice, group), group) for group in proven_first]
    yield from _verdict_lines(verdicts)
    if held := mark(case.task, case.language, Step(channel=question.channel, gains=[named])):
        yield f"\n{held.strip()}\n"
    if not others:
        yield from (f"\n{better}\n" for better in proposals(case, advice))


def _better(case: Case) -> Iterator[str]:
    """Propose gains, on the channel asked about or on each, or say why none are proposed."""
    about = choose_log(case, in_view=True)
    advice = _advised(case, about)
    proposed = [channel["channel"] for channel in advice["channels"] if channel["advice"]["proposed"]]
    numbers = {"channels": case.listed(proposed), "count": len(advice["channels"])}
    is_untold = any(group["reason"] in NEED_A_STEP for group in advice["advice_groups"])
    is_so, sound = bool(proposed) if proposed or not is_untold else None, aspect("sound", case.question.words)
    is_so = not is_so if sound and is_so is not None else is_so
    led = case.lead(is_so) if sound or aspect("needs", case.question.words) else ""  # "is kp 6?" asks neither
    told = [row for row in advice["channels"] if row["model"] and aspect("plant", case.question.words)]
    yield from (f"**{case.say('channel_named', **row)} · {row['model']}**\n\n" for row in told)
    yield led + case.say("tune_some" if proposed else "tune_none", label=about.label, **numbers) + "\n\n"
    for group in (groups := advice["advice_groups"]):
        group["sentences"] = [one for one in group["sentences"] if one not in [row["model"] for row in told]]
    yield from (others := [*_faults_first(case, about)])
    yield "" if proposed or others else report.verdict(case, about, diagnosed(case, about)) + "\n\n"
    proposed_first = sorted(groups, key=lambda group: group["channels"][0] not in proposed)
    yield from _verdict_lines([(_proposal(case, group, proposed), group) for group in proposed_first])


def _proposal(case: Case, group: Result, proposed: list[int]) -> str:
    """Return the verdict of a group of channels; gains that the user does not want touched are marked."""
    channel = group["channels"][0]
    held = mark(case.task, case.language, Step(channel=channel, gains=GAINS)) if channel in proposed else ""
    return str(group["sentences"][0]) + held.replace("**", "")


def _advised(case: Case, about: Subject, **change: object) -> Result:
    arguments = {"channel": case.question.channel, "language": case.language}
    return case.tool("advise_gains", **about.named, **arguments, **change)


def _verdict_lines(groups: list[tuple[str, Result]]) -> Iterator[str]:
    """Yield each group's verdict with its grounds: one alone as a headline, several as a list."""
    alone = len(groups) == 1
    for verdict, group in groups:
        yield f"**{verdict}**\n\n" if alone else f"- **{verdict}**\n"
        yield from (f"{'' if alone else '  '}- {sentence}\n" for sentence in group["sentences"][1:])


def _verdict(case: Case, advice: Result, group: Result) -> str:
    """Return the tool's verdict; lowering a gain too little is not wrong, only not enough."""
    answers = {channel["channel"]: channel["answer"] for channel in advice["channels"]}
    answer = answers[group["channels"][0]]
    if answer["verdict"] != "no" or answer["asked"] >= answer["present"] or len(group["channels"]) > 1:
        return str(group["sentences"][0])
    named = {name: answer[name] for name in ("channel", "gain", "present", "asked")}
    return case.say("gain_not_enough", **named)


def _faults_first(case: Case, about: Subject) -> Iterator[str]:
    """Name the fault that gains do not repair, if the log has one and none on that channel that they do.

    Without a fault what grows over the logs, which no gains stop either.
    """
    asked = {case.question.channel} - {None}
    faults = [
        one for one in faults_of(diagnosed(case, about)) if not asked or one["channel"] in {*asked, None}
    ]
    tuned = {fault["channel"] for fault in faults if fault["class"] in TUNED}
    for fault in [one for one in faults if one["class"] not in TUNED and one["channel"] not in tuned][:1]:
        yield case.say("gain_faults", text=fault["summary"]) + "\n\n"
    rising = [] if faults else rising_over(case, about, unasked=True)
    yield from (case.say("gain_faults", text=row["text"]) + "\n\n" for row in rising[:1])
