"""A message answered: read, split where it asks several things, each answered by its kind, once."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

from instrumentgpt.agents.approval import approval
from instrumentgpt.analyst import remembered as record
from instrumentgpt.analyst.account import accounted
from instrumentgpt.analyst.case import (
    Case,
    NothingToRead,
    Result,
    Task,
    ToolFailed,
    choose_log,
    diagnosed,
    extents,
    known_log,
)
from instrumentgpt.analyst.columns import called
from instrumentgpt.analyst.compare import compare, is_over_logs, over_logs, survey
from instrumentgpt.analyst.constraints import acts_named, asks_to_run, constraints_in_force, forbidding
from instrumentgpt.analyst.events import events, topic
from instrumentgpt.analyst.figures import COLUMN, composed, figures, ranks
from instrumentgpt.analyst.gains import gains
from instrumentgpt.analyst.handover import handover, shift, shift_start
from instrumentgpt.analyst.programme import PARTS, held_setpoints
from instrumentgpt.analyst.questions import (
    ALONE,
    CHOSEN,
    SENTENCE_END,
    SHORT,
    TIMED,
    Question,
    asking,
    asks_yes_no,
    aspect,
    dated,
    devices_in,
    language_asked,
    limits_asked,
    read_question,
    spelled,
    suspected,
    table,
    term_names,
    terms,
)
from instrumentgpt.analyst.relevance import bearing, workings_asked
from instrumentgpt.analyst.report import diagnose, fault_untold, happened, header, verdict
from instrumentgpt.analyst.stretches import window_asked, window_words
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.instruments.devices import Device, Inventory, places, resolve
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.fleet import asked_about, choose
from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.instruments.lognames import IMAGES
from instrumentgpt.instruments.mentions import normalised
from instrumentgpt.instruments.pasted import LOG_LINES, number_of
from instrumentgpt.instruments.reading.spoken import heads_in

MOST_AT_ONCE = 4  # questions of one message
AND_ASKS = re.compile(  # a second question that “and” joins, which a figure of the first would hide
    r",? and (?=(?:is|are|was|were|did|does|do|why|when|how|which|what|should) )", re.IGNORECASE
)
ONE_AT_A_TIME = ("diagnosis", "figures", "plot", "gains", "events")  # of several devices at once: a survey
OF_MANY = ("every_device", "lists_devices")  # of devices though a log was brought
OF_ALL = ("which_one", "every_device", "those", "lists_devices", "urgent", "lab")
EXTREMES = ("least", "most", "range", "mean")
OF_STORY = ("diagnosis", "figures", "gains", "events")  # questions on one log
OF_A_LOG = ("figures", "plot", "gains")  # beside which the fault of the log is told, once
OVER_LOGS = ("diagnosis", "figures", "events", "survey", "help", "compare")  # what all logs may answer


def chat(task: Task, inventory: Inventory, tool: Callable[..., Result]) -> Iterator[str]:
    """Yield the answer to the message of `task`, calling tools through `tool`."""
    parts, said = _questions(task, inventory, _once(tool)), task.messages
    for number, case in enumerate(parts, start=1):
        if len(parts) > 1:
            yield ("\n\n" if number > 1 else "") + f"### {number}. {plain_text(case.task.question)}\n\n"
        text = ""
        for piece in answer(replace(case, task=replace(case.task, messages=said)), inventory):
            text += piece
            yield piece
        said = (*said, {"turn": 0, "role": "assistant", "text": text})  # nothing is told twice
    asked = replace(parts[0].task, question=task.question, messages=said)
    whole = replace(parts[0], question=read_question(task.question), task=asked)
    words = "".join(text for _, text in whole.task.messages_of("assistant")[-len(parts) :])
    if len({case.task.devices for case in parts}) == 1:
        yield from _rest(whole, [case.question for case in parts], words)


def _once(tool: Callable[..., Result]) -> Callable[..., Result]:
    """Return `tool`, which calls none twice for one message, but those that draw."""
    done = dict[str, Result]()

    def called_once(name: str, **given: Any) -> Result:
        if name == "plot_log":
            return tool(name, **given)
        if (call := f"{name} {given}") not in done:
            done[call] = tool(name, **given)
        return done[call]

    return called_once


def _rest(case: Case, parts: Sequence[Question], told: str) -> Iterator[str]:
    """Yield what else happened in the log that a diagnosis, or figures for a story, were `told` of; last.

    What bears on a question may be another row than those that its words are of.
    """
    is_of_log = all(part.kind in OF_STORY and not (part.order or part.lines) for part in parts)
    is_of_time = all(part.kind == "events" and part.clocks for part in parts)
    is_wide = is_of_log and not is_of_time and (len(parts) > 1 or len(case.question.words) > SHORT)
    is_told = "?log=" in told and (is_wide or case.say("key_findings") in told)
    if not is_told or len(case.task.devices) > 1:
        return
    with suppress(NothingToRead, ToolFailed):
        about = choose_log(case)
        diagnosis = diagnosed(case, about)
        if (named := called(case, diagnosis)) is not case:
            diagnosis = diagnosed(named, about)
        rows = [row for row in happened(case, about, diagnosis) if row not in told]
        blank = "\n" * (2 - (len(told) - len(told.rstrip("\n"))))
        yield from (f"{blank}{case.say('rest')}\n\n", *rows) if rows else ()


def _questions(task: Task, inventory: Inventory, tool: Callable[..., Result]) -> list[Case]:
    """Return the questions of the message, each with its device; what asks nothing is none."""
    whole = read(task, inventory, tool)
    parts = [part.strip() for part in SENTENCE_END.split(task.question) if part.strip()]
    is_sentence = len(parts) == 1
    if is_sentence and len(whole.task.devices) < 2:  # of several devices they are compared
        parts = AND_ASKS.split(task.question)
    is_one = len(parts) < 2 or whole.question.pasted or whole.question.score == CHOSEN
    if is_one or len(parts) > 3 * MOST_AT_ONCE:
        return [whole]
    cases, seen = list[Case](), set[tuple[str, bool, tuple[str, ...], tuple[str, ...]]]()
    for text in parts:
        named = tuple(device.name for device in devices_in(text, inventory))
        before = cases[-1] if cases else None
        part = replace(task, question=text, devices=named or (before or whole).task.devices)
        case = read(part, inventory, tool, before.question.text if before else "")
        if is_sentence and before and not (case.question.is_timed or aspect("now", case.question.words)):
            same = {name: getattr(before.question, name) for name in (*TIMED, "days", "months")}
            case = replace(case, question=replace(case.question, **same))
        asks = (case.question.score >= ALONE or named) and aspect("asks", case.question.words)
        extreme = case.question.extreme in EXTREMES  # which a limit in the next question would hide
        subject = case.question.kind, extreme, case.question.days, case.task.devices
        if asks and case.question.kind != "help" and subject not in seen:
            cases.append(case)
            seen.add(subject)
    return cases[:MOST_AT_ONCE] if len(cases) > 1 else [whole]


def read(task: Task, inventory: Inventory, tool: Callable[..., Result], before: str = "") -> Case:
    """Return the case of a task: its question as it is read, with the devices that it names.

    The names of devices are no words of it: "line 2" is no line, "rig 7" no number.
    """
    scope = task.state.get("device_ip") or task.state.get("device_name")
    named = asked_about(task.question, inventory, scope).devices
    meant = named or devices_in(task.question, inventory) or _at_place(task, inventory)
    devices = task.devices or tuple(device.name for device in meant)
    in_view = bool(task.state.get("device_name") or task.state.get("last_log_file") or task.attachments)
    newest = next((text for _, text in reversed(task.messages_of("user"))), "")
    repeats = newest and task.question.endswith(newest)  # a button
    earlier = [before] if before else [newest] if repeats else [*_repeatable(task)]
    texts = [text if repeats else _beside_devices(text, inventory) for text in (task.question, *earlier)]
    question = _pasted(read_question(texts[0], in_view, len(devices), *texts[1:]), task)
    asked = language_asked(question.text)
    language: Language = task.given.get("language") or asked or language_of(task.question)
    case = Case(replace(task, devices=devices), replace(question, before=spelled(before)), language, tool)
    if any("@" in moment for moment in question.moments):
        case = replace(
            case, question=replace(case.question, moments=dated(question.moments, _last_day(case)))
        )
    return case


def _last_day(case: Case) -> date:
    """Return the day on which the log in question ends: its weekdays are the last ones before; else today."""
    with suppress(NothingToRead, ToolFailed):
        about = choose_log(case)
        return min([case.task.now, *(end for *_, end in extents(case, about.log, about))]).date()
    return case.task.now.date()


def _beside_devices(text: str, inventory: Inventory) -> str:
    """Return `text` without the names of devices; where its spelling has other places, in that spelling."""
    found, rest = places(text, inventory), normalised(text)
    if not found:
        return text
    rest = text if len(rest) == len(text) else rest
    for start, stop, _ in reversed(found):
        rest = rest[:start] + " " + rest[stop:]
    return re.sub(r" +", " ", rest).strip()


def _at_place(task: Task, inventory: Inventory) -> tuple[Device, ...]:
    """Return the device that "the second one", or "it", is of the list in the last answer, () if none is.

    What refers to one of a list and names none is on its first: the worst is told first.
    """
    answers = task.messages_of("assistant")
    rows = re.findall(r"(?m)^\d+\. (.+?)(?::|：|$)", answers[-1][1]) if answers else []
    listed = [device for row in rows for device in resolve(row, inventory).devices]
    choice = choose(task.question, inventory, listed)
    is_one = choice.changes and len(choice.devices) == 1 and len(task.question) <= SHORT
    if (choice.is_bare or is_one) and re.search(r"\bones?\b|[台個个]", task.question):
        return choice.devices
    words = spelled(task.question)
    refers = any(aspect(name, words) for name in ("that_one", "since_when", "next"))
    return tuple(listed[:1]) if refers and not any(aspect(name, words) for name in OF_ALL) else ()


def _repeatable(task: Task) -> Iterator[str]:
    """Yield the earlier questions that this one may go on about, newest first, to one that stands alone."""
    for _, text in reversed(task.messages_of("user")):
        question = read_question(text, in_view=True)
        if question.kind != "help":
            yield text
        if question.kind != "help" and not (question.again and question.score < ALONE):
            return


def _pasted(question: Question, task: Task) -> Question:
    """Return a question that comes with a pasted log: if that is no file here, it is on the step in it."""
    brought = Path(task.attachments[0]).name if task.attachments else ""
    is_file = len(question.pasted) >= LOG_LINES and number_of(brought)
    return replace(question, kind="events") if len(question.pasted) >= 2 and not is_file else question


def answer(case: Case, inventory: Inventory) -> Iterator[str]:
    """Yield the answer in pieces; what a tool could not do is said, not raised."""
    note, question = _before_all(case, inventory), case.question
    yield case.say("danger_seen") + "\n\n" if aspect("danger", question.words) else ""
    if note:
        yield note
        if not (aspect("corrected", question.words) and re.search("[?？]", question.text)):
            return
        yield "\n\n"
    if heads := heads_in(question.text) if _has_subject(case) else {}:
        named = (
            case.say("column_called", at=at + 1, head=quoted(head)) for at, head in sorted(heads.items())
        )
        yield case.say("read_so", columns=case.listed(named)) + "\n\n"
        if not aspect("asks", question.words):
            case = replace(case, question=replace(question, kind="diagnosis", score=0.0))
            question = case.question
    if note := _image_note(case):
        yield note + "\n\n"
        if not case.device and not known_log(case):
            return
    is_other = question.again and aspect("other_one", question.words)
    if is_other and len(question.channels) == 1 and case.same_device and known_log(case):
        of_log = case.tool("column_figures", **choose_log(case).named, only_loops=True)["columns"]
        rest = {column["channel"] for column in of_log} - {*question.channels}
        case = replace(case, question=replace(question, channels=tuple(sorted(rest))))
    kind = _kind(case)
    words, is_all = record.taken_up(case, kind)
    yield words
    if is_all:
        return
    yield case.say("unlogged") + "\n\n" if kind == "diagnosis" and _is_unlogged(case) else ""
    if held := record.forbidden_here(case):
        yield case.lead(False) + record.constraints_note(case, held)
    yield "\n\n" if words or held else ""
    try:
        if question.order:
            yield case.say("act_refused", label=case.label or case.say("act_no_device"))
            numbers = question.target is not None or question.factor is not None
            kind = "gains" if question.gain and numbers and (case.device or known_log(case)) else ""
            held = forbidding(constraints_in_force(case.task), acts_named(question.text))
            yield "\n\n" + record.constraints_note(case, held) if held else ""
            yield "\n\n" + case.say("act_judged") + "\n\n" if kind else ""
        yield from accounted(case, kind, partial(_composed_first, kind=kind)) if kind else ()
        yield from record.beside(case)
    except NothingToRead as problem:
        yield str(problem)
    except ToolFailed as problem:
        yield case.say("failed", reason=plain_text(str(problem)))
        yield "\n\n" + case.say("pasted_needs") if question.pasted else ""
        if question.clocks and _has_subject(case):  # of a log without them: judged all the same
            question = replace(question, clocks=(), moments=(), days=(), relative="", timed="")
            with suppress(ToolFailed):
                yield from chain(["\n\n"], diagnose(replace(case, question=question)))


def _composed_first(case: Case, kind: str) -> Iterator[str]:
    """Answer by figures of the columns named, else by its kind; a cause that is asked for comes first."""
    question, (told, is_all) = case.question, composed(case, kind)
    by_figures = (kind == "figures" and not question.extreme) or (bool(told) and is_all)
    is_seen = not told and kind == "figures" and _has_subject(case) and _is_of_what_was_seen(question)
    of_log = kind in ("figures", "diagnosis") or (kind == "compare" and not case.device)
    if is_seen or (of_log and _asks_for_cause(question, by_figures)):
        kind, is_all = "diagnosis", False
    is_own = kind == question.kind and (question.score >= ALONE or not told)
    is_first = kind == "diagnosis" and (is_own or is_seen)
    is_led = is_first or (kind in OF_A_LOG and (question.yes_no or aspect("why", question.words)))
    leads = _workings(case) if is_led else ""
    if leads:  # which answer it
        case = replace(case, question=replace(question, yes_no=False))
    answers = (
        [diagnose(case)]
        if is_first
        else [told, () if is_all else chain(["\n"] * bool(told), ANSWERS[kind](case))]
    )
    yield leads
    said = leads
    for piece in chain(*answers):
        said += piece
        yield piece
    is_asked_too = not is_led and any(map(asks_yes_no, asking(question.words)))  # is it strong enough?
    if is_asked_too and (works := _workings(case)) and works not in said:
        said += works
        yield "\n" + works
    if not said.strip():  # whatever was asked, what the log says of itself is an answer
        yield from diagnose(case)
    elif is_first:
        if question.channels and kind == "diagnosis":  # what is wrong on others is told all the same
            yield from fault_untold(replace(case, question=replace(question, channels=())), said)
        held = [row for row in told or held_setpoints(case, choose_log(case)) if row not in said]
        yield from ("\n", *held) if held else ()
    elif (kind in OF_A_LOG or told) and (case.device or known_log(case)):
        yield from fault_untold(case, said)
    is_of_log = kind in OF_A_LOG or told or (kind == "events" and not (question.clocks or question.lines))
    if is_of_log and not is_first and known_log(case) and len(case.task.devices) < 2:
        yield from _bearing(case, said)


def _workings(case: Case) -> str:
    """Return how the loops of the log work, as far as that is asked for, "" if it is not."""
    if not _has_subject(case) or len(case.task.devices) > 1:
        return ""
    with suppress(NothingToRead, ToolFailed):
        if told := workings_asked(case, diagnosed(case, choose_log(case))):
            return f"**{told[0]}**\n\n" + "".join(f"- {text}\n" for text in told[1:]) + "\n" * (len(told) > 1)
    return ""


def _bearing(case: Case, said: str) -> Iterator[str]:
    """Yield what the log has that bears on a question, beside the figures of it that were `said`."""
    about = choose_log(case)
    rows = [*bearing(case, about, diagnosed(case, about), said)]
    yield from (f"\n{case.say('bearing')}\n\n", *rows) if rows else ()


def _is_of_what_was_seen(question: Question) -> bool:
    """Return whether a question that reads as one for figures asks for none: it tells of what was seen."""
    asks_one = question.extreme or limits_asked(question.words) or aspect("open_form", question.words)
    of_swing = question.yes_no and not asks_one and aspect("swings", question.words)
    return bool(of_swing) or (not asks_one and question.quantity in ("temperature", "setpoint", ""))


def _asks_for_cause(question: Question, by_figures: bool) -> bool:
    """Return whether a cause is asked for where only figures were told, or a trouble is complained of."""
    parts = asking(question.words)
    yes_no = [part for part in parts if question.yes_no or asks_yes_no(part)]
    is_of_part = any(suspected(part) and not limits_asked(part) for part in yes_no)
    causes = (aspect(name, part) for part in parts for name in ("why", "happened", "danger"))
    is_asked = any(causes) or is_of_part or (question.yes_no and aspect("trouble_asked", question.words))
    return bool((by_figures and is_asked) or aspect("complains", question.words))


def _before_all(case: Case, inventory: Inventory) -> str:
    """Return what is said instead of an answer: of a yes, a statement, a permission."""
    is_courtesy = aspect("thanks", case.question.words) or aspect("bye", case.question.words)
    if approval(case.task.question) is not None and not is_courtesy:
        return case.say("assent_device" if case.label else "assent", label=case.label)
    if noted := record.points(case, tuple(device.own_names for device in inventory.devices)):
        named = case.task.devices
        label = named[0] if len(named) == 1 else "" if named else case.label
        title = case.say("noted", label=label or case.say("noted_all"), count=len(noted))
        return "\n\n".join((title, "\n".join(f"- {row}" for row in noted), case.say("noted_kept")))
    if case.question.score < ALONE and (stated := record.stated(case)):
        return "\n\n".join(stated)
    return record.permission(case)


def _kind(case: Case) -> str:
    """Return the kind by which a question is answered: its own, or one that its slots and subject ask for."""
    question, words, named = case.question, case.question.words, len(case.task.devices)
    kind, is_of_one = question.kind, len(case.task.devices) < 2
    if (kind in ("gains", "help") and aspect("danger", words)) or (
        kind in ("gains", "help", "figures") and _is_unlogged(case)
    ):
        return "diagnosis"
    if any(aspect(name, spelled(case.task.question)) for name in ("forget", "called", "which_log")):
        return "remembered"
    if aspect("was_changed", words) and (question.gain or question.quantity == "gains"):
        return "compare" if case.device else "figures"
    if is_of_one and _has_subject(case) and ranks(question):
        return "figures"
    begins = question.relative or question.days or re.search(r"\bsince\b|之?后|起(?!来)|以来|至今", words)
    of_every = aspect("every_device", words) and not case.task.attachments
    of_all = kind in ("events", "handover") and (of_every or not _has_subject(case))
    of_shift = (aspect("shift", words) or (of_all and begins)) and not case.task.devices
    if of_shift and shift_start(words, case.task.now) is not None:
        return "shift"
    if kind == "compare" and aspect("urgent", words):
        kind = "survey"
    if case.device and is_of_one and kind in OVER_LOGS and is_over_logs(case):
        return "logs"
    several = len(question.days) > 1 and not question.clocks
    if case.device and is_of_one and kind in OVER_LOGS and (several or aspect("trend", words)):
        return "figures" if kind == "figures" and question.extreme in EXTREMES else "compare"
    if is_of_one and _has_subject(case) and kind in OVER_LOGS and limits_asked(words):
        return "figures"
    of_lines = topic(case) and aspect("how_often", words) and question.quantity in ("", "period")
    of_moments = aspect("moments", words) and question.quantity in COLUMN and not window_words(words)
    if is_of_one and _has_subject(case) and kind == "figures" and (of_lines or of_moments):
        return "events"
    is_new = not case.task.messages and (case.task.attachments or not any(case.task.state.values()))
    if kind == "remembered" and is_new:
        kind = "diagnosis" if _has_subject(case) else kind  # nothing is on record
    least = {**dict.fromkeys(ONE_AT_A_TIME, 2), "compare": 3}.get(kind, inf)
    is_unread = kind == "diagnosis" and question.score < table()["least"]
    if named >= least or (not _has_subject(case) and is_unread):
        return "survey"
    return "diagnosis" if _has_subject(case) and _is_of_one(case, kind) else kind


def _is_unlogged(case: Case) -> bool:
    """Return whether it is asked what no log holds of a device: a price, an age, the time to come."""
    words = case.question.words
    return bool(aspect("unlogged", words) and aspect("asks", words)) and _has_subject(case)


def _has_subject(case: Case) -> bool:
    """Return whether a device or a log is named or in view."""
    return bool(case.device or known_log(case) or case.task.attachments or case.question.log)


def _is_of_one(case: Case, kind: str) -> bool:
    """Return whether a question that reads as one of `kind` asks how the one device or log in view is."""
    question, words, named = case.question, case.question.words, len(case.task.devices)
    may_run = named < 2 and asks_to_run(question)
    if kind != "survey":
        return may_run and (kind in ("help", "figures", "events") or (kind == "gains" and not question.gain))
    if case.task.attachments and not (named or any(aspect(name, words) for name in OF_MANY)):
        return True
    is_unread = question.score < (ALONE if may_run else table()["least"]) and not named
    is_of_named = named == 1 and (question.again or not aspect("others", words))
    of_next = aspect("next", words) and not aspect("which_one", words)
    of_channels = question.all_channels or aspect("which_channel", words)
    of_it = of_next or of_channels or not any(aspect(name, words) for name in OF_ALL)
    return bool(is_unread or is_of_named or of_it)


def plot(case: Case) -> Iterator[str]:
    """Draw the log, or channels or a stretch of it, and say in one sentence what it shows."""
    about = choose_log(case)
    window, note = window_asked(case, about)
    case = called(case, diagnosed(case, about))
    question = case.question
    several = list(question.channels) if len(question.channels) > 1 else None
    given = {**about.named, **window, "channel": question.channel, "channels": several}
    chart = "chart_error" if question.quantity == "error" else "chart"
    kind = "error" if question.quantity == "error" else "loop"
    case.tool("plot_log", **given, chart=kind, language=case.language)
    diagnosis = diagnosed(case, about)
    yield case.say(chart, label=about.label) + "\n\n"
    channel = case.say("where_channel", channel=case.listed(question.channels)).strip()
    span = " – ".join(window.get(end) or "…" for end in ("since", "until"))
    if parts := [channel] * bool(question.channels) + [span] * bool(window):
        yield case.say("chart_part", parts=case.listed(parts)) + "\n\n"
    yield note + "\n\n" if note else ""
    if question.quantity in PARTS and question.quantity not in COLUMN:  # which no chart shows
        yield from (*figures(replace(case, question=replace(question, kind="figures"))), "\n")
    yield verdict(case, about, diagnosis) + "\n\n" + header(case, about, diagnosis) + "\n"


def term(case: Case) -> Iterator[str]:
    """Explain the words that are asked about, each in a sentence, with the numbers of the log in view."""
    words, rows = case.question.words, terms()
    names = {
        spelled(name): key for key, row in rows.items() for name in (key.replace("_", " "), *row["also"])
    }
    meant = list(dict.fromkeys(names[name] for name in re.findall(term_names(), words) if name in names))
    if not meant:
        unknown = case.say("term_unknown", words=case.listed(key.replace("_", " ") for key in rows))
        yield from diagnose(case) if known_log(case) else [unknown]
        return
    for key in meant:
        fault = faults()[key][case.language] if key in faults() else {}
        text = f"**{fault['title']}**: {fault['definition']}" if fault else rows[key][case.language]
        yield f"- {text}\n"
    if known_log(case):
        diagnosis = diagnosed(case, choose_log(case, in_view=True))
        for finding in [one for one in diagnosis["findings"] if one["class"] in meant][:1]:
            yield "\n" + case.say("term_here", label=case.label, text=finding["summary"]) + "\n"


def help_(case: Case) -> Iterator[str]:
    """Answer thanks, greetings and goodbyes shortly, say what can be asked, and what cannot."""
    words = case.question.words
    if aspect("outside", words):
        yield case.say("outside") + "\n\n" + case.say("help_short")
    elif aspect("can_do", words) and ("?" in words or not aspect("thanks", words)):
        yield case.say("help")
    elif aspect("thanks", words) or aspect("bye", words):
        yield case.say("bye" if aspect("bye", words) else "welcome")
    else:
        yield case.say("help_short")


def _image_note(case: Case) -> str:
    """Return that a dropped image cannot be seen, "" if none is meant.

    The newest dropped file is meant where the question speaks of an image, or nothing was read yet.
    """
    newest = Path(case.task.attachments[0]).name if case.task.attachments else ""
    is_meant = aspect("image", case.question.words) or not case.task.state.get("last_log_file")
    is_image = Path(newest).suffix.casefold() in IMAGES
    return case.say("image_unseen", name=quoted(newest)) if is_image and is_meant else ""


ANSWERS: dict[str, Callable[[Case], Iterator[str]]] = {
    "diagnosis": diagnose,
    "figures": figures,
    "plot": plot,
    "compare": compare,
    "gains": gains,
    "events": events,
    "remembered": record.remembered,
    "survey": survey,
    "logs": over_logs,
    "handover": handover,
    "shift": shift,
    "term": term,
    "help": help_,
}
