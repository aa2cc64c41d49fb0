"""What is on record: what was found, said, laid down, done and ruled out; and what is only stated now."""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial, reduce
from typing import Any

from instrumentgpt.analyst.case import (
    Case,
    NothingToRead,
    ToolFailed,
    ask_for_log,
    bare,
    choose_log,
    diagnosed,
    known_log,
)
from instrumentgpt.analyst.constraints import (
    acts_named,
    constraints_in_force,
    forbidding,
    forbidding_clauses,
)
from instrumentgpt.analyst.questions import ALONE, CHANNELS, SHORT, aspect, likeness, read_question, spelled
from instrumentgpt.analyst.report import diagnose
from instrumentgpt.analyst.words import conversation_link, plain_text, quoted, together
from instrumentgpt.memory.facts import devices_in
from instrumentgpt.memory.reading.constraints import (
    Ruling,
    constraints_in,
    lifted_constraint,
    rulings_in_force,
)
from instrumentgpt.memory.reading.names import names_in
from instrumentgpt.memory.reading.own_words import is_question, sentences
from instrumentgpt.memory.reading.statements import statements
from instrumentgpt.memory.reading.values import values_in
from instrumentgpt.memory.terms import holds, is_common, phrases, synonyms, telling, terms

MOST_SAID, MOST_QUOTED, MOST_REASONS = 8, 4, 8
OF_ITS_OWN = ("remembered", "help", "handover", "term", "plot", "shift")  # kinds
_ASKING = "什么时候|何时|多久|多少|什么|怎么|[谁哪几吗呢]"  # no thing
FEW_WORDS = 3  # of a question that is understood, from which it may ask of what was said
COMPLAINT = 2.0  # log odds by the examples, of 2.4 at most, from which a message that asks nothing complains


def remembered(case: Case) -> Iterator[str]:
    """Answer from the record; what is asked for decides which part of it."""
    answers = {
        "forget": lambda case: iter([case.say("forget_where")]), "called": quoted_words,
        "which_log": None, "ruled_out": None, "forbidden": None, "history": _history,
        "said": quoted_words, "what_done": None,
    }  # fmt: skip
    words = spelled(case.task.question)
    name = next((name for name in answers if aspect(name, words)), "")
    spoken = [] if name else _spoken(case)[-MOST_QUOTED:]
    if spoken:
        yield from (case.say("said_title") + "\n\n", *spoken)
    else:
        yield from (answers.get(name) or partial(_record, only=name))(case)


def _record(case: Case, only: str = "") -> Iterator[str]:
    """Tell what is on record, section by section, or `only` one of them; without one nothing is fetched."""
    state, title = case.task.state, case.label or case.state_field("last_log_file")
    label = plain_text(title) or case.say("noted_all")
    findings = [plain_text(text) for text in state.get("findings") or []]
    is_known = not only and findings and known_log(case)
    sections = {
        "findings": findings,
        "ruled_out": _ruled_out(case, bool(is_known or (only == "ruled_out" and _has_log(case)))),
        "what_done": done_to_it(case),
        "said": [_stated_line(case, row, "recall_value") for row in case.task.stated * case.same_device],
        "forbidden": _laid_down(case) if only or case.same_device else [],
        "which_log": _logs_read(case),
    }
    if only:
        key = f"record_{only}" + ("" if sections[only] else "_nothing")
        yield from _listed(case, key, sections[only], label=label)
        yield "" if sections[only] else case.say(key, label=label)
        return
    if not (any(sections.values()) or state.get("root_causes")):
        key, ending = ("recall_first", "\n\n") if title else ("recall_nothing", "")
        yield case.say(key, label=label) + ending
        yield from diagnose(case) if title else ()
        return
    status = case.say(f"status_{state.get('status') or 'idle'}")
    yield case.say("recall_title", label=label, status=status) + "\n\n"
    for name, rows in sections.items():
        yield from _listed(case, f"record_{name}", rows, label=label)
        for part, key in (("root_causes", "root_cause"), ("hypotheses", "recall_hypotheses")):
            causes = state.get(part) or [] if name == "findings" else []
            yield from (case.say(key, cause=plain_text(text)) + "\n\n" for text in causes)
    others = case.task.others.items() if len(case.task.devices) != 1 else ()
    causes = (
        (name, [*(left.get("root_causes") or []), *(left.get("findings") or [])]) for name, left in others
    )
    rows = [plain_text(f"{device}: {texts[0]}") for device, texts in causes if texts]
    yield from _listed(case, "recall_others", rows)


