"""Charts from the conversation's artifacts: the same in a live answer, in history and after a reload."""

import json

import plotly.graph_objects as go
import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.ui import untrusted

KIND = "plotly"
CONFIG = {"displaylogo": False}


def draw(database: Database, artifact: db.Artifact, expanded: bool) -> None:
    """Draw what an answer made: a chart in place, an older chart when it is opened, a file by its name."""
    title = untrusted.label(artifact.title)
    if artifact.kind != KIND:
        st.caption(f":material/draft: {title}")
    elif expanded:
        _draw_chart(database, artifact)
    else:
        key = f"folded-{artifact.id}"
        with st.expander(title, icon=":material/show_chart:", key=key, on_change="rerun") as folded:
            if folded.open:
                _draw_chart(database, artifact)


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
