"""What messages carry: charts and reports of answers, files that came with questions, the lines quoted.

They are drawn the same in a live answer, in history and after a reload. The lines around one that an answer
quotes open in a dialog over the page. The name of their log comes from an address or an answer: it is looked
up among the logs that were fetched or dropped into this conversation, and never opened as a path.
"""

import io
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from PIL import Image
from sqlite_utils import Database
from streamlit.typing import UploadedFile

import db
from instrumentgpt import moments
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.charts.style import config
from instrumentgpt.instruments.language import size_text
from instrumentgpt.instruments.logs import read_lines
from instrumentgpt.instruments.reading.transcripts import logs_in
from instrumentgpt.instruments.workspace import workspace_of
from instrumentgpt.settings import Settings, home
from instrumentgpt.storage.artifacts import SUFFIXES, add_upload, file_name, received
from instrumentgpt.ui import browser, controls, session, untrusted
from instrumentgpt.ui.language import say

CHART = "plotly"
_NAMES = "Zoom", "Pan", "Box Select", "Reset axes", "Download plot as a PNG", "Double-click to zoom back out"
BUTTONS = {name: name for name in _NAMES}  # of every chart
MIME = {"html": "text/html", "markdown": "text/markdown"}  # kind of a report → its type
PREVIEW_PIXELS = 640
IMAGE_WIDTH = 360  # px
LARGEST_SHOWN = (1600, 1600)  # px, where a picture is opened over the page
MOST_PIXELS = 50_000_000  # 200 MB unpacked; cameras make up to 48 million
MOST_PICTURE_BYTES = 50_000_000


def draw(database: Database, artifact: db.Artifact, expanded: bool) -> None:
    """Draw what an answer made: a chart in place, an older chart when it is opened, a file by its name."""
    title = untrusted.label(artifact.title)
    if artifact.removed_at:
        st.caption(_removed(artifact))
    elif artifact.kind in MIME:
        _draw_report(database, artifact)
    elif artifact.kind != CHART:
        st.caption(f":material/draft: {title}")
    elif expanded:
        _draw_chart(database, artifact, artifact.title)
    else:
        key = f"folded-{artifact.id}"
        with st.expander(title, icon=":material/show_chart:", key=key, on_change="rerun") as folded:
            if folded.open:
                _draw_chart(database, artifact, "")


def draw_files(database: Database, artifacts: Sequence[db.Artifact]) -> None:
    """Draw what came with a question: pictures as they are, other files by name and size."""
    for artifact in artifacts:
        if artifact.removed_at:
            st.caption(_removed(artifact))
            continue
        picture = artifact.kind == "image" and _picture(database, artifact.conversation_id, artifact.id)
        if picture:
            st.image(picture, width=IMAGE_WIDTH, alt=artifact.alt)
        else:
            size = size_text(artifact.size)
            st.caption(f":material/attach_file: {untrusted.label(artifact.title)} · {size}")


def store(database: Database, conversation_id: str, files: Sequence[UploadedFile]) -> list[str]:
    """Keep the files, each log of a .zip for itself, as artifacts that no message has; return their ids."""
    ids = []
    for file in files:
        packed = [(name, io.BytesIO(content.read())) for name, content in logs_in(file, file.name)]
        for name, content in packed or [(file.name, file)]:
            with received(database, name, content) as upload:
                ids.append(add_upload(database, conversation_id, None, upload))
    return ids


def _removed(artifact: db.Artifact) -> str:
    """Return what stands in the place of what was removed to save space (docs/memory.md, Pruning)."""
    words = say(
        "“{title}” was removed on {day} to save space. Ask again, with a file dropped again.",
        title=untrusted.label(artifact.title),
        day=moments.day(artifact.removed_at or 0.0),
    )
    return f":material/cleaning_services: {words}"


def draw_figure(figure: Any, key: str, alt: str, title: str = "", **more: Any) -> None:
    """Draw a chart as all are drawn, below its title, which a phone would cut off in it."""
    if title:
        st.markdown(f"**{untrusted.label(title)}**")
    words = {name: say(BUTTONS[name]) for name in BUTTONS}
    st.plotly_chart(figure, key=key, config=config(words), alt=alt, **more)


def figure_of(content: bytes | str) -> go.Figure:
    """Return a chart as it was stored, without its title."""
    return go.Figure(json.loads(content)).update_layout(title_text="")


def _draw_chart(database: Database, artifact: db.Artifact, heading: str) -> None:
    title = untrusted.label(artifact.title)
    try:
        figure = _figure(database, artifact.conversation_id, artifact.id)
        draw_figure(figure, f"chart-{artifact.id}", artifact.alt or artifact.title, heading)
    except ValueError as error:
        st.caption(
            say("The chart “{title}” cannot be read: {error}", title=title, error=untrusted.label(str(error)))
        )


@st.cache_resource(max_entries=64, show_spinner=False)
def _figure(_database: Database, conversation_id: str, artifact_id: str) -> go.Figure:
    """A stored chart never changes; as a figure it is drawn in a tenth of the time that its JSON takes."""
    artifact = db.get_artifact(_database, conversation_id, artifact_id)
    return figure_of(artifact.content if artifact else "{}")


