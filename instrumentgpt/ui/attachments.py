"""Files dropped or pasted into the input: kept as artifacts of the conversation, shown with their message."""

import io
from collections.abc import Sequence

import streamlit as st
from PIL import Image
from sqlite_utils import Database
from streamlit.typing import UploadedFile

import db
from instrumentgpt.instruments.reading.transcripts import logs_in
from instrumentgpt.storage.artifacts import add_upload
from instrumentgpt.storage.uploads import plain_name, received
from instrumentgpt.ui import charts, untrusted

IMAGE_WIDTH = 360  # px
LARGEST_SHOWN = (1600, 1600)  # px, where a picture is opened over the page
MOST_PIXELS = 50_000_000  # 200 MB unpacked; cameras make up to 48 million
MOST_PICTURE_BYTES = 50_000_000


def store(database: Database, conversation_id: str, files: Sequence[UploadedFile]) -> list[str]:
    """Keep the files, each log of a .zip for itself, as artifacts that no message has; return their ids."""
    kept = []
    for file in files:
        packed = [(name, io.BytesIO(content.read())) for name, content in logs_in(file, file.name)]
        for name, content in packed or [(file.name, file)]:
            with received(database, name, content) as given:
                kept.append(add_upload(database, conversation_id, None, given))
    return kept


def question_about(files: Sequence[UploadedFile]) -> str:
    """Return what is asked when files were sent without a word."""
    return f"What is wrong in {', '.join(plain_name(file.name) for file in files)}?"


def draw(database: Database, artifacts: Sequence[db.Artifact]) -> None:
    """Draw what came with a question: pictures as they are, other files by name and size."""
    for artifact in artifacts:
        if artifact.removed_at:
            st.caption(f":material/cleaning_services: {charts.removed(artifact)}")
            continue
        picture = artifact.kind == "image" and _picture(database, artifact.conversation_id, artifact.id)
        if picture:
            st.image(picture, width=IMAGE_WIDTH, alt=artifact.alt)
        else:
            size = size_in_words(artifact.size)
            st.caption(f":material/attach_file: {untrusted.label(artifact.title)} · {size}")


@st.cache_data(max_entries=50, show_spinner=False)
def _picture(_database: Database, conversation_id: str, artifact_id: str) -> bytes | None:
    """Return the picture, no larger than a screen; None if it is none, or would not fit into memory."""
    try:
        kept = db.get_artifact(_database, conversation_id, artifact_id)
        if kept is None or kept.size > MOST_PICTURE_BYTES:
            return None
        with Image.open(io.BytesIO(kept.content)) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            picture.thumbnail(LARGEST_SHOWN)
            shown = io.BytesIO()
            picture.convert("RGBA").save(shown, "PNG")
    except (
        OSError,
        ValueError,
        SyntaxError,
        Image.DecompressionBombError,
    ):  # what Pillow says of broken ones
        return None
    return shown.getvalue()


def size_in_words(size: int) -> str:
    """Return so many bytes as people say it.

    >>> size_in_words(900), size_in_words(52_000), size_in_words(3_400_000)
    ('1 kB', '52 kB', '3.4 MB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"
