"""What is wrong, why, what was ruled out, and what to do next."""

from collections.abc import Iterator
from contextlib import suppress

from instrumentgpt.agents.offline.answers.events import coincident
from instrumentgpt.agents.offline.answers.held import GAINS, Step, mark, step_of
from instrumentgpt.agents.offline.answers.report import (
    MOST_FAULTS,
    MOST_LINES,
    faults_of,
    header,
    key_findings,
    kinds,
    links,
    verdict,
)
from instrumentgpt.agents.offline.answers.subject import Subject, choose_log, known_log, remembered_in
from instrumentgpt.agents.offline.answers.suspects import suspicions
from instrumentgpt.agents.offline.case import Case, Result, ToolFailed
from instrumentgpt.agents.offline.phrases import joined, moment, phrase, plain_text, quoted, together

MOST_RULED_OUT = 8  # reasons of the checks
BETTER = 3  # sentences of an advice before it repeats the model
TUNED = ("oscillation_tuning", "overshoot_tuning", "sluggish_tuning")  # what other gains can repair


def why(case: Case) -> Iterator[str]:
    """Diagnose the newest log of the device, or the log that is known, and draw it."""
    about = choose_log(case, newest=bool(case.task.devices))
    found = diagnosed(case, about)
    yield from suspicions(case, about, found)
    yield verdict(case, about, found) + "\n\n"
    yield header(case, about, found) + "\n\n"
    yield from kinds(case, found)
    yield from key_findings(case, about, found)
    draw(case, about)
    yield from _reasoning(case, about, found)
    if case.question.pasted and any(one["class"] == "insufficient_data" for one in found["findings"]):
        yield "\n" + phrase("pasted_needs", case.language) + "\n"


