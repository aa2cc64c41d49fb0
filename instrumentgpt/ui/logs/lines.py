"""The lines part of the page: those around one line, or the event lines of the log by level and words.

They are numbered, each with its own address, to be picked alone or as a range. The browser makes text nodes
of them, so nothing in a log can be Markdown, HTML or a link.
"""

from dataclasses import dataclass

import streamlit as st

from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.reading.line_index import LineIndex, indexed_lines
from instrumentgpt.ui.controls import number_field, several, text_field
from instrumentgpt.ui.language import say
from instrumentgpt.ui.logs import place
from instrumentgpt.ui.logs.chart import KINDS, ROWS, kinds_of
from instrumentgpt.ui.logs.place import Window
from instrumentgpt.ui.logs.preparation import Preparation

AROUND = 250  # lines before and after
MOST_EVENTS = 500  # event lines shown of all that fit
VIEWER, GO = "log-lines", "logs-go"
LINE_CHARACTERS = 2000  # longer lines are cut: a browser lays out what it is given
_STYLE = """
.lines { max-height: 30rem; overflow: auto; position: relative; border: 1px solid var(--st-border-color);
  border-radius: var(--st-base-radius); background: var(--st-background-color); padding: 0.25rem 0;
  font-family: var(--st-code-font, monospace); font-size: 0.82rem; line-height: 1.55;
  color: var(--st-text-color) }
.lines:focus-visible { outline: 2px solid var(--st-primary-color) }
.row { display: flex; gap: 0.75rem; padding: 0 0.75rem; cursor: pointer; min-width: max-content;
  border-left: 3px solid transparent }
.row:hover { background: var(--st-secondary-background-color) }
.row.picked { background: color-mix(in srgb, var(--st-primary-color) 16%, transparent);
  border-left-color: var(--st-primary-color) }
.number { flex: none; text-align: right }
.number a { color: var(--st-link-color); text-decoration: none }
.number a:hover { text-decoration: underline }
.kind { flex: none; width: 4.6rem; opacity: 0.75 }
.row.errors .kind { color: var(--st-red-text-color); opacity: 1; font-weight: 600 }
.row.warnings .kind { color: var(--st-orange-text-color); opacity: 1; font-weight: 600 }
.text { white-space: pre }
@media (max-width: 640px) {
  .row { min-width: 0; gap: 0.5rem; padding: 0 0.5rem; flex-wrap: wrap }
  .text { white-space: pre-wrap; overflow-wrap: anywhere; flex: 1 1 100% }
}
"""
_SCRIPT = """
export default function ({ parentElement, data, setTriggerValue }) {
  const list = parentElement.querySelector(".lines")
  list.setAttribute("aria-label", data.words.name)
  const width = `${Math.max(4, (data.rows.at(-1)?.[0] ?? 0).toLocaleString("en").length)}ch`
  const span = (name, text) => {
    const piece = document.createElement("span")
    piece.className = name
    piece.textContent = text
    piece.setAttribute("role", "gridcell")
    return piece
  }
  const mark = (first, last) => {
    for (const row of list.children) {
      const picked = row.line >= first && row.line <= last
      row.classList.toggle("picked", picked)
      row.setAttribute("aria-selected", picked)
    }
  }
  let anchor = data.first
  const rows = data.rows.map(([line, kind, text]) => {
    const row = document.createElement("div")
    row.className = `row ${kind}`
    row.line = line
    row.setAttribute("role", "row")
    const number = span("number", "")
    const link = document.createElement("a")
    link.textContent = line.toLocaleString("en")
    link.href = `${data.address}&line=${line}`
    link.title = data.words.address
    link.tabIndex = -1
    number.append(link)
    number.style.width = width
    row.append(number, span("kind", kind === "other" ? "" : data.words[kind]), span("text", text))
    return row
  })
  list.replaceChildren(...rows)
  mark(data.first, data.last)
  const place = `${data.focus} ${data.rows.length}`
  if (list.dataset.place !== place) {
    list.dataset.place = place
    const row = rows.find(one => one.line >= data.focus)
    if (row) list.scrollTop = row.offsetTop - list.clientHeight / 2
  }
  if (data.revealed && list.dataset.revealed !== `${data.revealed}`) {
    list.dataset.revealed = data.revealed
    // Charts that are ready later push the lines down: they are held in view until somebody moves the page.
    const held = new ResizeObserver(() => list.scrollIntoView({ block: "center" }))
    held.observe(document.querySelector("[data-testid='stMainBlockContainer']"))
    for (const move of ["wheel", "touchmove", "keydown", "pointerdown"])
      window.addEventListener(move, () => held.disconnect(), { capture: true, once: true })
  }
  const choose = (row, extend) => {
    const other = extend && anchor ? anchor : row.line
    if (!extend) anchor = row.line
    const [first, last] = [Math.min(other, row.line), Math.max(other, row.line)]
    mark(first, last)
    setTriggerValue("picked", { first, last })
  }
  const pick = event => {
    const row = event.target.closest(".row")
    if (!row || event.ctrlKey || event.metaKey || event.button) return
    event.preventDefault()
    choose(row, event.shiftKey)
  }
  const step = event => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const next = by && rows[rows.findIndex(row => row.classList.contains("picked")) + by]
    if (!next) return
    event.preventDefault()
    choose(next, false)
    next.scrollIntoView({ block: "nearest" })
  }
  list.onclick = pick
  list.onkeydown = step
}
"""
_HTML = '<div class="lines" role="grid" aria-multiselectable="true" tabindex="0"></div>'
_viewer = st.components.v2.component("log_lines", html=_HTML, css=_STYLE, js=_SCRIPT)


