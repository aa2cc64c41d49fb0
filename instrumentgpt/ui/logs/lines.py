"""The lines part of the page: around one line, or all event lines, by level and words."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.line_index import LineIndex, indexed_lines
from instrumentgpt.ui.controls import one_of
from instrumentgpt.ui.language import say
from instrumentgpt.ui.logs import place, viewer
from instrumentgpt.ui.logs.chart import KINDS, kinds_of
from instrumentgpt.ui.logs.place import Window
from instrumentgpt.ui.logs.preparation import Preparation

AROUND = 250  # lines before and after
MOST_EVENTS = 500  # event lines shown of all that fit
NEAR, EVERYWHERE = "near", "everywhere"
SCOPES = {NEAR: "± {count} lines", EVERYWHERE: "All event lines"}
VIEWER, SCOPE, LEVELS, WORDS, GO = "log-lines", "logs-scope", "logs-levels", "logs-words", "logs-go"


@dataclass(frozen=True)
class Filters:
    """What is shown: lines around one, or all event lines; of these kinds (none: all), with all the words."""

    scope: str = NEAR
    kinds: tuple[str, ...] = ()
    words: str = ""


def draw(
    preparation: Preparation, here: place.Place, conversation_id: str, filters: Filters
) -> tuple[int, int]:
    """Draw the lines that fit; return first and last of the selected lines."""
    index, log = preparation.index, preparation.log
    assert index is not None
    end = (st.session_state.get(place.SELECTED) or [index.total])[0] if preparation.live else 1
    focus = min(st.session_state.get(place.FOCUS) or end, max(index.total, 1))
    if filters.scope == EVERYWHERE and log is not None:
        rows, total = event_rows(log, filters, st.session_state.get(place.WINDOW))
    else:
        near = around(index, log, focus)
        rows, total = fitting(near, filters), len(near)
    first, last = st.session_state.get(place.SELECTED) or (focus, focus)
    if rows:
        address = place.Place(here.device, here.log).address("" if here.device else conversation_id)
        revealed = st.session_state.get(place.REVEALED, 0)
        viewer.draw(rows, focus, (first, last), revealed, address, VIEWER, _pick)
    else:
        st.info(say("No line here fits the level and the words."), icon=":material/info:")
    st.caption(_caption(filters.scope, len(rows), total, index, focus))
    return first, last


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


def fitting(rows: Sequence[viewer.Row], filters: Filters) -> list[viewer.Row]:
    """Return the rows of the kinds wanted that hold all of the words, case ignored."""
    terms = filters.words.casefold().split()
    return [
        row
        for row in rows
        if (not filters.kinds or row.kind in filters.kinds)
        and all(term in row.text.casefold() for term in terms)
    ]


def event_rows(log: Log, filters: Filters, window: Window | None) -> tuple[list[viewer.Row], int]:
    """Return the first event lines of the log, or of its window, that fit, and how many do."""
    events = log.events
    if window is not None:
        events = events[(events["time"] >= window[0]) & (events["time"] <= window[1])]
    if filters.kinds:
        events = events[kinds_of(events).isin(list(filters.kinds))]
    for word in filters.words.split():
        in_text = events["text"].str.contains(word, case=False, regex=False)
        events = events[in_text | events["source"].str.contains(word, case=False, regex=False)]
    head = events.head(MOST_EVENTS)
    columns = (head["line"], kinds_of(head), head["time"], head["source"], head["text"])
    rows = [
        viewer.Row(int(line), kind, f"{log.clock(float(time))}  {f'[{source}] ' if source else ''}{text}")
        for line, kind, time, source, text in zip(*columns, strict=True)
    ]
    return rows, len(events)


def draw_filters(preparation: Preparation) -> Filters:
    """Draw what narrows the lines down; return it."""
    total = preparation.index.total if preparation.index else 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        scopes = {name: say(SCOPES[name], count=AROUND) for name in SCOPES}
        scope = one_of(say("Show"), scopes, NEAR, SCOPE)
        kinds = st.pills(
            say("Level"),
            KINDS,
            selection_mode="multi",
            format_func=lambda name: say(KINDS[name]),
            key=LEVELS,
            disabled=preparation.log is None,
        )
        words = st.text_input(
            say("Words in the line"),
            placeholder=say("timeout heater"),
            icon=":material/search:",
            key=WORDS,
            width=220,
        )
        st.number_input(
            say("Go to line"),
            min_value=1,
            max_value=max(total, 1),
            value=None,
            step=1,
            placeholder=say("1 to {last:,}", last=total),
            key=GO,
            on_change=_go,
            width=170,
        )
    return Filters(scope, tuple(kinds), words or "")


def go_around(line: int) -> None:
    """Show the lines around `line`."""
    place.go_to(line)
    st.session_state[SCOPE] = NEAR


def _caption(scope: str, count: int, total: int, index: LineIndex, focus: int) -> str:
    if scope == EVERYWHERE:
        fitting = say("{count:,} event lines fit", count=total)
        text = say("The first {count:,} of {what}", count=count, what=fitting) if count < total else fitting
        return f"{text} · {say('Pick one and choose “Around it” to see its neighbours.')}"
    near = say("{count:,} lines around line {line:,} of {all:,}", count=total, line=focus, all=index.total)
    text = say("{count:,} of the {what}", count=count, what=near) if count < total else near
    return f"{text} · {say('Click a line to pick it, Shift-click another for a range.')}"


def _go() -> None:
    if line := st.session_state.get(GO):
        go_around(int(line))
        st.session_state[GO] = None


def _pick() -> None:
    if selection := viewer.picked(VIEWER):
        st.session_state[place.SELECTED] = selection