def explained(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Tell a diagnosis in full: the verdict, the log, each finding, the cause and what to do."""
    yield from suspicions(case, about, found)
    yield verdict(case, about, found) + "\n\n"
    yield header(case, about, found) + "\n\n"
    yield from kinds(case, found)
    yield from key_findings(case, about, found)
    yield from _reasoning(case, about, found)


def draw(case: Case, about: Subject) -> None:
    """Draw the log; an answer without its chart is still an answer, and the failed call is shown."""
    wanted = {"log": about.log, "device": about.device, "channel": case.question.channel}
    with suppress(ToolFailed):
        case.tool("plot_log", language=case.language, **wanted)


def next_action(case: Case) -> Iterator[str]:
    """Say what to do about each fault of the known log."""
    about = choose_log(case, newest=bool(case.task.devices))
    found = diagnosed(case, about)
    yield verdict(case, about, found) + "\n\n"
    faults = faults_of(found)[:MOST_FAULTS]
    for one in faults:
        yield f"- {one['summary']} ({links(about, one)})\n"
        yield f"  {phrase('next_action', case.language, action=one['next_step'])}{_held(case, one)}\n"
    if not faults:
        yield from key_findings(case, about, found)
        yield from _why_healthy(case, found)


def when(case: Case) -> Iterator[str]:
    """Say since when, until when and how often each fault of the log shows, and the span of the log."""
    about = choose_log(case, newest=bool(case.task.devices))
    found = diagnosed(case, about)
    yield verdict(case, about, found) + "\n\n"
    for one in faults_of(found)[:MOST_FAULTS]:
        since, until = (moment(one[name]) for name in ("onset_clock", "end_clock"))
        told = {"since": since, "until": until, "summary": one["summary"], "lines": links(about, one)}
        yield "- " + phrase("when_row", case.language, **told) + "\n"
    yield "\n" + header(case, about, found) + "\n"


def kind(case: Case) -> Iterator[str]:
    """Say what kind of loop each channel is, the numbers it is told from, and how that is corrected."""
    about = choose_log(case, newest=bool(case.task.devices))
    found = diagnosed(case, about)
    yield header(case, about, found) + "\n\n"
    yield from kinds(case, found, asked=True)
    yield phrase("kind_correct", case.language) + "\n"


def evidence(case: Case) -> Iterator[str]:
    """Quote the raw lines behind each finding, and what was ruled out."""
    about = choose_log(case, newest=bool(case.task.devices))
    found = diagnosed(case, about)
    yield verdict(case, about, found) + "\n\n"
    for one in faults_of(found)[:MOST_FAULTS] or found["findings"][:MOST_LINES]:
        yield f"- {one['summary']}\n"
        for item in one["evidence"]:
            yield f"  - {about.link(item['line'])} {quoted(item['text'])}\n"
        for reason in one["ruled_out"]:
            yield "  - " + phrase("not_that", case.language, reason=reason) + "\n"


def ruled_out(case: Case) -> Iterator[str]:
    """Say what is out: by what was said in the conversation, then by the checks of the known log."""
    if told := case.task.ruled_out:
        yield phrase("ruled_out_said", case.language) + "\n\n"
        yield from (f"- {plain_text(one)}\n" for one in told)
        yield "\n"
    if not (case.device or known_log(case)):
        yield "" if told else phrase("ruled_out_nothing", case.language)
        return
    about = choose_log(case, newest=bool(case.task.devices))
    reasons: dict[str, list[int]] = {}
    for one in diagnosed(case, about)["findings"]:
        for reason in one["ruled_out"]:
            reasons.setdefault(reason, []).append(one["channel"])
    shown = list(reasons.items())[:MOST_RULED_OUT]
    yield phrase("ruled_out_checks" if shown else "ruled_out_nothing", case.language) + "\n\n"
    for reason, channels in shown:
        told_of = [channel for channel in channels if channel is not None]
        where = (
            phrase("stated_channel", case.language, channel=joined(told_of, case.language)) if told_of else ""
        )
        yield f"- {reason}{where}\n"


def diagnosed(case: Case, about: Subject) -> Result:
    """Return the diagnosis of the log, of the channel asked about if there is one."""
    return case.tool(
        "diagnose_log",
        log=about.log,
        device=about.device,
        channel=case.question.channel,
        language=case.language,
        record=remembered_in(case),
    )


def _reasoning(case: Case, about: Subject, found: Result) -> Iterator[str]:
    faults = faults_of(found)
    if not faults:
        yield from _why_healthy(case, found)
        yield from _withheld(case, about, found)
        return
    first = faults[0]
    yield "\n"
    if first["cause"] and first["severity"] != "info":  # "too little data" is no cause
        key = "root_cause" if first["confidence"] == "certain" else "cause_likely"
        yield phrase(key, case.language, cause=first["cause"]) + "\n\n"
    if first["consequences"]:
        named = joined(first["consequences"], case.language)
        yield phrase("consequences", case.language, faults=named) + "\n\n"
    if first["coincidences"]:
        yield phrase("coincides", case.language) + "\n\n"
        yield from coincident(about, first)
        yield "\n"
    if first["ruled_out"]:
        yield phrase("ruled_out", case.language) + "\n\n"
        yield from (f"- {reason}\n" for reason in first["ruled_out"])
        yield "\n"
    yield phrase("next_action", case.language, action=first["next_step"]) + _held(case, first) + "\n"
    yield from (f"\n{one}\n" for one in first["cannot_tell"])
    yield from _better_gains(case, about, first)
    yield from _withheld(case, about, found)


def _held(case: Case, fault: Result) -> str:
    """Return the mark of the remedy of `fault` where the user laid down that it is not to be done."""
    return mark(case.task, case.language, step_of(fault))


def _why_healthy(case: Case, found: Result) -> Iterator[str]:
    """Say for all channels that there is nothing to do, and what the log could not test."""
    healthy = [one for one in found["findings"] if one["class"] == "healthy"]
    if not healthy:
        return
    stepped = any(one["numbers"].get("kind") == "stepped" for one in healthy)
    steps = phrase("healthy_stepped" if stepped else "healthy_no_step", case.language)
    numbers = {"checks": len(found["checks"]), "count": len(healthy), "lines": found["lines"]}
    told = phrase("healthy_none", case.language, steps=steps, **numbers)
    yield "\n" + phrase("next_action", case.language, action=told) + "\n"


def _better_gains(case: Case, about: Subject, fault: Result) -> Iterator[str]:
    """Propose gains where the fault is in them, if better ones are proven."""
    if fault["class"] not in TUNED:
        return
    wanted = {"log": about.log, "device": about.device, "channel": fault["channel"]}
    yield from proposals(case, case.tool("advise_gains", language=case.language, **wanted))


def proposals(case: Case, found: Result) -> Iterator[str]:
    """Yield the better gains that `advise_gains` found, of each channel that has any."""
    for one in found["channels"]:
        if one["advice"]["proposed"]:
            held = mark(case.task, case.language, Step(channel=one["channel"], gains=GAINS))
            yield "\n" + together(one["advice_sentences"][:BETTER], case.language) + held + "\n"


def _withheld(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Say which verdicts the log cannot give, and ask for what would give them."""
    if not found["missing"] or not found["withheld"]:
        return
    fields = phrase("list_separator", case.language).join(
        phrase(f"missing_{name}", case.language) for name in found["missing"]
    )
    count = len(found["withheld"])
    yield "\n" + phrase("withheld", case.language, missing=fields, count=count) + "\n"
    if "period" in found["missing"]:
        yield "\n" + phrase("ask_period", case.language, log=quoted(about.log)) + "\n"
