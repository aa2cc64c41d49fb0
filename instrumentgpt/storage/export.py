"""A conversation as one zip file: to read (Markdown), to process (JSON), with its charts and files."""

import io
import json
import time
import zipfile
from collections.abc import Iterator
from typing import Any

from sqlite_utils import Database

from instrumentgpt.storage.artifacts import Artifact, get_artifact
from instrumentgpt.storage.connection import rows
from instrumentgpt.storage.conversations import Message, get_conversation, list_messages, unknown
from instrumentgpt.text.markers import marker

# What belongs to a conversation, beside messages and artifacts; blobs are not among them.
TABLES = ("state_items", "device_states", "facts", "revisions", "mode_states", "permissions", "runs")
NAME_CHARS = 60
SPEAKERS = {"user": "You", "assistant": "Assistant"}
ENDINGS = {"plotly": ".json", "html": ".html"}  # of files whose titles have none


def exported(database: Database, conversation_id: str) -> bytes:
    """Return the zip: conversation.md, conversation.json and files/. Raises UnknownConversation."""
    conversation = get_conversation(database, conversation_id)
    if conversation is None:
        raise unknown(conversation_id)
    messages = list_messages(database, conversation_id)
    artifacts = [one for one in _artifacts(database, conversation_id) if one is not None]
    files = {one.id: f"files/{_file_name(one)}" for one in artifacts if not one.removed_at}
    told = {
        "conversation": _row(database, "SELECT * FROM conversations WHERE id = ?", conversation_id)[0],
        "messages": [vars(message) for message in messages],
        "artifacts": [_described(one, files.get(one.id, "")) for one in artifacts],
        **{name: _row(database, f"SELECT * FROM {name} WHERE conversation_id = ?", conversation_id)
           for name in TABLES},
    }  # fmt: skip
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        text = "\n".join(_markdown(conversation.title, messages, artifacts, files))
        archive.writestr("conversation.md", text)
        archive.writestr("conversation.json", json.dumps(told, ensure_ascii=False, indent=1))
        for one in artifacts:
            if one.id in files:
                archive.writestr(files[one.id], one.content)
    return packed.getvalue()


def export_name(title: str, conversation_id: str) -> str:
    """Return a file name for the export.

    >>> export_name("10.1.1.47 為什麼溫度波動？", "3f2a"), export_name("../..", "3f2a")
    ('10.1.1.47 為什麼溫度波動 3f2a.zip', '3f2a.zip')
    """
    plain = "".join(letter for letter in title if letter.isalnum() or letter in " -_.").strip(" .")
    return f"{plain[:NAME_CHARS].strip()} {conversation_id}.zip".lstrip()


def _artifacts(database: Database, conversation_id: str) -> Iterator[Artifact | None]:
    found: list[Any] = rows(
        database, "SELECT id FROM artifacts WHERE conversation_id = ? ORDER BY rowid", (conversation_id,)
    )
    return (get_artifact(database, conversation_id, row[0]) for row in found)


def _file_name(artifact: Artifact) -> str:
    """Return a name within the archive, whatever the title is."""
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in artifact.title)
    ending = ENDINGS.get(artifact.kind, "")
    return f"{artifact.id}-{plain.strip('._')[:NAME_CHARS] or artifact.kind}{ending}"


def _described(artifact: Artifact, file: str) -> dict[str, Any]:
    return {name: value for name, value in vars(artifact).items() if name != "content"} | {"file": file}


def _row(database: Database, sql: str, conversation_id: str) -> list[dict[str, Any]]:
    cursor = database.execute(sql, (conversation_id,))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _markdown(
    title: str, messages: list[Message], artifacts: list[Artifact], files: dict[str, str]
) -> Iterator[str]:
    yield f"# {' '.join(title.split()) or 'Untitled'}\n"
    for message in messages:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(message.created_at))
        ended = "" if message.status == "complete" else f" ({message.status})"
        yield f"## {SPEAKERS.get(message.role, message.role)}, {when}{ended}\n"
        content = message.content
        for one in artifacts:
            if one.message_id == message.id:
                place, link = marker(one.kind, one.id), _link(one, files)
                content = content.replace(place, link) if place in content else f"{content}\n\n{link}"
        yield f"{content}\n"


def _link(artifact: Artifact, files: dict[str, str]) -> str:
    title = " ".join(artifact.title.split()).translate(str.maketrans("", "", "[]"))
    return f"[{title}]({files[artifact.id]})" if artifact.id in files else f"({title}: removed to save space)"
