"""What each command takes: nothing is imported that --help does not need."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from instrumentgpt.commands.terminal import words

if TYPE_CHECKING:
    from instrumentgpt.instruments.reading.record import StatedLoop

Option = tuple[tuple[str, ...], dict[str, Any]]  # what argparse is given: names, and what it says of them
ROLES = ("time", "setpoint", "pv", "output")


def columns(text: str) -> dict[str, int | str]:
    """Return "time=0,pv=temp" as name → 0-based column, or its head.

    >>> columns("time=0,pv=temp")
    {'time': 0, 'pv': 'temp'}
    """
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and column.strip() for name, _, column in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: write it like time=0,setpoint=1,pv=2,output=3")
    given = ((name.strip(), column.strip()) for name, _, column in parts)
    return {name: int(column) if column.isdecimal() else column for name, column in given}


def kind(text: str) -> "tuple[int, StatedLoop]":
    """Return "1=on_off" as (1, a loop that is so); without a channel it is 0: every one."""
    from instrumentgpt.instruments.reading.stated import stated_loop  # pandas

    channel, text = _of_channel(text)
    try:
        return channel, stated_loop(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def band(text: str) -> "tuple[int, StatedLoop]":
    """Return "1=0.5" as (1, a loop with that band); without a channel it is 0: every one."""
    from instrumentgpt.instruments.reading.record import StatedLoop  # pandas

    channel, size = _of_channel(text)
    return channel, StatedLoop(band=positive(size))


def _of_channel(text: str) -> tuple[int, str]:
    channel, _, value = text.rpartition("=")
    return int(channel or 0), value


def positive(text: str) -> float:
    """Return a number above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def unit(text: str) -> str:
    """Return the unit that `text` names."""
    from instrumentgpt.instruments.reading.stated import stated_unit  # pandas

    try:
        return stated_unit(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def clock(text: str) -> str:
    """Return a time of day as it is written, if it is one.

    >>> clock("14:20")
    '14:20'
    """
    if not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no time of day: write it like 14:20 or 14:20:05")
    return text


def option(*names: str, **look: Any) -> Option:
    """Return an argument as argparse is given it; `help` is said by --help."""
    return names, look


def _language(of: str) -> Option:
    return option("--language", choices=["en", "zh"], default="en", help=f"{of} (default: en)")


def _json(what: str) -> Option:
    return option("--json", action="store_true", help=what)


def _output(what: str, required: bool = False) -> Option:
    return option("-o", "--output", type=Path, required=required, metavar="FILE", help=what)


def _of_loops(name: str, read: Callable[[str], object], value: str, what: str) -> Option:
    """Return an option that may be given several times, for a channel each."""
    return option(name, type=read, action="append", default=[], metavar=f"[CHANNEL=]{value}", help=what)


def _role(role: str) -> Option:
    value = "|VALUE" if role == "setpoint" else ""
    text = f"the column of {role}, by head or number{value.replace('|', ' or ')}"
    return option(f"--{role}", metavar=f"COLUMN{value}", help=text)


AGENT = option("--agent", default="auto", help="who answers: auto (default), offline, cursor, …")
JOBS = option("--jobs", type=int, default=0, metavar="N", help="processes (default: one a core)")
STATING = (  # what a log does not say of itself
    option("--columns", type=columns, metavar="NAME=N,…", help="of a table: time=0,setpoint=1,pv=2,output=3"),
    *map(_role, ROLES),
    option("--period", type=positive, metavar="SECONDS", help="between rows, for a table without time"),
    option("--unit", type=unit, metavar="UNIT", help="of the temperature: C, F, K or counts"),
    _of_loops(
        "--kind",
        kind,
        "KIND",
        "of its loop: continuous, on_off, manual or idle; heats or cools (1=on_off,cools)",
    ),
    _of_loops("--band", band, "SIZE", "deviation of pv that is worth a word, in its unit"),
    option("--forget", action="store_true", help="what was said of logs like these before"),
)
GOING_ON = {"ask": "", "panel": "the panel of "}  # command → the part of a conversation that it goes on with
OPTIONS: dict[str, tuple[Option, ...]] = {
    "ask": (
        option("question", type=words, help="in English or Chinese; “-” reads it from standard input"),
        option("files", nargs="*", type=Path, metavar="FILE", help="logs or images to hand over"),
        AGENT,
        option("--mode", default="chat", help="how it is answered: chat (default), …"),
        *STATING,
        _json("print every event as a line of JSON"),
    ),
    "panel": (
        option("question", type=words, help="in English or Chinese; it may name a device"),
        option("--log", type=Path, action="append", default=[], help="a log to examine (repeatable)"),
        AGENT,
        option("--yes", action="store_true", help="approve the decomposition without asking"),
    ),
    "diagnose": (
        option("logs", nargs="+", type=Path, metavar="LOG", help="a log file, .gz, or folder of parts"),
        _json("one JSON object a line, likeliest root cause first"),
        option("--report", type=Path, metavar="FILE", help="write an .html to read, print and hand on, too"),
        *STATING,
        _language("of the findings"),
    ),
    "compare": (
        option(
            "logs", nargs="+", type=Path, metavar="LOG", help="the older and the newer log, or one with --at"
        ),
        option("--at", type=clock, metavar="HH:MM", help="divide one log at this time of its clock"),
        _json("one JSON object per difference and line"),
        _language("of the sentences"),
    ),
    "plot": (
        option("log", type=Path, metavar="LOG", help="a log file, .gz, or folder of parts"),
        _output("the .html or .json to write", required=True),
        option(
            "--chart",
            default="loop",
            metavar="NAME",
            help="loop (default), error: pv less setpoint, or trend: what changes over days",
        ),
        option("--channel", type=int, metavar="N", help="this channel alone"),
        _language("of the labels"),
    ),
    "devices": (
        option("device", nargs="*", metavar="DEVICE", help="how the newest log of these is read, in lines"),
        *STATING,
        _json("print one JSON object a line"),
        _language("of the lines on a log"),
    ),
    "scan": (
        option("device", nargs="*", metavar="DEVICE", help="by name or address; none: all of them"),
        option("--newest", type=int, default=0, metavar="N", help="only the N newest logs of each"),
        JOBS,
        option("--export", type=Path, metavar="FILE", help="all verdicts as .parquet or .csv, too"),
        _json("one JSON object per device and line"),
        _language("of the text"),
    ),
    "watch": (
        option("--every", type=positive, default=10.0, metavar="MINUTES", help="between looks (10)"),
        option("--once", action="store_true", help="look once and end, for a timer of the system"),
        JOBS,
    ),
    "eval": (
        option("--agent", action="append", metavar="NAME", help="who answers, several times for several"),
        option("--kind", action="append", metavar="KIND", help="only cases of this kind"),
        option("--limit", type=int, metavar="N", help="only the first N cases"),
        option("--seeds", type=int, default=1, metavar="N", help="simulated logs with N noises (1)"),
        option("--rated", action="store_true", help="print the answers that were rated on the page"),
    ),
    "search": (
        option("words", type=words, metavar="WORDS", nargs="+", help="in English or Chinese"),
        option("--limit", type=int, default=20, metavar="N", help="so many hits at most (20)"),
        _json("one JSON object per hit and line"),
    ),
    "case": (
        option("action", choices=["list", "open", "show", "close", "reopen"], help="what to do"),
        option(
            "which",
            type=words,
            nargs="*",
            metavar="WHICH",
            help="words to list those that hold them; a case's number; to open one, a conversation's id",
        ),
        option("--outcome", type=words, default="", metavar="TEXT", help="what settled it, to close it"),
        option("--on", default="", metavar="DAY", help="when that was, as 2026-11-24 (today)"),
        option("--device", type=words, default="", help="list only those of this device, by name"),
        option(
            "--state", choices=["open", "closed", "reopened", "unsettled"], default="", help="list only these"
        ),
        _json("one JSON object per case and line"),
        _language("of the text"),
    ),
    "report": (
        option("what", choices=["shift", "case", "answer"], help="what is handed on"),
        option(
            "which",
            nargs="?",
            default="",
            metavar="WHICH",
            help="a case's number; a conversation's id, of which the newest answer is taken, or ID/MESSAGE",
        ),
        option(
            "--since",
            type=words,
            default="",
            metavar="TIME",
            help="of a shift: “yesterday 18:00”, “昨天18:00”",
        ),
        _output("the .html, .pdf or .md to write (default: print it)"),
        _language("of the text"),
    ),
    "export": (
        option("conversation", metavar="CONVERSATION", help="its id, as in the address: ?conv=ID"),
        _output("the file to write"),
    ),
    "prune": (
        option("--days", type=float, metavar="N", help="untouched for N days (default: the setting)"),
        option("--yes", action="store_true", help="do it; without this nothing is changed"),
        option("--export", type=Path, metavar="FOLDER", help="with --yes: write each as a zip before"),
    ),
    "rebuild": (option("conversation", nargs="*", metavar="CONVERSATION", help="its id; none: all of them"),),
    "doctor": (),
    "offline": (option("--task", type=Path, metavar="FILE", help="the task as JSON (docs/architecture.md)"),),
}


def add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Add what `command` takes."""
    for names, look in OPTIONS[command]:
        parser.add_argument(*names, **look)
    if command in GOING_ON:
        group, part = parser.add_mutually_exclusive_group(), GOING_ON[command]
        group.add_argument("--conversation", metavar="ID", help=f"go on with {part}this conversation")
        help = f"go on with {part}the latest conversation"
        group.add_argument("--continue", dest="continue_", action="store_true", help=help)
