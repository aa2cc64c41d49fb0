"""Lines of a log in the page: numbered, each with its own address, to be picked alone or as a range.

The browser makes text nodes of them, so nothing in a log can be Markdown, HTML or a link.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from instrumentgpt.ui.language import say
from instrumentgpt.ui.logs.chart import KINDS

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
.row.gap { cursor: default; opacity: 0.6; pointer-events: none }
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
  let before = 0
  const rows = data.rows.flatMap(([line, kind, text]) => {
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
    const skipped = before && line > before + 1 ? line - before - 1 : 0
    before = line
    if (!skipped) return [row]
    const gap = document.createElement("div")
    gap.className = "row gap"
    gap.setAttribute("role", "row")
    gap.append(span("number", ""), span("text", `⋯ ${skipped.toLocaleString("en")} ${data.words.skipped}`))
    gap.firstChild.style.width = width
    return [gap, row]
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
    const row = event.target.closest(".row:not(.gap)")
    if (!row || event.ctrlKey || event.metaKey || event.button) return
    event.preventDefault()
    choose(row, event.shiftKey)
  }
  const step = event => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const lines = [...list.children].filter(row => row.line)
    const next = by && lines[lines.findIndex(row => row.classList.contains("picked")) + by]
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


def draw(
    rows: Sequence[Row],
    focus: int,
    selected: tuple[int, int],
    revealed: int,
    address: str,
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Draw `rows`, scrolled to the line `focus`.

    revealed  the page scrolls to the lines when this number is new; 0: it does not
    address   opens the log; the number of a line is added
    """
    words = {
        "name": say("Lines of the log"),
        "address": say("Address of this line: copy it with a right click"),
        "skipped": say("lines left out"),
        **{kind: say(KINDS[kind]) for kind in KINDS},
    }
    _viewer(
        key=key,
        data={
            "rows": [[row.line, row.kind, row.text[:LINE_CHARACTERS]] for row in rows],
            "focus": focus,
            "first": selected[0],
            "last": selected[1],
            "revealed": revealed,
            "address": address,
            "words": words,
        },
        on_picked_change=on_pick,
    )


def picked(key: str) -> tuple[int, int] | None:
    """Return first and last of the lines that were just picked; both come from a browser."""
    selection = st.session_state.get(key, {}).get("picked")
    if not isinstance(selection, dict):
        return None
    first, last = selection.get("first"), selection.get("last")
    return (first, last) if isinstance(first, int) and isinstance(last, int) and 0 < first <= last else None
