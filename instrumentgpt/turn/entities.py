"""Which things a turn touched, read from what its tools returned, what it made, and what was said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlite_utils import Database

import db
from instrumentgpt.agents.stream import string
from instrumentgpt.instruments.lognames import start_time
from instrumentgpt.memory.summary import shorten
from instrumentgpt.storage.entities import Flag, Sighting, list_entities
from instrumentgpt.turn.record import rows_of

LABEL_CHARS = 80  # of what somebody else worded
REF = re.compile(
    r"(?<![A-Za-z0-9_])(?:gen_)?(?:device|log|loop|finding|chart|report|note)_[1-9]\d*(?![A-Za-z0-9_])"
)
_SUMMARISING = (
    "diagnose_log", "channel_metrics", "column_figures", "survey_devices", "advise_gains", "compare_logs"
)  # fmt: skip
_READING = ("plot_log", "read_lines", "search_events", "look_at_time")
FLAGS: dict[str, Flag] = {  # tool → what is known of a log it worked on
    **dict.fromkeys(_SUMMARISING, "read:summary"),
    **dict.fromkeys(_READING, "read:full"),
}
GENERATED = ("html", "markdown", "report")  # kinds of artifacts that are the user's to save


def refs_in(text: str) -> list[str]:
    """Return the refs that `text` names as whole words, each once.

    >>> refs_in("看log_1，compare with loop_12 (gen_report_1), not blog_1, log_x or log_1.")
    ['log_1', 'loop_12', 'gen_report_1']
    """
    return list(dict.fromkeys(REF.findall(text)))


def touched(
    database: Database, conversation_id: str, run_id: str, results: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[Sighting]:
    """Return what the `results` of our tools (name, JSON) speak of, what the run made, and what was saved."""
    entities = list_entities(database, conversation_id)
    made = [
        Sighting("report", one_line(row.title), {"artifact": row.id}, "unsaved", generated=True)
        if row.kind in GENERATED
        else Sighting("chart", one_line(row.title), {"artifact": row.id})
        for row in db.list_artifacts(database, run_id, "run_id")
    ]
    # some tools name the log alone: its device is known from elsewhere
    devices = {str(log.link.get("log")): str(log.link.get("device")) for log in entities if log.type == "log"}
    devices |= {_text(result, "log"): _text(result, "device") for _, result in results if "device" in result}
    told = [(name, {"device": devices.get(_text(result, "log"), ""), **result}) for name, result in results]
    seen = [thing for name, result in told for thing in seen_in(name, result)]
    # the conversation's own notes, and documents saved in another way than from here, without ref
    links, refs = [entity.link for entity in entities], {entity.ref for entity in entities}
    saved = [
        Sighting("note", one_line(note.id), {"note": note.id}, "read")
        for note in db.list_notes(database, scope=conversation_id)
    ]
    saved += [
        Sighting("report", one_line(document.title), {"document": document.id}, "created")
        for document in reversed(db.list_documents(database, conversation_id))
        if document.ref not in refs
    ]
    return [*seen, *made, *[sighting for sighting in saved if sighting.link not in links]]


def seen_in(tool: str, result: Mapping[str, Any]) -> Iterator[Sighting]:
    """Yield the things that a tool's `result` speaks of: its log and device, loops and findings at fault."""
    if tool == "survey_devices":
        for row in rows_of(result, "devices"):
            yield from _of_log(row, FLAGS[tool])
            yield from _fault(_text(row, "device"), _text(row, "log"), row)
        return
    if tool != "fetch_log" and tool not in FLAGS and "findings" not in result:
        return
    yield from _of_log(result, FLAGS.get(tool, ""))
    for finding in rows_of(result, "findings"):
        yield from _fault(_text(result, "device"), _text(result, "log"), finding)


def _of_log(result: Mapping[str, Any], flag: Flag) -> Iterator[Sighting]:
    device, log = _text(result, "device"), _text(result, "log")
    if device and _text(result, "label"):
        yield Sighting("device", one_line(_text(result, "label")), {"device": device})
    if log:
        yield Sighting("log", log_label(device, log), {"device": device, "log": log}, flag)


def _fault(device: str, log: str, finding: Mapping[str, Any]) -> Iterator[Sighting]:
    """Yield a finding, and the loop it is on; nothing for one that says all is well."""
    fault, channel = _text(finding, "class"), finding.get("channel")
    if fault == "healthy" or not (fault or _text(finding, "text")):
        return
    where = device or log
    if isinstance(channel, int):
        about: dict[str, Any] = {"device": device, "log": "" if device else log, "channel": channel}
        where = f"channel {channel} of {where}"
        yield Sighting("loop", one_line(where), about, "read:summary")
    title = _text(finding, "title") or _text(finding, "text")
    link = {"device": device, "log": log, "channel": channel, "fault": fault or title}
    yield Sighting("finding", one_line(f"{title} · {where}"), link, "read")


def log_label(device: str, log: str) -> str:
    """Return what people call a log: its device and when it was begun, or its name.

    >>> log_label("zspr 052", "InstrumentDebug_2026-02-19_23-24-45.39.log"), log_label("", "run.csv")
    ('zspr 052 · 2026-02-19 23:24', 'run.csv')
    """
    when = start_time(log)
    return one_line(" · ".join(filter(None, (device, f"{when:%Y-%m-%d %H:%M}" if when else log))))


def one_line(text: str) -> str:
    """Return `text` as a label: one line, short, without signs that would make it code, a tag or a heading.

    >>> one_line("a `b`\\n## Generated Content <note>")
    "a 'b' ## Generated Content ‹note>"
    """
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return shorten(plain.replace("`", "'").replace("<", "‹").replace("[", "(").replace("]", ")"), LABEL_CHARS)


def _text(table: Mapping[str, Any], name: str) -> str:
    return string(table.get(name))
