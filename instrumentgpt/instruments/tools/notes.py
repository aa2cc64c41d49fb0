"""Tools of the record: an agent puts on it what it found, and looks back at what was said and found before.

They store nothing: the turn takes what they return into the state, as it takes any tool's result.
"""

from collections.abc import Sequence
from typing import Any

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.conversation import inventory_of, opened
from instrumentgpt.instruments.faults import fault_classes
from instrumentgpt.instruments.language import language_of
from instrumentgpt.instruments.precedents import MOST_SETTLED, earlier, settled_before, siblings
from instrumentgpt.instruments.tools.events import NoSuchLine
from instrumentgpt.instruments.tools.opened import ToolProblem, bare, find_log, open_log, texts_of
from instrumentgpt.instruments.workspace import Workspace
from instrumentgpt.memory.facts import name_of
from instrumentgpt.memory.gate import Source, unsaid
from instrumentgpt.memory.reading.own_words import DESCRIPTION_CHARS, ENTRY_CHARS, has_words, quoted
from instrumentgpt.memory.reading.statements import STATEMENT_CHARS, same
from instrumentgpt.memory.reading.values import recorded_value
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.memory.terms import terms
from instrumentgpt.memory.values import QUANTITY_CHARS, UNIT_CHARS, VALUE_CHARS, StoredFact
from instrumentgpt.moments import day
from instrumentgpt.storage import recall as index
from instrumentgpt.storage.conversations import list_messages
from instrumentgpt.storage.history import LAST_ID
from instrumentgpt.storage.revised_memory import revised_memory

MOST_LINES = 6  # quoted as evidence of one statement


class NotOnRecord(InstrumentGPTError, ValueError):
    """A statement that cannot be put on record as it is."""


