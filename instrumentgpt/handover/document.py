"""What is handed on as one thing: an answer or a case as Markdown, page or PDF; the facts of a letter."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from sqlite_utils import Database

import db
from instrumentgpt import __version__
from instrumentgpt.analyst.words import plain_text, quoted
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.cases import fault_of
from instrumentgpt.fleet.cases import markdown as case_markdown
from instrumentgpt.handover.letters import LINES, Facts
from instrumentgpt.handover.markdown import absolute, html, lines_linked
from instrumentgpt.handover.pdf import pdf_of
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.lognames import line_link
from instrumentgpt.instruments.tools.opened import find_log, texts_of
from instrumentgpt.instruments.workspace import Workspace, workspace_of
from instrumentgpt.memory.filtering import rendered_parts
from instrumentgpt.memory.summary import shorten
from instrumentgpt.moments import moment, now
from instrumentgpt.settings import settings_in_force
from instrumentgpt.storage.answers import marks_of_answer
from instrumentgpt.storage.cases import Case, changes_of, chart_of, evidence_of, get_case, list_cases
from instrumentgpt.storage.conversations import known_conversation
from instrumentgpt.storage.runs import get_run

word = partial(phrase, Path(__file__).with_name("words.toml"))
MOST_LINES = 40  # quoted below an answer
QUESTION_CHARS = 1_000  # of a question: what was pasted into it is in the zip


class NoAnswer(InstrumentGPTError, LookupError):
    """A conversation has not the answer that is to be handed on."""


@dataclass(frozen=True)
class Chart:
    """A chart in a document: Plotly JSON."""

    content: bytes
    title: str
    alt: str


@dataclass(frozen=True)
class Document:
    """Something to hand on: its parts are Markdown, whose links are absolute, and charts."""

    title: str
    parts: tuple[str | Chart, ...]
    language: Language

    def markdown(self) -> str:
        """Return it as Markdown; a chart is told by its title."""
        parts = (part if isinstance(part, str) else f"*{plain_text(part.title)}*" for part in self.parts)
        return "\n\n".join([f"# {plain_text(self.title)}", *(part.strip("\n") for part in parts)]) + "\n"

    def html(self) -> str:
        """Return it as one HTML page that runs and loads nothing."""
        from instrumentgpt.instruments.report import sheets  # plotly, pandas: only for a page

        page: str = sheets(Path(__file__).parent).get_template("document.html").render(
            title=self.title,
            parts=[Markup(html(part)) if isinstance(part, str) else self._chart(part) for part in self.parts],
            word=lambda key, *values: word(key, self.language, *values),
            made=now().strftime("%Y-%m-%d %H:%M"),
            version=__version__,
        )  # fmt: skip
        return page

    def as_file(self, suffix: str) -> bytes:
        """Return it as a file of this ending: ".md", ".html", ".pdf". Raises NoPrinter."""
        if suffix == ".md":
            return self.markdown().encode()
        page = self.html()
        return pdf_of(page) if suffix == ".pdf" else page.encode()

    def _chart(self, chart: Chart) -> dict[str, str]:
        import plotly.graph_objects as go

        from instrumentgpt.instruments.charts.static import static_svg

        try:
            svg = static_svg(go.Figure(_plain(json.loads(chart.content))), chart.alt)
        except (ValueError, KeyError, TypeError, AttributeError):  # of an agent's own making
            svg, title = "", word("chart_gone", self.language, title=chart.title)
            return {"alt": "", "svg": svg, "title": title}
        return {"alt": chart.alt, "svg": Markup(svg), "title": chart.title}  # escapes what it is given


def answer_document(
    database: Database, conversation_id: str, message_id: int | None, language: Language, address: str
) -> Document:
    """Return an answer with its question, its charts, and the lines that it quotes.

    message_id  None: the newest answer
    address     of the page, where its links lead

    Raises UnknownConversation, NoAnswer.
    """
    conversation = known_conversation(database, conversation_id)
    messages = db.list_messages(database, conversation_id)
    answers = [
        answer for answer in messages if answer.role == "assistant" and message_id in (None, answer.id)
    ]
    if not answers:
        lack = "no answer yet" if message_id is None else f"no answer {message_id}"
        raise NoAnswer(f"Conversation {conversation_id} has {lack}. Open it on the page to see what it has")
    answer = answers[-1]
    questions = [message for message in messages if message.role == "user" and message.id < answer.id][-1:]
    artifacts = {artifact.id: artifact for artifact in db.list_artifacts(database, answer.id)}
    agent = get_run(database, answer.run_id).agent if answer.run_id else "–"
    link = f"[{word('open', language)}](?conv={conversation_id}&msg={answer.id})"
    agent = word("offline", language) if agent == "offline" else plain_text(agent)
    parts: list[str | Chart] = [
        word("answered", language, when=moment(answer.created_at), agent=agent, link=link)
    ]
    parts += [f"> {plain_text(shorten(question.content, QUESTION_CHARS))}" for question in questions]
    for part in rendered_parts(answer.content, artifacts):
        artifact = artifacts.get(part.artifact_id)
        if artifact is None:
            parts.append(part.text)
        elif artifact.kind == "plotly" and not artifact.removed_at:
            stored = db.get_artifact(database, conversation_id, artifact.id)
            content = stored.content if stored else b""
            parts.append(Chart(content, artifact.title, artifact.alt or artifact.title))
        else:
            parts.append(f"*{plain_text(artifact.title)}*")
    if answer.status != "complete":
        parts.append(f"**{word('ended', language, status=answer.status)}**")
    marks = marks_of_answer(database, answer.id) or ()
    if missing := sum(mark.kind == "unknown" for mark in marks):
        parts.append(f"*{word('sourceless', language, missing=missing, every=len(marks))}*")
    inventory = settings_in_force(db.get_settings(database)).inventory
    if lines := list(_lines(workspace_of(database, conversation_id, inventory), answer.content)):
        parts.append("\n".join([f"## {word('lines', language)}", "", *lines]))
    return _document(conversation.title, parts, language, address, conversation_id)


def case_document(database: Database, case_id: int, language: Language, address: str) -> Document:
    """Return a case with its evidence and history. Raises UnknownCase."""
    case, evidence = get_case(database, case_id), evidence_of(database, case_id)
    heading, _, text = case_markdown(case, evidence, changes_of(database, case_id), language).partition("\n")
    charts = [
        Chart(chart_of(database, item.id), item.text, item.text) for item in evidence if item.kind == "chart"
    ]
    return _document(
        heading.removeprefix("# "), [text, *charts], language, address, case.conversation_id or ""
    )


def _document(
    title: str, parts: list[str | Chart], language: Language, address: str, conversation_id: str
) -> Document:
    linked = (absolute(part, address, conversation_id) if isinstance(part, str) else part for part in parts)
    return Document(" ".join(title.split()) or word("untitled", language), tuple(linked), language)


def _lines(workspace: Workspace, text: str) -> Iterator[str]:
    """Yield the lines of logs that an answer links, as they stand there; what is not here any more is not."""
    numbers_of: dict[str, list[int]] = {}
    for log, line in lines_linked(text)[:MOST_LINES]:
        numbers_of.setdefault(log, []).append(line)
    for log, numbers in numbers_of.items():
        with suppress(InstrumentGPTError, OSError):
            texts = texts_of(find_log(workspace, log), numbers)
            yield from (f"- {line_link(log, line)} {quoted(texts[line])}" for line in sorted(texts))


def _plain(value: Any) -> Any:
    """Return a figure's JSON with the arrays that Plotly packs as lists of numbers.

    >>> _plain({"x": {"dtype": "i1", "bdata": "AQI="}})
    {'x': [1, 2]}
    """
    if isinstance(value, dict):
        if "bdata" in value and "dtype" in value:
            return np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"])).tolist()
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list) else value


TOLD = ("model", "symptom", "cause", "ruled_out", "action", "outcome")  # of a case, in words


def facts_of(database: Database, conversation_id: str, address: str) -> Facts:
    """Return the facts of the conversation's newest case, else of what it knows; links lead to `address`."""
    for case in list_cases(database, conversation_id=conversation_id)[:1]:
        return facts_of_case(database, case, address)
    inventory = load_inventory(settings_in_force(db.get_settings(database)).inventory)
    fields, evidence = fault_of(database, conversation_id, inventory)
    lines = [(item["line"], item["text"]) for item in evidence]
    return _facts(fields, lines, f"{address}?conv={conversation_id}")


def facts_of_case(database: Database, case: Case, address: str) -> Facts:
    """Return the facts of a case; its link leads to it."""
    lines = [(item.line, item.text) for item in evidence_of(database, case.id) if item.line]
    return _facts(asdict(case), lines, f"{address}cases?case={case.id}")


def _facts(fields: Mapping[str, Any], lines: Sequence[tuple[int, str]], link: str) -> Facts:
    return Facts(
        device=plain_text(fields["device"] or "–"),
        log=quoted(fields["log"]) if fields["log"] else "",
        lines=tuple(f"L {line:,} {quoted(text)}" for line, text in lines[:LINES]),
        link=link,
        **{name: _joined(fields.get(name, "").splitlines()) for name in TOLD},
    )


def _joined(items: list[str]) -> str:
    texts = (plain_text(item.removeprefix("- ")) for item in items if item.strip())
    return "; ".join(texts).replace("。; ", "。").replace(".; ", ". ")
