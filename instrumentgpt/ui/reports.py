"""Reports that an answer made: a preview that can do nothing to the page, and a download."""

from functools import partial

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.storage.artifacts import SUFFIXES, file_name
from instrumentgpt.ui import session, untrusted

KINDS = ("html", "markdown")
MIME = {"html": "text/html", "markdown": "text/markdown"}
PREVIEW_PIXELS = 640


def draw(database: Database, artifact: db.Artifact) -> None:
    """Draw a report by its name, with a preview that is sent when it is opened, and its download."""
    title = untrusted.label(artifact.title, 100)
    key = f"report-{artifact.id}"
    with st.expander(
        f"Report: {title}", icon=":material/description:", key=key, on_change="rerun"
    ) as preview:
        if preview.open:
            _draw_preview(database, artifact)
    st.download_button(
        f"Download · {artifact.size / 1e6:.1f} MB",
        partial(_content, artifact.conversation_id, artifact.id),
        f"{file_name(artifact.title)}{SUFFIXES[artifact.kind]}",
        MIME[artifact.kind],
        icon=":material/download:",
        on_click="ignore",
        key=f"download-{artifact.id}",
    )


def _draw_preview(database: Database, artifact: db.Artifact) -> None:
    if artifact.kind == "html":  # served apart, as an origin of its own (server.py)
        path = f"/report/{artifact.conversation_id}/{artifact.id}"
        st.iframe(path, height=PREVIEW_PIXELS, alt=artifact.title)
        return
    kept = db.get_artifact(database, artifact.conversation_id, artifact.id)
    text = kept.content.decode("utf-8", "replace") if kept else ""
    untrusted.write(text, artifact.conversation_id)


def _content(conversation_id: str, artifact_id: str) -> bytes:
    with session.opened() as database:
        kept = db.get_artifact(database, conversation_id, artifact_id)
    return kept.content if kept else b""
