"""A conversation as one zip file, with all that was made, saved and sent in it; a case as one document.

They hold nothing of a deleted turn, though that can be brought back here: whoever is given it cannot undo.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from sqlite_utils import Database

from instrumentgpt.memory.filtering import marker
from instrumentgpt.memory.revisions import VALUE
from instrumentgpt.memory.state import DiagnosticState, device_key
from instrumentgpt.moments import moment
from instrumentgpt.storage.artifacts import (
    Artifact,
    Document,
    documents_folder,
    get_artifact,
    list_artifacts,
    list_documents,
    upload_path,
)
from instrumentgpt.storage.conversations import Message, get_memory, known_conversation, list_messages
from instrumentgpt.storage.facts import device_states
from instrumentgpt.storage.notes import EVERYWHERE, Note, notes_of
from instrumentgpt.storage.revised_memory import SECTIONS, Entry, list_nicknames, listing
from instrumentgpt.storage.revisions import devices_on_record, times_of_deleted
from instrumentgpt.storage.runs import SentPrompt, get_prompt, list_prompts

# What belongs to a conversation, beside messages and artifacts; blobs are not among them.
TABLES = (
    "state_items", "device_states", "facts", "nicknames", "revisions", "mode_states",
    "permissions", "runs", "entities", "panels",
)  # fmt: skip
THERE = {  # of these tables only such rows: others are of deleted turns
    "entities": "AND EXISTS (SELECT 1 FROM messages WHERE id IN (first_message, last_message))",
    "mode_states": (
        "AND NOT EXISTS (SELECT 1 FROM all_messages WHERE deleted_at IS NOT NULL"
        " AND all_messages.conversation_id = mode_states.conversation_id AND created_at <= updated_at)"
    ),
    "revisions": "AND NOT (field = 'turn' AND undone_at IS NULL)",
}
NAME_CHARS = 60
SPEAKERS = {"user": "You", "assistant": "Assistant"}
ENDINGS = {"plotly": ".json", "html": ".html"}  # of files whose titles have none


def exported(database: Database, conversation_id: str) -> bytes:
    """Return the zip that `export_to` writes."""
    packed = io.BytesIO()
    export_to(packed, database, conversation_id)
    return packed.getvalue()


def export_to(target: IO[bytes], database: Database, conversation_id: str) -> None:
    """Write a zip into `target`: conversation.md and .json, notes.md, files/, documents/ and prompts/.

    Raises UnknownConversation. Notes are those that count here: the conversation's, its devices', all's.
    """
    conversation = known_conversation(database, conversation_id)
    messages = list_messages(database, conversation_id)
    artifacts = list_artifacts(database, conversation_id, "conversation_id")
    there = [
        artifact
        for artifact in artifacts
        if not artifact.removed_at and (not artifact.file or upload_path(database, artifact).is_file())
    ]
    files = {  # names within the archive, whatever the titles are
        row.id: f"files/{row.id}-{_plain(row.title)[:NAME_CHARS] or row.kind}{ENDINGS.get(row.kind, '')}"
        for row in there
    }
    named = {*devices_on_record(database, conversation_id), *device_states(database, conversation_id)}
    named.add(device_key(DiagnosticState.deserialize(get_memory(conversation_id, database)[1])))
    notes = notes_of(database, conversation_id, sorted(named - {""}))
    documents, prompts = _documents(database, conversation_id), _prompts(database, conversation_id)
    record = {
        "conversation": next(database.query("SELECT * FROM conversations WHERE id = ?", (conversation_id,))),
        "messages": [vars(message) for message in messages],
        "artifacts": [_without(row, "content") | {"file": files.get(row.id, "")} for row in artifacts],
        "notes": [vars(note) for note in notes],
        "documents": [vars(document) | {"file": name} for name, (document, _) in documents.items()],
        "prompts": [_without(prompt, "text") | {"file": name} for name, prompt in prompts.items()],
        "prompts_left_out": len(list_prompts(database, conversation_id)) - len(prompts),
        **{name: list(database.query(
            f"SELECT * FROM {name} WHERE conversation_id = ? {THERE.get(name, '')}", (conversation_id,)
        )) for name in TABLES},
    }  # fmt: skip
    text = "\n".join(_markdown(conversation.title, messages, artifacts, files))
    notes_in_words = (
        f"## {note.id} ({note.kind}, {note.scope}, {moment(note.updated_at)})\n\n{note.text}\n"
        for note in notes
    )
    contents: dict[str, str | bytes | Path] = {
        "conversation.md": text,
        "conversation.json": json.dumps(record, ensure_ascii=False, indent=1),
        **({"notes.md": "\n".join(["# Notes\n", *notes_in_words])} if notes else {}),
        **{files[artifact.id]: _content(database, artifact) for artifact in there},
        **{name: content for name, (_, content) in documents.items()},
        **{name: prompt.text for name, prompt in prompts.items()},
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for name, content in contents.items():
            if isinstance(content, Path):
                archive.write(content, name)
            else:
                archive.writestr(
                    name, content if isinstance(content, bytes) else content.encode("utf-8", "replace")
                )


def _content(database: Database, artifact: Artifact) -> bytes | Path:
    """Return what an artifact holds, a file that a person brought as its path: it may be large."""
    if artifact.file:
        return upload_path(database, artifact)
    kept = get_artifact(database, artifact.conversation_id, artifact.id)
    return kept.content if kept else b""


def export_name(title: str, conversation_id: str) -> str:
    """Return a file name for the export.

    >>> export_name("10.1.1.47 為什麼溫度波動？", "3f2a"), export_name("../..", "3f2a")
    ('10.1.1.47 為什麼溫度波動 3f2a.zip', '3f2a.zip')
    """
    plain = "".join(letter for letter in title if letter.isalnum() or letter in " -_.").strip(" .")
    return f"{plain[:NAME_CHARS].strip()} {conversation_id}.zip".lstrip()


def _documents(database: Database, conversation_id: str) -> dict[str, tuple[Document, bytes]]:
    """Return name in the archive → saved document with its content; a file that is gone is left out."""
    folder = documents_folder(database)
    saved = reversed(list_documents(database, conversation_id))
    return {
        f"documents/{document.file}": (document, (folder / document.file).read_bytes())
        for document in saved
        if (folder / document.file).is_file()
    }


def _prompts(database: Database, conversation_id: str) -> dict[str, SentPrompt]:
    """Return name in the archive → prompt, in the order in which they were sent.

    Those are left out that were sent while a turn was there that is deleted now: they may tell it.
    """
    gone = times_of_deleted(database, conversation_id)
    sent = [
        prompt
        for number, *_ in list_prompts(database, conversation_id)
        if (prompt := get_prompt(database, conversation_id, number))
        and not any(created <= prompt.sent_at <= deleted for created, deleted in gone)
    ]
    return {
        f"prompts/{place:04d}-{_plain(f'{prompt.task}-{prompt.agent}')}.txt": prompt
        for place, prompt in enumerate(sent, start=1)
    }


def _plain(title: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in title).strip("._")


def _without(item: object, name: str) -> dict[str, Any]:
    return {key: value for key, value in vars(item).items() if key != name}


def _markdown(
    title: str, messages: list[Message], artifacts: list[Artifact], files: dict[str, str]
) -> Iterator[str]:
    yield f"# {' '.join(title.split()) or 'Untitled'}\n"
    for message in messages:
        when = moment(message.created_at)
        ended = "" if message.status == "complete" else f" ({message.status})"
        yield f"## {SPEAKERS.get(message.role, message.role)}, {when}{ended}\n"
        content = message.content
        for artifact in artifacts:
            if artifact.message_id == message.id:
                place, link = marker(artifact.kind, artifact.id), _link(artifact, files)
                content = content.replace(place, link) if place in content else f"{content}\n\n{link}"
        yield f"{content}\n"


def _link(artifact: Artifact, files: dict[str, str]) -> str:
    title = " ".join(artifact.title.split()).translate(str.maketrans("", "", "[]"))
    return f"[{title}]({files[artifact.id]})" if artifact.id in files else f"({title}: removed to save space)"


DEFERRED = "deferred"  # kind of a note that a person has to decide on
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


def case_as_markdown(database: Database, conversation_id: str) -> str:
    """Return the case: device, findings, hypotheses, root causes, values with their sources, notes.

    Raises UnknownConversation.
    """
    conversation = known_conversation(database, conversation_id)
    _, state = get_memory(conversation_id, database)
    case = listing(database, conversation_id, DiagnosticState.deserialize(state))
    notes = notes_of(database, conversation_id, [case.device] if case.device else [])
    device = " · ".join(filter(None, (case.state.device_name, case.state.device_ip)))
    lines = [
        f"# {_text(conversation.title or 'Untitled')}\n",
        f"- Device: {_text(device) if device else 'none named yet'}",
        f"- Status: {case.state.status}",
        f"- Last message: {moment(conversation.updated_at)}",
    ]
    called = list_nicknames(database, conversation_id)
    lines += [f"- {_text(device)} is called {_text(', '.join(names))}" for device, names in called.items()]
    for name, entries in case.sections.items():
        lines += _section(SECTIONS[name], [_line(entry) for entry in entries])
    for title, is_deferred in (("For a person to decide", True), ("Notes in force", False)):
        chosen = [note for note in notes if (note.kind == DEFERRED) == is_deferred]
        lines += _section(title, [_note(note, conversation_id) for note in chosen])
    return "\n".join(lines) + "\n"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *lines] if lines else []


def _line(entry: Entry) -> str:
    text, item = _text(entry.text), entry.item
    if item.field == VALUE:
        channel = f", channel {item.channel}" if item.channel else ""
        device = f" of {_text(item.device)}" if item.device else ""
        text = f"{_text(entry.label)}{channel}: **{text}**{device}"
    return f"- {text} ({'; '.join(_sources(entry))})"


def _sources(entry: Entry) -> Iterator[str]:
    origin = entry.origin
    turn = f", turn {origin.turn}" if origin.turn else ""
    yield f"{origin.source or 'origin not recorded'}{turn}"
    if origin.log and origin.line:
        yield f"{_text(origin.log)}, line {origin.line:,}"
    if entry.pinned:
        yield "pinned"
    if entry.was:
        yield f"was: {_text(entry.was)}"
    if entry.earlier and not entry.was:
        yield f"previously {', '.join(f'{_text(value)} in turn {turn}' for value, turn in entry.earlier)}"
    if entry.other:
        yield f"turn {entry.other[1]} says {_text(entry.other[0])}"


def _note(note: Note, conversation_id: str) -> str:
    scopes = {conversation_id: "this conversation", EVERYWHERE: "every conversation"}
    return f"- {_text(note.text)} ({_text(note.id)}, {_text(scopes.get(note.scope, note.scope))})"


def _text(text: str) -> str:
    """Return the text on one line, with nothing in it that Markdown or HTML would take as its own."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