def _draw_report(database: Database, artifact: db.Artifact) -> None:
    """Draw a report by its name, with a preview that can do nothing to the page, and its download."""
    title, key = untrusted.label(artifact.title, 100), f"report-{artifact.id}"
    with st.expander(
        say("Report: {title}", title=title), icon=":material/description:", key=key, on_change="rerun"
    ) as preview:
        if preview.open and artifact.kind == "html":  # served apart, as an origin of its own (server.py)
            path = f"/report/{artifact.conversation_id}/{artifact.id}"
            st.iframe(path, height=PREVIEW_PIXELS, alt=artifact.title)
        elif preview.open:
            text = _content(artifact.conversation_id, artifact.id).decode("utf-8", "replace")
            untrusted.write(text, artifact.conversation_id)
    label, name = f"{say('Download')} · {size_text(artifact.size)}", file_name(artifact.title)
    make = partial(_content, artifact.conversation_id, artifact.id)
    kind = artifact.kind
    controls.download(label, make, f"{name}{SUFFIXES[kind]}", MIME[kind], f"download-{artifact.id}")


def _content(conversation_id: str, artifact_id: str) -> bytes:
    artifact = session.in_database(db.get_artifact, conversation_id, artifact_id)
    return artifact.content if artifact else b""


@st.cache_data(max_entries=50, show_spinner=False)
def _picture(_database: Database, conversation_id: str, artifact_id: str) -> bytes | None:
    """Return the picture, no larger than a screen; None if it is none, or would not fit into memory."""
    try:
        artifact = db.get_artifact(_database, conversation_id, artifact_id)
        if artifact is None or artifact.size > MOST_PICTURE_BYTES:
            return None
        with Image.open(io.BytesIO(artifact.content)) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            picture.thumbnail(LARGEST_SHOWN)
            png = io.BytesIO()
            picture.convert("RGBA").save(png, "PNG")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # of broken pictures
        return None
    return png.getvalue()


AROUND = 10  # lines before and after
LINE_CHARACTERS = 400
CLICKED, CLOSED = "evidence-clicked", "evidence-closed"  # in the state: how often it was closed, then and now


def draw_evidence(database: Database, conversation_id: str, settings: Settings) -> None:
    """Open the dialog on the line of the address: a link to evidence puts it there, Back takes it off.

    To close it goes back, too, where the link was clicked on this page: the history keeps no step of it.
    """
    state = st.session_state
    closed = state.get(CLOSED, 0)
    if clicked := browser.clicked(closed):
        st.query_params.update({name: str(clicked.get(name)) for name in ("log", "line")})
        state[CLICKED] = closed
    if "log" not in st.query_params:
        state.pop(CLICKED, None)
        return
    if state.get(CLICKED, closed) != closed:
        return  # the browser is going back
    log, line = st.query_params["log"], untrusted.number(st.query_params.get("line", ""), 11) or 1
    title = say("Line {line:,} of {log}", line=line, log=untrusted.label(log, 80))
    from instrumentgpt.instruments.tools.opened import find_log

    try:
        path = find_log(workspace_of(database, conversation_id, settings.inventory), log)
    except (InstrumentGPTError, OSError) as error:
        problem = session.describe(error)
        st.dialog(title, on_dismiss=_forget)(lambda: st.warning(problem, icon=":material/info:"))()
        return
    st.dialog(title, width="large", on_dismiss=_forget)(_draw_lines)(path, log, line)


def text_around(lines: list[tuple[int, str]], line: int) -> str:
    """Return numbered `lines` as text, the one that is meant with an arrow.

    >>> print(text_around([(9, "a"), (10, "b")], 10))
       9   a
      10 ▶ b
    """
    width = max(4, len(f"{lines[-1][0]:,}") if lines else 0)
    return "\n".join(
        f"{number:>{width},} {'▶' if number == line else ' '} {text[:LINE_CHARACTERS]}"
        for number, text in lines
    )


def _draw_lines(path: Path, log: str, line: int) -> None:
    if st.button(say("Open on the Logs page"), icon=":material/list_alt:", type="tertiary"):
        st.switch_page(session.page_named("logs"), query_params={"log": log, "line": str(line)})
    try:
        lines = read_lines(path, line - AROUND, line + AROUND, home() / "frames")
    except (InstrumentGPTError, OSError) as error:
        st.warning(session.describe(error), icon=":material/info:")
        return
    if not any(number == line for number, _ in lines):
        words = say("{log} has no line {line:,}.", log=untrusted.label(path.name, 80), line=line)
        st.warning(words, icon=":material/info:")
    if lines:
        st.code(text_around(lines, line), language=None, wrap_lines=True)


def _forget() -> None:
    if CLICKED in st.session_state:
        st.session_state[CLOSED] = st.session_state.get(CLOSED, 0) + 1
        return
    st.query_params.from_dict({n: v for n, v in st.query_params.items() if n not in ("log", "line")})
