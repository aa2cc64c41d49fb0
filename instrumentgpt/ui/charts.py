"""Charts from the conversation's artifacts: the same in a live answer, in history and after a reload."""

import json
import time

import plotly.graph_objects as go
import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.ui import reports, untrusted

KIND = "plotly"
CONFIG = {"displaylogo": False}


def draw(database: Database, artifact: db.Artifact, expanded: bool) -> None:
    """Draw what an answer made: a chart in place, an older chart when it is opened, a file by its name."""
    title = untrusted.label(artifact.title)
    if artifact.removed_at:
        st.caption(f":material/cleaning_services: {removed(artifact)}")
    elif artifact.kind in reports.KINDS:
        reports.draw(database, artifact)
    elif artifact.kind != KIND:
        st.caption(f":material/draft: {title}")
    elif expanded:
        _draw_chart(database, artifact)
    else:
        key = f"folded-{artifact.id}"
        with st.expander(title, icon=":material/show_chart:", key=key, on_change="rerun") as folded:
            if folded.open:
                _draw_chart(database, artifact)


def removed(artifact: db.Artifact) -> str:
    """Return what stands in the place of what was removed to save space (docs/memory.md, Pruning)."""
    day = time.strftime("%Y-%m-%d", time.localtime(artifact.removed_at))
    title = untrusted.label(artifact.title)
    if artifact.run_id is None:
        return f"“{title}” was removed on {day} to save space; drop it again to ask about it."
    kind = "Chart" if artifact.kind == KIND else "File"
    return f"{kind} “{title}” removed on {day} to save space; ask again to draw it."


def _draw_chart(database: Database, artifact: db.Artifact) -> None:
    try:
        figure = _figure(database, artifact.conversation_id, artifact.id)
        st.plotly_chart(figure, key=f"chart-{artifact.id}", config=CONFIG, alt=artifact.alt or artifact.title)
    except ValueError as error:
        st.caption(
            f"The chart “{untrusted.label(artifact.title)}” cannot be read: {untrusted.label(str(error))}"
        )


@st.cache_resource(max_entries=64, show_spinner=False)
def _figure(_database: Database, conversation_id: str, artifact_id: str) -> go.Figure:
    """A stored chart never changes; as a figure it is drawn in a tenth of the time that its JSON takes."""
    kept = db.get_artifact(_database, conversation_id, artifact_id)
    return go.Figure(json.loads(kept.content) if kept else {})