def _has_log(case: Case) -> bool:
    return bool(case.device or known_log(case))


def _listed(case: Case, title: str, texts: list[str], **fields: str) -> Iterator[str]:
    if texts:
        yield case.say(title, **fields) + "\n\n" + "".join(f"- {text}\n" for text in texts) + "\n"


def _ruled_out(case: Case, with_checks: bool) -> list[str]:
    """Return what is out: by what was said in the conversation, and by the checks of the log."""
    reasons = dict[str, list[int]]()
    with suppress(ToolFailed):  # of a log that is gone, what was said of it is left
        for finding in diagnosed(case, choose_log(case, in_view=True))["findings"] if with_checks else ():
            for reason in finding["ruled_out"]:
                reasons.setdefault(reason, []).extend([finding["channel"]] * (finding["channel"] is not None))
    placed = {
        reason: case.say("stated_channel", channel=case.listed(of)) if of else ""
        for reason, of in reasons.items()
    }
    said = map(plain_text, dict.fromkeys(case.task.ruled_out))
    return [*said, *[reason + where for reason, where in placed.items()][:MOST_REASONS]]


def _logs_read(case: Case) -> list[str]:
    """Return the logs that were read of the device in question, the one of the last answer first."""
    about = known_log(case)
    read = (bare(name) for name in case.task.state.get("downloaded_logs") or [])
    last = about.log if about else bare(case.state_field("last_log_file"))
    logs = dict.fromkeys(filter(None, [last, *read])) if case.same_device else {}
    return [quoted(log) + (f" ({about.label})" if about and log == about.log else "") for log in logs]


def _laid_down(case: Case) -> list[str]:
    """Return what the user laid down, for the device in question or for all, each with its turn."""
    said = case.task.messages_of("user")
    turns = {text: turn for turn, message in said for text in case.task.constraints if text in message}
    return [
        quoted(text) + (case.say("in_turn", turn=turns[text]) if text in turns else "")
        for text in case.task.constraints
    ]


def is_done(text: str) -> bool:
    """Return whether `text` (spelled) says that something was done, and does not ask.

    >>> is_done("we swapped the thermocouple"), is_done("我昨天换了加热器"), is_done("was it swapped?")
    (True, True, False)
    """
    return bool(aspect("done", text)) and not aspect("asks", text)


def done_to_it(case: Case) -> list[str]:
    """Return what the user said was done to the device in question, each with its turn, oldest first."""
    done = ((turn, text) for turn, text in _said_of_it(case) if is_done(spelled(text)))
    return [case.say("done_row", turn=turn, text=quoted(text)) for turn, text in done][-MOST_SAID:]


def _said_of_it(case: Case) -> Iterator[tuple[int, str]]:
    """Yield the turn and the sentences of the user on the device in question, oldest first."""
    about = {"", *(case.task.devices or (case.state_field("device_name"), case.state_field("device_ip")))}
    names = tuple((device, *called) for device, called in case.task.nicknames.items())
    device = ""
    named = {row["turn"]: row["devices"][-1] for row in reversed(case.task.messages) if row.get("devices")}
    for turn, message in case.task.messages_of("user"):
        for text in (sentence for line in message.splitlines() for sentence in sentences(line)):
            device = next(iter(reversed(devices_in(text, names))), "") or named.get(turn, "") or device
            if device in about:
                yield turn, text


