"""The lines part of the page: around one line, or all event lines, by level and words."""

from collections.abc import Sequence

import streamlit as st

from instrumentgpt.instruments.line_index import LineIndex, indexed_lines
from instrumentgpt.instruments.logs import Log
from instrumentgpt.ui.logs import place, viewer
from instrumentgpt.ui.logs.moments import Window
from instrumentgpt.ui.logs.preparation import Preparation
from instrumentgpt.ui.logs.strip import kinds_of

AROUND = 250  # lines before and after
MOST_FOUND = 500  # event lines shown of all that fit
KINDS = ("errors", "warnings", "info", "readings", "other")
NEAR, EVERYWHERE = f"± {AROUND} lines", "All event lines"
VIEWER, SCOPE, LEVELS, WORDS, GO = "log-lines", "logs-scope", "logs-levels", "logs-words", "logs-go"


def draw(preparation: Preparation, here: place.Place, conversation_id: str) -> tuple[int, int]:
    """Draw filters and lines; return first and last of the selected lines."""
    index, log = preparation.index, preparation.log
    assert index is not None
    focus = min(st.session_state.get(place.FOCUS) or 1, max(index.total, 1))
    scope, kinds, words = _draw_filters(index, log)
    if scope == EVERYWHERE and log is not None:
        rows, found = event_rows(log, kinds, words, st.session_state.get(place.WINDOW))
    else:
        rows = around(index, log, focus)
        found = len(rows)
        rows = fitting(rows, kinds, words)
    selected = st.session_state.get(place.SELECTED) or (focus, focus)
    if rows:
        address = place.Place(here.device, here.log).address("" if here.device else conversation_id)
        viewer.draw(rows, focus, selected, address, VIEWER, _pick)
    else:
        st.info("No line here fits the level and the words.", icon=":material/info:")
    st.caption(_counted(scope, len(rows), found, index, focus))
    return (selected[0], selected[1])


def around(index: LineIndex, log: Log | None, focus: int) -> list[viewer.Row]:
    """Return the lines around `focus`; their kinds are known once the log has been read."""
    first, last = max(focus - AROUND, 1), focus + AROUND
    kinds: dict[int, str] = {}
    if log is not None:
        lines = log.samples["line"]
        near = lines[(lines >= first) & (lines <= last)]
        kinds = dict.fromkeys(near.tolist(), "readings")
        events = log.events[(log.events["line"] >= first) & (log.events["line"] <= last)]
        kinds |= dict(zip(events["line"].tolist(), kinds_of(events).tolist(), strict=True))
    numbered = indexed_lines(index, first, last)
    return [viewer.Row(number, kinds.get(number, "other"), text) for number, text in numbered]


def fitting(rows: Sequence[viewer.Row], kinds: Sequence[str], words: str) -> list[viewer.Row]:
    """Return the rows of these kinds (none: all) that hold all of the words, case ignored."""
    wanted = words.casefold().split()
    return [
        row
        for row in rows
        if (not kinds or row.kind in kinds) and all(word in row.text.casefold() for word in wanted)
    ]


def event_rows(
    log: Log, kinds: Sequence[str], words: str, window: Window | None
) -> tuple[list[viewer.Row], int]:
    """Return the first event lines of the whole log that fit, and how many do."""
    events = log.events
    if window is not None:
        events = events[(events["time"] >= window[0]) & (events["time"] <= window[1])]
    if kinds:
        events = events[kinds_of(events).isin(list(kinds))]
    for word in words.split():
        said = events["text"].str.contains(word, case=False, regex=False)
        said |= events["source"].str.contains(word, case=False, regex=False)
        events = events[said]
    shown = events.head(MOST_FOUND)
    columns = (shown["line"].tolist(), kinds_of(shown).tolist(), shown["source"].tolist(), shown["text"])
    rows = [
        viewer.Row(int(line), kind, f"{log_clock}  {f'[{source}] ' if source else ''}{text}")
        for line, kind, source, text, log_clock in zip(*columns, map(log.clock, shown["time"]), strict=True)
    ]
    return rows, len(events)


def _draw_filters(index: LineIndex, log: Log | None) -> tuple[str, list[str], str]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        scope = st.segmented_control("Show", [NEAR, EVERYWHERE], default=NEAR, required=True, key=SCOPE)
        kinds = st.pills("Level", KINDS, selection_mode="multi", key=LEVELS, disabled=log is None)
        words = st.text_input(
            "Words in the line", placeholder="timeout heater", icon=":material/search:", key=WORDS, width=220
        )
        st.number_input(
            "Go to line",
            min_value=1,
            max_value=max(index.total, 1),
            value=None,
            step=1,
            placeholder=f"1 to {index.total:,}",
            key=GO,
            on_change=_go,
            width=150,
        )
    return str(scope), list(kinds), words or ""


def _counted(scope: str, shown: int, found: int, index: LineIndex, focus: int) -> str:
    if scope == EVERYWHERE:
        first = f"The first {shown:,} of " if shown < found else ""
        return f"{first}{found:,} event lines fit. Pick one and choose “Around it” to see its neighbours."
    filtered = f"{shown:,} of the " if shown < found else ""
    return (
        f"{filtered}{found:,} lines around line {focus:,} of {index.total:,}. "
        "Click a line to pick it, Shift-click another for a range."
    )


def _go() -> None:
    if line := st.session_state.get(GO):
        place.go_to(int(line))
        st.session_state[SCOPE] = NEAR
        st.session_state[GO] = None


def _pick() -> None:
    if found := viewer.picked(VIEWER):
        st.session_state[place.SELECTED] = found
