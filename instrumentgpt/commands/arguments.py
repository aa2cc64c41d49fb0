"""What each command takes, a function of its name each: nothing is imported that --help does not need."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from instrumentgpt.commands.terminal import words

if TYPE_CHECKING:
    from instrumentgpt.instruments.reading.record import StatedLoop

NEVER_USED = ("--model", "--resume", "--workspace")  # of Cursor's flags: accepted, and of no effect here
ROLES = ("time", "setpoint", "pv", "output")


def ask(parser: argparse.ArgumentParser) -> None:
    """Add question, agent, conversation and output."""
    add = parser.add_argument
    add("question", type=words, help="in English or Chinese; “-” reads it from standard input")
    add("files", nargs="*", type=Path, metavar="FILE", help="logs or images to hand over")
    _agent(parser)
    add("--mode", default="chat", help="how it is answered: chat (default), …")
    add_going_on(parser)
    add_stating(parser)
    _json(parser, "print every event as a line of JSON")


def panel(parser: argparse.ArgumentParser) -> None:
    """Add question, log, agent and approval."""
    parser.add_argument("question", type=words, help="in English or Chinese; it may name a device")
    parser.add_argument("--log", type=Path, action="append", default=[], help="a log to examine (repeatable)")
    _agent(parser)
    parser.add_argument("--yes", action="store_true", help="approve the decomposition without asking")
    add_going_on(parser, "the panel of ")


def diagnose(parser: argparse.ArgumentParser) -> None:
    """Add logs, output and what a table may not say of itself."""
    add = parser.add_argument
    add("logs", nargs="+", type=Path, metavar="LOG", help="a log file, .gz, or folder of parts")
    _json(parser, "one JSON object a line, likeliest root cause first")
    add("--report", type=Path, metavar="FILE", help="write an .html to read, print and hand on, too")
    add_stating(parser)
    _language(parser, "of the findings")


def compare(parser: argparse.ArgumentParser) -> None:
    """Add the logs, or one log and a time."""
    add = parser.add_argument
    add("logs", nargs="+", type=Path, metavar="LOG", help="the older and the newer log, or one with --at")
    add("--at", type=clock, metavar="HH:MM", help="divide one log at this time of its clock")
    _json(parser, "one JSON object per difference and line")
    _language(parser, "of the sentences")


def plot(parser: argparse.ArgumentParser) -> None:
    """Add log, channel and where to write."""
    add = parser.add_argument
    add("log", type=Path, metavar="LOG", help="a log file, .gz, or folder of parts")
    add("-o", "--output", type=Path, required=True, metavar="FILE", help="the .html or .json to write")
    add(
        "--chart",
        default="loop",
        metavar="NAME",
        help="loop (default), error: pv less setpoint, or trend: what changes over days",
    )
    add("--channel", type=int, metavar="N", help="this channel alone")
    _language(parser, "of the labels")


def devices(parser: argparse.ArgumentParser) -> None:
    """Add the output form."""
    _json(parser, "print one JSON object a line")


def scan(parser: argparse.ArgumentParser) -> None:
    """Add which devices and logs, how many processes, and output."""
    parser.add_argument("device", nargs="*", metavar="DEVICE", help="by name or address; none: all of them")
    parser.add_argument("--newest", type=int, default=0, metavar="N", help="only the N newest logs of each")
    _add_judges(parser)
    parser.add_argument("--export", type=Path, metavar="FILE", help="all verdicts as .parquet or .csv, too")
    _json(parser, "one JSON object per device and line")
    _language(parser, "of the text")


def watch(parser: argparse.ArgumentParser) -> None:
    """Add how often, and how many processes."""
    parser.add_argument("--every", type=minutes, default=10.0, metavar="MINUTES", help="between looks (10)")
    parser.add_argument("--once", action="store_true", help="look once and end, for a timer of the system")
    _add_judges(parser)


def _language(parser: argparse.ArgumentParser, of: str) -> None:
    parser.add_argument("--language", choices=["en", "zh"], default="en", help=f"{of} (default: en)")


def _json(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--json", action="store_true", help=what)


def _agent(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", default="auto", help="who answers: auto (default), offline, cursor, …")


def _add_judges(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes (default: one a core)")
    parser.add_argument(
        "--scheduler", default="", metavar="ADDRESS", help="judge on this Dask cluster instead"
    )


def eval(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments (docs/command-line.md)."""
    add = parser.add_argument
    add("--agent", action="append", metavar="NAME", help="who answers, several times for several")
    add("--kind", action="append", metavar="KIND", help="only cases of this kind")
    add("--limit", type=int, metavar="N", help="only the first N cases")
    add("--seeds", type=int, default=1, metavar="N", help="simulated logs with N noises (1)")
    add("--record", action="store_true", help="keep what models say, to be replayed")
    add("--report", type=Path, metavar="FILE", help="write an HTML page, side by side")
    add("--rated", action="store_true", help="print the answers that were rated on the page")