def _history(case: Case) -> Iterator[str]:
    """Say what other conversations found, dated, with links; what it is about comes first, else all of it."""
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    about = "\n".join(map(str, [case.question.text, *(case.task.state.get("findings") or [])[-1:]]))
    history = case.tool("device_history", device=case.device, query=about)
    if not history["earlier"]:
        history = case.tool("device_history", device=case.device)
    for entry in history["settled"]:
        fields = {name: entry[name] for name in ("date", "device", "link")}
        yield case.item("history_settled", outcome=plain_text(entry["outcome"]), **fields)
    yield "\n" * bool(history["settled"])
    key, count = "history_title" if history["earlier"] else "history_none", len(history["earlier"])
    yield case.say(key, label=history["label"], siblings=history["siblings"], count=count) + "\n\n"
    for entry in history["earlier"]:
        device = case.say("history_sibling", device=entry["device"]) if entry["sibling"] else entry["device"]
        link = conversation_link(entry["conversation"], entry["conversation_id"], entry["message_id"])
        text = plain_text(entry["text"])
        text = case.say("root_cause", cause=text) if entry["kind"] == "root_causes" else text
        yield case.item("history_finding", date=entry["date"], device=device, text=text, link=link)


def quoted_words(case: Case) -> Iterator[str]:
    """Say what the user stated of what is asked about, else what earlier messages say of it."""
    words = spelled(case.task.question)
    named = case.task.devices or tuple(case.task.nicknames)
    names = {device: called for device in named if (called := case.task.nicknames.get(device))}
    last = (
        max((int(row["turn"]) for row in case.task.stated), default=0) if aspect("value_said", words) else -1
    )
    values = stated(case) or [_stated_line(case, row) for row in case.task.stated if int(row["turn"]) == last]
    if aspect("called", words) and names:
        for device, called in names.items():
            yield case.item("called", device=device, names=case.listed(map(quoted, called)))
    elif values:
        yield "\n\n".join(values)
    else:
        ours, yours = aspect("me", words), aspect("you", words)
        is_ours = ours and (not yours or ours.start() < yours.start())  # what did I tell you
        lines = _messages_on(case, "user" if is_ours else "assistant" if yours else "")
        if not lines and any(_is_on(text, case) for text in case.task.constraints):
            yield from _record(case, "forbidden")
            return
        yield case.say("said_title") + "\n\n" + "".join(lines) if lines else case.say("said_nothing")


def _messages_on(case: Case, said_by: str) -> list[str]:
    """Return a line for each earlier message that bears on the question, best first; no questions."""
    messages, sought, rows = list[dict[str, Any]](), phrases(case.question.text), list[str]()
    with suppress(ToolFailed):  # outside of a conversation nothing was said
        messages = case.tool("recall", query=case.question.text)["messages"]
    for message in messages:
        lines = (line for line in message["text"].splitlines() if not is_question(line.strip()))
        text = " ".join(" ".join(lines).split())
        if said_by in ("", message["said_by"]) and any(holds(terms(text), phrase) for phrase in sought):
            key = f"said_by_{message['said_by']}"
            rows.append(case.say(key, turn=message["turn"], text=quoted(text)) + "\n")
    return rows[:MOST_QUOTED]


def stated(case: Case) -> list[str]:
    """Return a sentence for each value that the user stated of a quantity the question names."""
    rows, asked = case.task.stated if case.same_device else (), terms(case.question.text)
    said = list[str]()
    for row in rows:
        name = tuple(terms(row["parameter"]))
        group = next((names for names in synonyms() if name in names), (name,))
        said += [_stated_line(case, row)] * any(holds(asked, synonym) for synonym in group)
    return said


def _stated_line(case: Case, row: dict[str, Any], key: str = "stated") -> str:
    what = quoted(" ".join(filter(None, (row["parameter"], row["value"], row["unit"]))))
    channel = case.say("stated_channel", channel=row["channel"]) if row["channel"] else ""
    return case.say(key, turn=row["turn"], what=what, channel=channel)


