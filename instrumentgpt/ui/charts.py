"""Charts from the conversation's artifacts: the same in a live answer, in history and after a reload."""

import json

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
    kept = db.get_artifact(database, artifact.conversation_id, artifact.id)
    try:
        figure = json.loads(kept.content) if kept else {}
        st.plotly_chart(figure, key=f"chart-{artifact.id}", config=CONFIG, alt=artifact.alt or artifact.title)
    except ValueError as error:
        st.caption(
            f"The chart “{untrusted.label(artifact.title)}” cannot be read: {untrusted.label(str(error))}"
        )