def search(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments (docs/command-line.md)."""
    parser.add_argument("words", type=words, metavar="WORDS", nargs="+", help="in English or Chinese")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="so many hits at most (20)")
    _json(parser, "one JSON object per hit and line")


def case(parser: argparse.ArgumentParser) -> None:
    """Add what is done, with which case, its outcome and output."""
    add = parser.add_argument
    add("action", choices=["list", "open", "show", "close", "reopen"], help="what to do")
    add(
        "which",
        type=words,
        nargs="*",
        metavar="WHICH",
        help="words to list those that hold them; a case's number; to open one, a conversation's id",
    )
    add("--outcome", type=words, default="", metavar="TEXT", help="what settled it, to close it")
    add("--on", default="", metavar="DAY", help="when that was, as 2026-11-24 (today)")
    add("--device", type=words, default="", help="list only those of this device, by name")
    add("--state", choices=["open", "closed", "reopened", "unsettled"], default="", help="list only these")
    _json(parser, "one JSON object per case and line")
    _language(parser, "of the text")


def report(parser: argparse.ArgumentParser) -> None:
    """Add what is reported, since when, and where it is written."""
    add = parser.add_argument
    add("what", choices=["shift", "case", "answer"], help="what is handed on")
    add(
        "which",
        nargs="?",
        default="",
        metavar="WHICH",
        help="a case's number; a conversation's id, of which the newest answer is taken, or ID/MESSAGE",
    )
    add("--since", type=words, default="", metavar="TIME", help="of a shift: “yesterday 18:00”, “昨天18:00”")
    add(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="the .html, .pdf or .md to write (default: print it)",
    )
    _language(parser, "of the text")


def export(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments (docs/command-line.md)."""
    parser.add_argument("conversation", metavar="CONVERSATION", help="its id, as in the address: ?conv=ID")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the file to write")


def prune(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments (docs/command-line.md)."""
    add = parser.add_argument
    add("--days", type=float, metavar="N", help="untouched for N days (default: the setting)")
    add("--yes", action="store_true", help="do it; without this nothing is changed")
    add("--export", type=Path, metavar="FOLDER", help="with --yes: write each as a zip before")


def rebuild(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments (docs/command-line.md)."""
    parser.add_argument("conversation", nargs="*", metavar="CONVERSATION", help="its id; none: all of them")


def doctor(parser: argparse.ArgumentParser) -> None:
    """Add nothing: there is nothing to choose."""


def offline(parser: argparse.ArgumentParser) -> None:
    """Add the flags of Cursor's `agent`, of which most matter here, and `--task`."""
    add = parser.add_argument
    add("prompt", nargs="?", help="the question; without it, it is read from standard input")
    add("--task", type=Path, metavar="FILE", help="the task as JSON (docs/architecture.md)")
    add("-p", "--print", action="store_true", help="answer and end (always so)")
    add(
        "--output-format",
        choices=["text", "json", "stream-json"],
        default="text",
        help="text (default), one JSON result, or one JSON event a line",
    )
    add("--stream-partial-output", action="store_true", help="print the text as it comes")
    for flag in NEVER_USED:
        add(flag, help=argparse.SUPPRESS)


def add_going_on(parser: argparse.ArgumentParser, part: str = "") -> None:
    """Add the options that `conversation_for` reads.

    part  of the conversation that is gone on with, as in "the panel of "
    """
    going_on = parser.add_mutually_exclusive_group()
    going_on.add_argument("--conversation", metavar="ID", help=f"go on with {part}this conversation")
    going_on.add_argument(
        "--continue", dest="continue_", action="store_true", help=f"go on with {part}the latest conversation"
    )


def add_stating(parser: argparse.ArgumentParser) -> None:
    """Add the options that `stated_by` reads."""
    add = parser.add_argument
    add("--columns", type=columns, metavar="NAME=N,…", help="of a table: time=0,setpoint=1,pv=2,output=3")
    for role in ROLES:
        value = " or VALUE" if role == "setpoint" else ""
        add(
            f"--{role}",
            metavar="COLUMN" + value.replace(" or ", "|"),
            help=f"the column of {role}, by head or number{value}",
        )
    add("--period", type=positive, metavar="SECONDS", help="between rows, for a table without time")
    add("--unit", type=unit, metavar="UNIT", help="of the temperature: C, F, K or counts")
    add(
        "--kind",
        type=kind,
        action="append",
        default=[],
        metavar="[CHANNEL=]KIND",
        help="of its loop: continuous, on_off, manual or idle; heats or cools (1=on_off,cools)",
    )
    add(
        "--band",
        type=band,
        action="append",
        default=[],
        metavar="[CHANNEL=]SIZE",
        help="deviation of pv that is worth a word, in its unit",
    )
    add("--forget", action="store_true", help="what was said of logs like these before")


def columns(text: str) -> dict[str, int]:
    """Return "time=0,pv=2" as name → 0-based column.

    >>> columns("time=0,pv=2")
    {'time': 0, 'pv': 2}
    """
    try:
        return {name.strip(): int(number) for name, number in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: write it like time=0,setpoint=1,pv=2,output=3") from None


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
    if not 0 < (value := float(size)) < float("inf"):
        raise argparse.ArgumentTypeError(f"{size} is no band. Give a size above 0, in the unit of pv")
    return channel, StatedLoop(band=value)


def _of_channel(text: str) -> tuple[int, str]:
    channel, _, value = text.rpartition("=")
    return int(channel or 0), value


def positive(text: str) -> float:
    """Return a number of seconds above 0."""
    seconds = float(text)
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 seconds")
    return seconds


def minutes(text: str) -> float:
    """Return a number of minutes, of a tenth at least."""
    number = float(text)
    if not 0.1 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time to wait: give minutes, 0.1 or more")
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