def beside(case: Case) -> Iterator[str]:
    """Yield what belongs beside an answer: values the user stated, what was done since, what is laid down."""
    kind = case.question.kind
    if kind in ("figures", "gains") and (values := stated(case)):
        last = together([values[-1], case.say("stated_or_log")], case.language)
        yield "".join(f"\n\n{value}" for value in (*values[:-1], last))
    parts = re.split(r"[,，;；。?？!！\n]|\.(?=\s)|\band\b", case.task.question)
    rows = [*done_to_it(case), *[quoted(part.strip()) for part in parts if is_done(spelled(part))]]
    if rows and kind in ("diagnosis", "compare") and len(case.task.devices) < 2:
        yield "\n\n" + case.say("done_meanwhile") + "\n\n" + "".join(f"- {row}\n" for row in rows)
    said = "\n".join(message for _, message in case.task.messages_of("user"))
    causes = [
        one for one in case.task.state.get("root_causes") or [] if one in said or one in case.task.causes
    ]
    if kind == "diagnosis" and causes and case.same_device:
        yield "\n\n" + case.say("cause_stated", causes=case.listed(map(quoted, causes)))
    constraints = [text for text in constraints_in_force(case.task) if text not in forbidden_here(case)]
    constraints = [text for text in constraints if kind != "figures" or _is_on(text, case)]
    if kind in ("diagnosis", "gains", "figures") and constraints:
        yield "\n\n" + constraints_note(case, constraints, "constraints")


def permission(case: Case) -> str:
    """Return what the user laid down on the act that is asked about ("may I restart it?"), or ""."""
    kind, acts = case.question.kind, acts_named(case.question.text)
    is_other = kind in ("plot", "compare", "remembered", "handover", "term")
    if is_other or not aspect("may", case.question.words) or (kind == "gains" and case.question.gain):
        return ""
    constraints = constraints_in_force(case.task)
    relevant = forbidding(constraints, acts)
    relevant += [text for text in constraints if acts and text not in relevant and _is_on(text, case)]
    return constraints_note(case, relevant) if relevant else ""


def constraints_note(case: Case, constraints: list[str], key: str = "constraints_on_it") -> str:
    """Return that the user laid these down, and that they hold, by the sentence `key`."""
    return case.say(key, constraints=case.listed(quoted(text.rstrip(".。")) for text in constraints))


def _is_on(constraint: str, case: Case) -> bool:
    """Return whether what `constraint` forbids or limits is what the question speaks of: "the heater"."""
    forbidden = " ".join(forbidding_clauses(constraint)) or constraint
    return bool({*terms(forbidden)} & _things(case))


def _things(case: Case) -> set[str]:
    """Return the terms of the question that are no device, channel or number."""
    devices = (case.state_field("device_name"), case.state_field("device_ip"), *case.task.devices)
    named = terms(" ".join((*devices, *(match[0] for match in CHANNELS.finditer(case.question.words)))))
    of_text = telling(terms(re.sub(_ASKING, " ", case.question.words)))
    is_whole = (term for term in of_text if term.isascii() or not any(map(is_common, term)))
    return {term for term in is_whole if term not in named and not term.isdecimal()}


def taken_up(case: Case, kind: str) -> tuple[str, bool]:
    """Return that a message of `kind` is noted, or what was said of what it asks; and if that is all."""
    question, words = case.question, case.question.words
    if question.pasted or question.again or kind in OF_ITS_OWN:
        return "", False
    if aspect("asks", words) or question.yes_no:
        rows = _spoken(case)[-MOST_QUOTED:]
        text = "".join([case.say("said_title") + "\n\n", *rows]) if rows else ""
        return text, bool(rows and (question.score < ALONE or aspect("by_people", words)))
    is_whole = re.search(r"[,，。;；]|\.(?=\s|$)|\d\s*[a-z%°]", words)
    is_part = len(words) <= SHORT and not (is_whole or (aspect("states", words) and not question.quantity))
    is_trouble = any(aspect(name, words) for name in ("complains", "swings", "danger", "trouble_asked"))
    is_other = kind != "diagnosis" and (question.extreme or question.quantity or not aspect("states", words))
    if is_part or is_trouble or is_other or question.order or likeness(words)[question.kind] > COMPLAINT:
        return "", False
    is_all = kind != "diagnosis" or bool(case.task.messages_of("assistant"))  # a first one is judged, too
    return case.say("noted_words", text=quoted(question.text.strip())), is_all


