"""A button that copies a text: formatted where the other program takes that, else as Markdown."""

from urllib.parse import urljoin

import streamlit as st

from instrumentgpt.handover.markdown import html
from instrumentgpt.ui.language import say

# The browser's own clipboard is there only over https and on this machine: elsewhere the older way serves.
_SCRIPT = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button")
  button.title = data.label
  button.setAttribute("aria-label", data.label)
  const texts = { "text/plain": data.markdown, "text/html": data.html }
  const older = () => {
    let taken = false
    const fill = event => {
      for (const [type, text] of Object.entries(texts)) event.clipboardData.setData(type, text)
      event.preventDefault()
      event.stopImmediatePropagation()
      taken = true
    }
    document.addEventListener("copy", fill, true)
    document.execCommand("copy")
    document.removeEventListener("copy", fill, true)
    if (!taken) throw new Error("copy")
  }
  const newer = () => navigator.clipboard.write([new ClipboardItem(Object.fromEntries(
    Object.entries(texts).map(([type, text]) => [type, new Blob([text], { type })])))])
  button.onclick = async () => {
    let state = "done"
    try {
      if (navigator.clipboard?.write) await newer().catch(older)
      else older()
    } catch {
      state = "failed"
    }
    button.className = state
    parentElement.querySelector("[role=status]").textContent = data[state]
    setTimeout(() => {
      button.className = ""
      parentElement.querySelector("[role=status]").textContent = ""
    }, 2500)
  }
}
"""
_LOOK = """
div { display: flex; align-items: center; gap: 0.25rem; font: 0.875rem var(--st-font); height: 2.5rem }
button { all: unset; cursor: pointer; padding: 0.5rem; line-height: 0 }
button:hover { color: var(--st-primary-color) }
button:focus-visible { outline: 2px solid var(--st-primary-color) }
button.done { color: #1a7a4c } button.failed { color: #b4232c }
"""
_BUTTON = """<div><button><svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor"
stroke-width="2" aria-hidden="true"><rect x="9" y="9" width="11" height="12" rx="2"/>
<path d="M5 16V5a2 2 0 0 1 2-2h8"/></svg></button><span role="status"></span></div>"""
_copier = st.components.v2.component("copy_text", html=_BUTTON, css=_LOOK, js=_SCRIPT)


def draw(text: str, key: str) -> None:
    """Draw the button for the Markdown `text`."""
    words = {"label": say("Copy the answer"), "done": say("Copied")}
    words["failed"] = say("The browser did not let me copy")
    _copier(key=key, width="content", data={"markdown": text, "html": html(text), **words})


def address() -> str:
    """Return where this page is, as its browser sees it: what a link back begins with."""
    return urljoin(str(st.context.url or ""), ".")
