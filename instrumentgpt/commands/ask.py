"""`ask` and `panel`: turns in the terminal, the same as on the page."""

import argparse
import contextlib
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from instrumentgpt import warm_server
from instrumentgpt.agents.answer import Answer
from instrumentgpt.agents.events import Artifact, Done, Event, Failure, Text, Tick, Tool, to_json
from instrumentgpt.commands.shared import WrongArguments, conversation_for, opened
from instrumentgpt.commands.stating import at_terminal, read_stated, stated_by
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.lognames import is_log_name
from instrumentgpt.instruments.reading.bounds import check_is_file, check_size
from instrumentgpt.instruments.reading.transcripts import unpacked
from instrumentgpt.settings import home
from instrumentgpt.storage.panels import latest_panel
from instrumentgpt.storage.paths import database_path, make_files_private
from instrumentgpt.turn import runs
from instrumentgpt.turn.open_questions import open_questions

SHOWN = ("device", "log", "query")  # arguments of a tool call that a reader cares for
_LINK = re.compile(r"\[([^\[\]\n]*)\]\(\?(?:log|conv)=[^()\s]*\)")  # the terminal shows its text
_OPEN_LINK = re.compile(r"\[[^\[\]\n]{0,40}(?:\](?:\([^()\s]*)?)?$")  # the beginning of one, at the end


def run_ask(arguments: argparse.Namespace) -> int:
    """Answer the question on standard output; return 0 if there is an answer, else 1."""
    make_files_private()
    question = arguments.question
    if question == "-":
        question = sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    files = [
        file for path in arguments.files for file in unpacked(known_file(path), home() / "cache" / "unpacked")
    ]
    conversation = conversation_for(question, arguments)
    _state(files, conversation, arguments)
    events = runs.consume(
        database_path(), conversation, question, mode=arguments.mode, agent=arguments.agent, attachments=files
    )
    with warm_server.beside(), closing(events) as stream:
        code = _print_json(stream) if arguments.json else print_text(stream, sys.stdout.isatty())
    if not arguments.json:
        with opened() as database:
            for open_question in open_questions(database, conversation):
                print(f"\n{open_question.words()} {open_question.words('terminal')}")
        print(f"conversation {conversation} (go on with --continue)", file=sys.stderr)
    return code


def _state(files: list[Path], conversation: str, arguments: argparse.Namespace) -> None:
    """Remember for the conversation what the options, or the person at the terminal, say of its logs."""
    stated, asks = stated_by(arguments), at_terminal() and not arguments.json
    for path in files if stated or asks else ():
        with contextlib.suppress(InstrumentGPTError, OSError):  # the answer will say what is wrong with it
            if is_log_name(path.name):
                read_stated(path, conversation, stated, arguments.forget, asks)


def known_file(path: Path) -> Path:
    """Return the path of a file that can be handed over; raise WrongArguments with the remedy."""
    try:
        check_is_file(path)
        with path.open("rb"):
            check_size(path.name, path.stat().st_size)
        return path
    except OSError as problem:
        raise WrongArguments(
            f"{path}: {problem.strerror}. Give the path of a file that can be read"
        ) from None


def _print_json(events: Iterator[Event]) -> int:
    outcome = "no-result"
    for event in events:
        print(to_json(event), flush=True)
        outcome = event.outcome if isinstance(event, Done) else outcome
    return 0 if outcome == "ok" else 1


def print_text(events: Iterator[Event], as_they_come: bool) -> int:
    """Print an answer, its steps beside it; return 0 if it was answered, else 1.

    as_they_come  every word at once, for a reader; else the answer alone, once it is known which words are
    """
    printed, answer, outcome = Printed(), Answer(), "no-result"
    try:
        for event in events:
            if isinstance(event, Text):
                answer.take(event)
            if isinstance(event, Text) and as_they_come:
                printed.add(event)
            elif isinstance(event, Text) and event.aside:
                print(_LINK.sub(r"\1", answer.words(event.segment).strip()), file=sys.stderr, flush=True)
            elif isinstance(event, Done):
                outcome = event.outcome
            elif note := _note(event):
                printed.pause()
                print(note, file=sys.stderr, flush=True)
    finally:  # by Ctrl-C, too
        printed.pause()
        if not as_they_come and (text := _LINK.sub(r"\1", answer.text).strip("\n")):
            print(text, flush=True)
    return 0 if outcome == "ok" else 1


def _note(event: Event) -> str:
    """Return what is told of `event` beside the answer, "" if nothing is."""
    match event:
        case Tool(status="started"):
            values = [str(event.arguments[name]) for name in SHOWN if event.arguments.get(name)]
            return " ".join(["…", event.name, *values])
        case Artifact():
            return f"… {event.kind}: {event.title} (shown on the page)"
        case Tick():
            return f"… {event.note}"
        case Failure():
            return f"error: {event.text} {event.remedy}".rstrip()
    return ""


class Printed:
    """What the terminal shows of an answer; text once printed stays, so a recap adds only what is new."""

    def __init__(self) -> None:
        self.answer = Answer()
        self.segment: int | None = None  # the one printed last
        self.link_start = ""  # the beginning of a link, until its end is there
        self.end_of_text = "\n\n"  # the last two characters

    def add(self, event: Text) -> None:
        """Print what `event` adds; another segment is another paragraph."""
        earlier = self.answer.words(event.segment)
        self.answer.take(event)
        words = self.answer.words(event.segment)
        text = words.removeprefix(earlier) if words.startswith(earlier) else f"\n{words}"
        if event.segment != self.segment:
            text = text.lstrip("\n")
            if not text.strip():
                return
            self.pause()
            if self.end_of_text != "\n\n":
                self._write("\n")
            self.segment = event.segment
        text = _LINK.sub(r"\1", self.link_start + text)
        open_link = _OPEN_LINK.search(text)
        self.link_start = open_link.group() if open_link else ""
        self._write(text[: len(text) - len(self.link_start)])

    def pause(self) -> None:
        """End the line: something else is printed below it."""
        self._write(self.link_start)
        self.link_start = ""
        if not self.end_of_text.endswith("\n"):
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            sys.stdout.write(text)
            sys.stdout.flush()
            self.end_of_text = (self.end_of_text + text)[-2:]


def run_panel(arguments: argparse.Namespace) -> int:
    """Print the decomposition, and after approval each stage; return 0 once the panel has concluded."""
    make_files_private()
    files = [known_file(path) for path in arguments.log]
    conversation = conversation_for(arguments.question, arguments)
    message: str | None = arguments.question
    code = 0
    while message is not None:
        where = database_path(), conversation, message
        with closing(runs.consume(*where, mode="panel", agent=arguments.agent, attachments=files)) as stream:
            code = print_text(stream, as_they_come=True)
        files = []
        message = _next(conversation, arguments.yes) if code == 0 else None
    print(f"conversation {conversation} (go on with --continue)", file=sys.stderr)
    return code


def _next(conversation: str, approved: bool) -> str | None:
    """Return what to say to a proposed decomposition: what the user types; None if none is waiting."""
    with opened() as database:
        panel = latest_panel(database, conversation)
    if panel is None or panel.status != "proposed":
        return None
    if approved:
        return "yes"
    try:
        return input("yes, no, or “remove 2”: ")
    except EOFError:
        raise WrongArguments(
            "The decomposition was not approved. Give --yes, or answer on a terminal"
        ) from None