def _spoken(case: Case) -> list[str]:
    """Return the user's sentences that say most of what the question names, and what corrects them."""
    question, sought, rows, is_on = case.question, _things(case), list[str](), False
    is_done = aspect("by_people", question.words)
    is_own = question.score >= ALONE and len(sought) < FEW_WORDS and not is_done  # a question of its kind
    if not sought or is_own or aspect("why", question.words):
        return []
    for turn, text in _said_of_it(case):
        held = set[str]() if is_question(text) else sought & {*terms(text)}
        needed = len(sought) + 1 - bool(is_done or len(held) > 1)
        is_on = 2 * len(held) >= needed or (is_on and bool(aspect("takes_back", spelled(text))))
        rows += [case.say("said_by_user", turn=turn, text=quoted(text)) + "\n"] if is_on else []
    return rows


def forbidden_here(case: Case) -> list[str]:
    """Return what the user laid down against the gains that the question would have changed, its way."""
    question, other = case.question, {"up": "down", "down": "up"}.get(case.question.direction)
    is_asked = question.yes_no or question.direction or aspect("may", question.words)
    if question.kind != "gains" or question.order or not is_asked:
        return []
    held = forbidding(constraints_in_force(case.task), acts_named(question.text))
    return [text for text in held if read_question(text).direction != other]


def _lifted(case: Case, sentence: str) -> str:
    """Return that what was laid down is no longer in force by `sentence`; "" where it lifted nothing."""
    said = [(turn, ruling) for turn, text in case.task.messages_of("user") for ruling in constraints_in(text)]
    earlier = [Ruling(kind, text) for _, (kind, text) in said]
    held = rulings_in_force(earlier)
    place = lifted_constraint(Ruling("lift", sentence), [earlier[at] for at in held])
    if place is None or earlier[held[place]].text in case.task.constraints:
        return ""
    turn, (_, text) = said[held[place]]
    return case.say("noted_lifted", text=quoted(text), turn=turn)


def points(case: Case, inventory_names: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return what a message states without asking, a line each: values, constraints, names, what was done."""
    question, text = case.question, case.task.question
    words, done = question.words, aspect("done", question.words)
    kinds = {ruling: kind for kind, ruling in constraints_in(text)}
    rulings, lifted = [*kinds], {one: _lifted(case, one) for one, kind in kinds.items() if kind == "lift"}
    beside = spelled(reduce(lambda rest, ruling: rest.replace(ruling, " "), rulings, text))
    asks = (aspect("asks", beside) or (question.yes_no and beside.strip())) and not aspect("corrected", words)
    is_forgetting = aspect("forget", words) and not any(lifted.values())
    is_other = question.pasted or is_forgetting or question.kind in ("plot", "handover")
    if is_other or asks or (question.order and not (done or rulings)):
        return []
    rows = [
        quoted(fact.parameter)
        + (case.say("stated_channel", channel=fact.channel) if fact.channel else "")
        + f": {quoted(f'{fact.value} {fact.unit}'.strip())}"
        for fact in values_in(text, case.device)
    ]
    rows += [lifted.get(ruling) or quoted(ruling) for ruling in rulings]
    rows += [quoted(row.text) for row in statements(text) if row.kind == "root_cause"]
    named = names_in(text, inventory_names)
    rows += [case.say("noted_name", device=name.device, name=quoted(name.nickname)) for name in named]
    is_denied = aspect("not_the_cause", words) or aspect("corrected", words)
    is_told = done and not aspect("complains", words)  # it did not help: that is a question
    is_said = is_told or (is_denied and question.score < ALONE)  # else it asks, once more
    return rows or [quoted(" ".join(case.task.question.split()))] * bool(is_said)
