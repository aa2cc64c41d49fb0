"""Files dropped or pasted into the input: kept as artifacts of the conversation, shown with their message."""

from collections.abc import Sequence
from pathlib import PurePath

import streamlit as st
from sqlite_utils import Database
from streamlit.typing import UploadedFile

import db
from instrumentgpt.ui import charts, untrusted

PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF")  # how one begins, whatever its name says
NAME_CHARACTERS = 120
IMAGE_WIDTH = 360  # px


def store(database: Database, conversation_id: str, files: Sequence[UploadedFile]) -> list[str]:
    """Keep the files as artifacts that no message has yet; return their ids, in order."""
    named = [(plain_name(file.name), file.getvalue()) for file in files]
    return [
        db.add_artifact(
            database, conversation_id, None, None, _kind(content), name, f"{name}, attached", content
        )
        for name, content in named
    ]


def question_about(files: Sequence[UploadedFile]) -> str:
    """Return what is asked when files were sent without a word."""
    return f"What is wrong in {', '.join(plain_name(file.name) for file in files)}?"


def draw(database: Database, artifacts: Sequence[db.Artifact]) -> None:
    """Draw what came with a question: pictures as they are, other files by name and size."""
    for artifact in artifacts:
        if artifact.removed_at:
            st.caption(f":material/cleaning_services: {charts.removed(artifact)}")
            continue
        kept = (
            db.get_artifact(database, artifact.conversation_id, artifact.id)
            if artifact.kind == "image"
            else None
        )
        if kept:
            st.image(kept.content, width=IMAGE_WIDTH, alt=artifact.alt)
        else:
            size = size_in_words(artifact.size)
            st.caption(f":material/attach_file: {untrusted.label(artifact.title)} · {size}")


def plain_name(name: str) -> str:
    """Return the last part of `name`, printable and short; a browser sends what it likes.

    >>> plain_name("../../etc/run\\n1.log")
    'run1.log'
    """
    last = PurePath(name.replace("\\", "/")).name
    plain = "".join(letter for letter in last if letter.isprintable())[-NAME_CHARACTERS:]
    return plain if plain.strip(". ") else "attachment"


def _kind(content: bytes) -> str:
    return "image" if content.startswith(PICTURES) else "log"


def size_in_words(size: int) -> str:
    """Return so many bytes as people say it.

    >>> size_in_words(900), size_in_words(52_000), size_in_words(3_400_000)
    ('1 kB', '52 kB', '3.4 MB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
