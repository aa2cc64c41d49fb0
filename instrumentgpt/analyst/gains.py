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
    asked = {"channel": question.channel, "gain": named, "factor": factor, "target": question.target}
    advice = case.tool("advise_gains", **about.named, **asked, language=case.language)
    answers = {row["channel"]: row["answer"] for row in advice["channels"]}
    if not question.target and all(answer["present"] == 0 for answer in answers.values()):
        numbers = {"gain": named, "count": len(answers), "example": EXAMPLE_GAIN}
        yield case.say("gain_zero", channels=case.listed(answers), **numbers)
        return
    verdicts = {answer["verdict"] for answer in answers.values()}
    yield case.lead(verdicts == {"yes"} if len(verdicts) == 1 and verdicts <= {"yes", "no"} else None)
    yield "\n\n" * (case.question.yes_no and len(advice["groups"]) > 1)
    yield from (others := list(_faults_first(case, about)))
    for group in advice["groups"]:  # lowering a gain too little is not wrong, only not enough
        answer, is_one = answers[group["channels"][0]], len(group["channels"]) == 1
        if is_one and answer["verdict"] == "no" and answer["asked"] < answer["present"]:
            told = {name: answer[name] for name in ("channel", "gain", "present", "asked")}
            group["sentences"][0] = case.say("gain_not_enough", **told)
    yield from _verdict_lines(sorted(advice["groups"], key=lambda group: group["reason"] in NEED_A_STEP))
    if held := mark(case.task, case.language, Step(channel=question.channel, gains=[named])):
        yield f"\n{held.strip()}\n"
    if not others:
        yield from (f"\n{better}\n" for better in proposals(case, advice))


def _better(case: Case) -> Iterator[str]:
    """Propose gains, on the channel asked about or on each, or say why none are proposed."""
    about, words = choose_log(case, in_view=True), case.question.words
    asked = {"channel": case.question.channel, "language": case.language}
    advice = case.tool("advise_gains", **about.named, **asked)
    groups, rows = advice["advice_groups"], advice["channels"]
    proposed = [row["channel"] for row in rows if row["advice"]["proposed"]]
    is_untold = not proposed and any(group["reason"] in NEED_A_STEP for group in groups)
    sound = bool(aspect("sound", words))
    is_asked = sound or aspect("needs", words)  # "is kp 6?" asks neither
    led = case.lead(None if is_untold else bool(proposed) is not sound) if is_asked else ""
    models = {row["channel"]: row["model"] for row in rows if row["model"] and aspect("plant", words)}
    for channel, model in models.items():
        yield f"**{case.say('channel_named', channel=channel)} · {model}**\n\n"
    numbers = {"channels": case.listed(proposed), "count": len(rows)}
    yield led + case.say("tune_some" if proposed else "tune_none", label=about.label, **numbers) + "\n\n"
    yield from (others := [*_faults_first(case, about)])
    yield "" if proposed or others else report.verdict(case, about, diagnosed(case, about)) + "\n\n"
    for group in groups:
        group["sentences"] = [one for one in group["sentences"] if one not in models.values()]
        if (channel := group["channels"][0]) in proposed:  # gains that are not to be touched are marked
            held = mark(case.task, case.language, Step(channel=channel, gains=GAINS))
            group["sentences"][0] += held.replace("**", "")
    yield from _verdict_lines(sorted(groups, key=lambda group: group["channels"][0] not in proposed))


def _verdict_lines(groups: list[Result]) -> Iterator[str]:
    """Yield each group's verdict with its grounds: one alone as a headline, several as a list."""
    alone = len(groups) == 1
    for verdict, *grounds in (group["sentences"] for group in groups):
        yield f"**{verdict}**\n\n" if alone else f"- **{verdict}**\n"
        yield from (f"{'' if alone else '  '}- {sentence}\n" for sentence in grounds)


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