def record_finding(
    workspace: Workspace,
    text: str,
    log: str,
    lines: Sequence[int],
    device: str = "",
    results: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Put on record what you saw in a log, with the lines that show it; what diagnose_log found is there.

    Its numbers must stand in those lines. Not for a cause, nor for what diagnose_log said.
    Example: record_finding(text="pv fell to 12.1 °C", log="run.log", lines=[4510]).

    results  what tools have returned to the agent so far, as JSON; None: nobody has to be checked
    """
    if not lines:
        raise NotOnRecord("A finding needs the log and the lines that show it: give lines=[…] of that log")
    return _statement(workspace, "findings", text, log, lines, device, results)


def record_hypothesis(
    workspace: Workspace, text: str, log: str = "", lines: Sequence[int] = (), device: str = ""
) -> dict[str, Any]:
    """Put on record a possible cause that is not shown yet, to be confirmed or ruled out.

    Not for what is proven or already on record.
    Example: record_hypothesis(text="the relay of channel 2 sticks").
    """
    return _statement(workspace, "hypotheses", text, log, lines, device)


def confirm_root_cause(
    workspace: Workspace,
    text: str,
    log: str = "",
    lines: Sequence[int] = (),
    device: str = "",
    results: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Put on record the root cause, when the evidence leaves no other: this closes the case.

    With the lines that prove it. Not while another cause would show the same.
    Example: confirm_root_cause(text="kp 50 is eight times too high", log="run.log", lines=[517]).

    results  as in record_finding
    """
    return _statement(workspace, "root_causes", text, log, lines, device, results)


def rule_out(workspace: Workspace, hypothesis: str, because: str) -> dict[str, Any]:
    """Take `hypothesis`, as it is on record, off it, so that nobody looks there again.

    With the number that rules it out.
    Example: rule_out(hypothesis="the fan", because="2,900 rpm throughout").

    because  the evidence against it, with its numbers
    """
    stated, reason = _stated(hypothesis), _stated(because)
    text = f"{stated}（{reason}）" if language_of(stated) == "zh" else f"{stated} ({reason})"
    return {"summary": text, "ruled_out": [stated]}


def record_value(
    workspace: Workspace,
    device: str,
    quantity: str,
    value: str | float,
    unit: str = "",
    channel: int | None = None,
    log: str = "",
    line: int | None = None,
) -> dict[str, Any]:
    """Put on record a value that no tool has reported: it replaces that of its device, channel and quantity.

    For what the user or a file tells. Not for what a tool read: that is on record.
    Example: record_value(device="zspr 052", quantity="kp", value=0.12, channel=2).

    device     "" for the one in question
    log, line  which shows it: the value is then as old as that line
    """
    about = {"device": inventory_of(workspace).find(device).name} if device else {}
    label, shown = _short("quantity", quantity, QUANTITY_CHARS), _short("value", str(value), VALUE_CHARS)
    unit = _short("unit", unit, UNIT_CHARS)
    fact = recorded_value(device, "" if channel is None else str(channel), label, shown, unit)
    if fact is None:
        raise NotOnRecord(
            f"{f'{shown} {unit}'.strip()!r} is no value of {label!r}. Give a number or an identifier "
            '("0.12", "SN-4411"), and its unit apart'
        )
    row: dict[str, Any] = {
        "quantity": fact.parameter,
        "value": fact.value,
        "unit": fact.unit,
        "channel": channel,
    }
    if evidence := _evidence(workspace, log, [] if line is None else [line], device):
        row |= {
            "line": line,
            "clock": _clock(workspace, log, evidence[0]["line"], device),
            "evidence": evidence,
        }
    named = name_of(fact.parameter) + ("" if channel is None else f", channel {channel}")
    whose = f" of {about['device']}" if about else ""
    source = {"log": bare(log.rpartition("/")[2])} if log else {}
    summary = f"on record: {named}{whose}: {f'{fact.value} {fact.unit}'.strip()}"
    return {"summary": summary, **about, **source, "values": [row]}


def record_constraint(workspace: Workspace, text: str, device: str = "") -> dict[str, Any]:
    """Put on record what the user forbids, limits or demands: it holds until it is lifted.

    Not for your own advice, nor for what a log or a file demands.
    Example: record_constraint(text="do not restart 052 before Friday", device="zspr 052").

    text    the user's own words, word for word; clauses may be left out
    device  which it is on; "": that which the text names, else the one in question
    """
    stated = _stated(text)
    _check_said(workspace, stated)
    about = {"device": inventory_of(workspace).find(device).name} if device else {}
    whose = f" ({about['device']})" if about else ""
    return {"summary": f"laid down: {stated}{whose}", **about, "constraints": [stated]}


def lift_constraint(workspace: Workspace, text: str, words: str) -> dict[str, Any]:
    """Put on record that the user has lifted a constraint, named as it is on record.

    When the user says so; never because it is in the way, or a log or a file says so.
    Example: lift_constraint(text="do not restart 052 before Friday", words="you may restart it now").

    words  the user's own, said since, word for word, that lift it
    """
    stated = _stated(text)
    with opened(workspace) as database:
        facts = revised_memory(database, workspace.conversation, DiagnosticState()).facts
    held = [row for row in facts if row.kind == "constraint"]
    if (lifted := _named_constraint(stated, held)) is None:
        listed = "; ".join(repr(row.sentence) for row in held) or "none"
        raise NotOnRecord(f"{stated!r} is not in force, or several are meant. In force are: {listed}")
    if lifted.pinned:
        raise NotOnRecord(f"{lifted.sentence!r} was pinned by the user: only the user lifts it")
    _check_said(workspace, words, after=lifted.message_id)
    named = {
        term for device in inventory_of(workspace).devices for name in device.names for term in terms(name)
    }
    if not {*terms(words)} & {*terms(lifted.sentence)} - named:
        reason = f"{words!r} does not speak of {lifted.sentence!r}"
        raise NotOnRecord(f"{reason}. Ask the user whether it still holds")
    about = {"device": lifted.fact.device} if lifted.fact.device else {}
    return {"summary": f"lifted: {lifted.sentence}", **about, "lifted": [lifted.sentence]}


def note(
    workspace: Workspace, slot: str, words: str, replaces: str = "", filed: Sequence[str] | None = None
) -> dict[str, Any]:
    """File what the user said in a slot of the interview; NotOnRecord if the words are not the user's.

    One call for each thing that the user told; not for your own words.
    Example: note(slot="examples", words="at 14:20 it fell to 70.8").

    What was tried, or proposed as a remedy, is "proposed", whoever says it. "must_have" is what the
    instrument must do; "success_criteria" by what one sees that it is settled; "constraints" what must not
    be touched, spent, or stopped.

    words     the user's own, word for word; clauses may be left out
    replaces  the earlier words that they correct; empty: they add
    filed     the lines gathered so far, in one of which `replaces` must stand; None: it is not checked
    """
    text = _short("note", words, DESCRIPTION_CHARS if slot == "description" else ENTRY_CHARS)
    _check_said(workspace, text)
    if replaces and filed is not None and not any(has_words(line, replaces) for line in filed):
        listed = "; ".join(map(repr, filed)) or "nothing"
        raise NotOnRecord(f"{replaces!r} stands in no line that is gathered. Gathered is: {listed}")
    instead = f" (instead of: {replaces})" if replaces else ""
    return {
        "summary": f"{slot}: {text}{instead}",
        "noted": {"slot": slot, "words": text, "replaces": replaces},
    }


def _check_said(workspace: Workspace, words: str, after: int = 0) -> None:
    """Raise NotOnRecord if `words` stand in no message of the user, or in none after the message `after`."""
    with opened(workspace) as database:
        messages = list_messages(database, workspace.conversation)
    texts = (message.content for message in messages if message.role == "user" and message.id > after)
    if not any(quoted(words, content) for content in texts):
        raise NotOnRecord(
            f"{words!r} are not the user's words. Give them as they stand in a message, or part of it"
        )


def _named_constraint(text: str, held: Sequence[StoredFact]) -> StoredFact | None:
    """Return the constraint that `text` names: the same words, or the only one that has them or is in them.

    Any likeness would not do: "open the door" lifts nothing on a valve.
    """
    folded = same(text)
    alike = [row for row in held if folded in same(row.sentence) or same(row.sentence) in folded]
    exact = [row for row in alike if same(row.sentence) == folded]
    return exact[-1] if exact else alike[0] if len(alike) == 1 else None


def _statement(
    workspace: Workspace,
    field: str,
    text: str,
    log: str,
    lines: Sequence[int],
    device: str,
    results: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return a statement as the state takes it; what neither its lines nor `results` say is an opinion.

    A cause that is no more than that is a hypothesis, and closes nothing.
    """
    stated = _stated(text)
    item: dict[str, Any] = {"text": stated, "evidence": _evidence(workspace, log, lines, device)}
    named = {"log": bare(log.rpartition("/")[2])} if log else {}
    summary = f"on record: {stated}"
    why, texts = "", ["\n".join(row["text"] for row in item["evidence"]), *(results or ())]
    if not item["evidence"]:
        why = "no line shows it (give log= and lines=)"
    elif missing := unsaid(stated, [Source("lines", "computed", text) for text in texts]):
        said = ", ".join(missing)
        why = f"{said} stands neither in these lines nor in any result (give the lines that say it)"
    if why and results is not None:
        field = "hypotheses" if field == "root_causes" else field
        item["opinion"] = True
        summary = f"on record as your opinion only, since {why}: {stated}"
    return {"summary": summary, **named, field: [item]}


def _stated(text: str) -> str:
    if not text.strip():
        raise NotOnRecord("There is no text. Say it in one sentence, with its numbers")
    return _short("text", text, STATEMENT_CHARS, "Say it in one sentence, or record several")


def _short(name: str, text: str, most: int, remedy: str = "Give it without its circumstances") -> str:
    text = " ".join(text.split())
    if len(text) > most:
        raise NotOnRecord(f"The {name} has {len(text):,} characters; {most} fit. {remedy}")
    return text


def _clock(workspace: Workspace, log: str, line: int, device: str) -> str:
    """Return the time of the sample at the line or before it; "" in a log that has none."""
    try:
        read = open_log(workspace, log, device).log
    except InstrumentGPTError:
        return ""
    times = read.samples.loc[read.samples["line"] <= line, "time"]
    return read.clock(float(times.iloc[-1])) if len(times) else ""


def _evidence(workspace: Workspace, log: str, lines: Sequence[int], device: str) -> list[dict[str, Any]]:
    """Return the `lines` of `log` as they stand there; NoSuchLine for one that it does not have."""
    if lines and not log:
        raise NotOnRecord("Which log are these lines of? Give log=…")
    if len(lines) > MOST_LINES:
        raise NotOnRecord(f"{len(lines)} lines are too many to quote. Give the {MOST_LINES} that tell most")
    if not log:
        return []
    texts = texts_of(find_log(workspace, log, device), [number for number in lines if number > 0])
    for number in lines:
        if number not in texts:
            raise NoSuchLine("line_not_found", log=log, line=number)
    return [{"line": number, "text": texts[number]} for number in lines]


class NothingToRecall(ToolProblem, LookupError):
    """No words to search the conversation for."""


def recall(workspace: Workspace, query: str) -> dict[str, Any]:
    """Return what was said earlier in the conversation on `query`, best first, with what stands around it.

    For exact words of earlier turns that the prompt only sums up.
    Example: recall(query="kp of channel 2").
    """
    if not query.strip():
        raise NothingToRecall("nothing_to_recall")
    devices = inventory_of(workspace).devices
    aliases = tuple(device.names for device in devices)
    with opened(workspace) as database:
        last = db.list_messages(database, workspace.conversation, last=1)
        before = last[0].id if last and last[0].role == "user" else LAST_ID  # the question being answered
        hits = index.recall(database, workspace.conversation, query, aliases, before)
    return {
        "summary": f"{len(hits)} earlier messages bear on {query!r}",
        "messages": [{"turn": hit.turn, "said_by": hit.role, "text": "\n".join(hit.lines)} for hit in hits],
    }


def device_history(workspace: Workspace, device: str, query: str = "") -> dict[str, Any]:
    """Return what other conversations found on the device and its siblings, the devices of the same model,
    and what settled their faults.

    For "has this happened before?". Not as evidence of now.
    Example: device_history(device="zspr 052", query="oscillation").

    That is history: it tells where to look, and nothing of how the device is now.

    query  what it is about; "" for everything that stands there
    """
    inventory = inventory_of(workspace)
    meant = inventory.find(device)
    with opened(workspace) as database:
        findings = earlier(database, meant, inventory, workspace.conversation, query)
        settled = settled_before(database, meant, inventory, fault_classes(query))
    beside = len(siblings(meant, inventory))
    return {
        "summary": f"{len(findings)} earlier findings of {meant.name} and its {beside} siblings",
        "device": meant.name,
        "label": meant.label,
        "siblings": beside,
        "earlier": [
            {
                "date": day(finding.item.found_at),
                "device": finding.device,
                "sibling": finding.sibling,
                "kind": finding.item.field,
                "text": finding.item.text,
                "conversation": finding.item.title,
                "conversation_id": finding.item.conversation_id,
                "message_id": finding.item.message_id,
            }
            for finding in findings
        ],
        "settled": [case.as_data() for case in settled[:MOST_SETTLED]],
    }
