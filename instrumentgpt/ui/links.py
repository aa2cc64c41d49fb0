"""Evidence links in an answer open the log lines in the page itself.

A Markdown link would open a new browser tab and with it a new session, which is what it still does when
clicked with Ctrl: the address `?conv=…&log=…&line=…` works from anywhere.
"""

import streamlit as st

_LISTENER = """
export default function ({ setTriggerValue }) {
  const open = event => {
    const link = event.target.closest?.("a[href*='log='][href*='line=']")
    const modified = event.button || event.ctrlKey || event.metaKey || event.shiftKey
    if (!link || modified) return
    const query = new URL(link.href, window.location.href).searchParams
    event.preventDefault()
    event.stopPropagation()
    setTriggerValue("opened", { log: query.get("log"), line: query.get("line") })
  }
  document.addEventListener("click", open, true)
  return () => document.removeEventListener("click", open, true)
}
"""
_listener = st.components.v2.component("evidence_links", js=_LISTENER)


def clicked() -> dict[str, str] | None:
    """Return the `log` and `line` of the evidence link that was just clicked, or None. Both are untrusted."""
    opened = _listener(key="evidence-links", on_opened_change=lambda: None).opened
    return opened if isinstance(opened, dict) else None
