"""Links in an answer to log lines, and to messages of other conversations, open in the page itself.

A Markdown link would open a new browser tab and with it a new session, which is what it still does when
clicked with Ctrl: the address `?conv=…&log=…&line=…` works from anywhere.
"""

import streamlit as st

from instrumentgpt.ui import session

_LISTENER = """
export default function ({ setTriggerValue }) {
  const open = event => {
    const link = event.target.closest?.("a[href*='log='][href*='line='], a[href^='?conv=']")
    const modified = event.button || event.ctrlKey || event.metaKey || event.shiftKey
    if (!link || modified) return
    const query = new URL(link.href, window.location.href).searchParams
    event.preventDefault()
    event.stopPropagation()
    if (query.get("log")) setTriggerValue("opened", { log: query.get("log"), line: query.get("line") })
    else setTriggerValue("visited", { conv: query.get("conv"), msg: query.get("msg") })
  }
  document.addEventListener("click", open, true)
  return () => document.removeEventListener("click", open, true)
}
"""
_listener = st.components.v2.component("evidence_links", js=_LISTENER)


def clicked() -> dict[str, str] | None:
    """Return the `log` and `line` of the evidence link that was just clicked, or None. Both are untrusted.

    A link to another conversation is followed at once.
    """
    given = _listener(key="evidence-links", on_opened_change=lambda: None, on_visited_change=lambda: None)
    if isinstance(given.visited, dict):
        message = str(given.visited.get("msg") or "")
        session.go_to(str(given.visited.get("conv")), int(message) if message.isdecimal() else None)
        st.rerun()
    return given.opened if isinstance(given.opened, dict) else None
