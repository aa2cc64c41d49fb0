"""Reports that an answer made: a preview that can do nothing to the page, and a download."""

from functools import partial
from html import escape

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.storage.documents import SUFFIXES, file_name
from instrumentgpt.ui import session, untrusted

KINDS = ("html", "markdown")
MIME = {"html": "text/html", "markdown": "text/markdown"}
PREVIEW_PIXELS = 640
# An origin of its own: scripts of a report draw its charts and see nothing of the page around it.
FRAME = (
    '<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" srcdoc="{page}"></iframe>'
)


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
    kept = db.get_artifact(database, artifact.conversation_id, artifact.id)
    text = kept.content.decode("utf-8", "replace") if kept else ""
    if artifact.kind == "markdown":
        st.markdown(untrusted.markdown(text, artifact.conversation_id))
        return
    page = FRAME.format(height=PREVIEW_PIXELS, page=escape(text))
    st.iframe(page, height=PREVIEW_PIXELS + 8, alt=artifact.title)


def _content(conversation_id: str, artifact_id: str) -> bytes:
    with session.opened() as database:
        kept = db.get_artifact(database, conversation_id, artifact_id)
    return kept.content if kept else b""