@dataclass(frozen=True)
class Row:
    """One line: its number, its kind ("errors", "warnings", "info", "readings", "other") and its text."""

    line: int
    kind: str
    text: str


@dataclass(frozen=True)
class Filters:
    """Which event lines are shown: of these kinds (none: all), with all the words; without either, none."""

    kinds: tuple[str, ...] = ()
    words: str = ""

    @property
    def chosen(self) -> bool:
        """Return whether there is one."""
        return bool(self.kinds or self.words.split())


def draw(
    preparation: Preparation, here: place.Place, conversation_id: str, filters: Filters
) -> tuple[int, int]:
    """Draw the lines that fit; return first and last of the selected lines."""
    index, log = preparation.index, preparation.log
    assert index is not None
    end = (st.session_state.get(place.SELECTED) or [index.total])[0] if preparation.live else 1
    focus = min(st.session_state.get(place.FOCUS) or end, max(index.total, 1))
    if filters.chosen and log is not None:
        rows, total = event_rows(log, filters, st.session_state.get(place.WINDOW))
        hint = say("Pick one and choose “Around it” to see its neighbours.")
        caption = f"{say('{count:,} event lines fit', count=total)} · {hint}"
        if len(rows) < total:
            caption = f"{say('The first {count:,}', count=len(rows))} · {caption}"
    else:
        rows = around(index, log, focus)
        around_words = say(
            "{count:,} lines around line {line:,} of {all:,}", count=len(rows), line=focus, all=index.total
        )
        caption = f"{around_words} · {say('Click a line to pick it, Shift-click another for a range.')}"
    first, last = st.session_state.get(place.SELECTED) or (focus, focus)
    if rows:
        address = place.Place(here.device, here.log).address("" if here.device else conversation_id)
        words = {
            "name": say("Lines of the log"),
            "address": say("Address of this line: copy it with a right click"),
            **{kind: say(KINDS[kind]) for kind in KINDS},
        }
        shown = {
            "rows": [[row.line, row.kind, row.text[:LINE_CHARACTERS]] for row in rows],
            "focus": focus,  # is scrolled to
            "first": first,
            "last": last,
            "revealed": st.session_state.get(place.REVEALED, 0),  # the page scrolls to them when it is new
            "address": address,  # opens the log; the number of a line is added
            "words": words,
        }
        _viewer(key=VIEWER, data=shown, on_picked_change=_pick)
    else:
        st.info(say("No event line fits the level and the words."), icon=":material/info:")
    st.caption(caption)
    return first, last


def around(index: LineIndex, log: Log | None, focus: int) -> list[Row]:
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
    return [Row(number, kinds.get(number, "other"), text) for number, text in numbered]


def event_rows(log: Log, filters: Filters, window: Window | None) -> tuple[list[Row], int]:
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
        Row(int(line), kind, f"{log.clock(float(time))}  {f'[{source}] ' if source else ''}{text}")
        for line, kind, time, source, text in zip(*columns, strict=True)
    ]
    return rows, len(events)


def draw_filters(preparation: Preparation) -> Filters:
    """Draw what finds event lines of the whole log, or one line by its number; return the filters."""
    total, is_read = preparation.index.total if preparation.index else 1, preparation.log is not None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kinds = several(
            say("Level"), {name: say(KINDS[name]) for name in ROWS}, place.LEVELS, disabled=not is_read
        )
        look = {"icon": ":material/search:", "width": 220, "disabled": not is_read}
        words = text_field(say("Words in event lines"), place.WORDS, say("timeout heater"), **look)
        bounds = {"min_value": 1, "max_value": max(total, 1), "step": 1}
        number_field(
            say("Go to line"), GO, say("1 to {last:,}", last=total), on_change=_go, width=170, **bounds
        )
    return Filters(tuple(kinds), words)


def _go() -> None:
    if line := st.session_state.get(GO):
        place.go_to(int(line))
        st.session_state[GO] = None


def _pick() -> None:
    """Select the lines that were just picked; first and last come from a browser."""
    selection = st.session_state.get(VIEWER, {}).get("picked")
    if isinstance(selection, dict):
        first, last = selection.get("first"), selection.get("last")
        if isinstance(first, int) and isinstance(last, int) and 0 < first <= last:
            st.session_state[place.SELECTED] = first, last
