"""Choices, menus and buttons as every part of the page draws them: one to download, one to copy a text."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urljoin

import streamlit as st

from instrumentgpt.handover.markdown import html
from instrumentgpt.moments import choose_zone
from instrumentgpt.ui import session
from instrumentgpt.ui.language import say

Name = TypeVar("Name", str, int)


def one_of(label: str, words: Mapping[Name, str], default: Name, key: str | None = None, **look: Any) -> Name:
    """Draw a row of buttons of which one is always pressed; return its name. `words`: name → its button."""
    return st.segmented_control(  # type: ignore[no-any-return]
        label, words, default=default, required=True, format_func=words.__getitem__, key=key, **look
    )


def chosen(label: str, words: Mapping[Any, str], key: str | None = None, **look: Any) -> Any:
    """Draw a list to choose one of; return its name. `words`: name → what stands in the list."""
    return st.selectbox(label, list(words), format_func=words.__getitem__, key=key, **look)


def several(label: str, words: Mapping[Any, str], key: str, **look: Any) -> list[Any]:
    """Draw a row of buttons of which any may be pressed; return their names. `words`: name → its button."""
    pills = st.pills(
        label, list(words), selection_mode="multi", format_func=words.__getitem__, key=key, **look
    )
    return list(pills)


def text_field(label: str, key: str, hint: str = "", on_change: Any = None, *args: Any, **look: Any) -> str:
    """Draw a field for a line of text, which calls `on_change`; return it. `hint` stands in an empty one."""
    text = st.text_input(label, key=key, placeholder=hint, on_change=on_change, args=args, **look)
    return text or ""


def number_field(label: str, key: str, hint: str, value: float | None = None, **look: Any) -> Any:
    """Draw a field for a number; return it, None while it is empty, where `hint` stands."""
    return st.number_input(label, value=value, placeholder=hint, key=key, **look)


def text_button(icon: str, label: str, key: str | None, on_click: Any, /, *args: Any, **look: Any) -> None:
    """Draw a button of words, flat unless `look` says otherwise, which calls `on_click`; `icon` may be ""."""
    look = {"icon": f":material/{icon}:" if icon else None, "type": "tertiary", **look}
    st.button(label, key, on_click=on_click, args=args, **look)


def icon_button(icon: str, name: str, key: str, on_click: Any, *args: Any, **look: Any) -> None:
    """Draw a button of an icon alone, as `text_button`; `name` is read out, and told as its help."""
    text_button(icon, f"_{name}_", key, on_click, *args, **{"help": name, **look})


def icon_menu(
    icon: str, name: str, words: Mapping[Any, str], key: str, on_click: Any = None, *args: Any, **look: Any
) -> Any:
    """Draw a menu of an icon alone, as `icon_button`; return what was chosen, None if nothing was."""
    look = {"help": name, "icon": f":material/{icon}:", "type": "tertiary", **look}
    look |= {"format_func": words.__getitem__, "on_click": on_click, "args": args}
    return st.menu_button(f"_{name}_", list(words), key=key, **look)


def download(
    label: str, make: Callable[[], str | bytes], file: str, kind: str, key: str | None = None, **looks: Any
) -> None:
    """Draw the button; a thread without a page calls `make`, and tells moments in the zone of this page."""
    zone = session.zone()

    def made() -> str | bytes:
        choose_zone(*zone)
        return make()

    looks = {"icon": ":material/download:", "on_click": "ignore", **looks}
    st.download_button(label, made, file, kind, key, **looks)


# The browser's own clipboard is there only over https and on this machine: elsewhere the older way serves.
_COPY_SCRIPT = """
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
_COPY_LOOK = """
div { display: flex; align-items: center; gap: 0.25rem; font: 0.875rem var(--st-font); height: 2.5rem }
button { all: unset; cursor: pointer; padding: 0.5rem; line-height: 0 }
button:hover { color: var(--st-primary-color) }
button:focus-visible { outline: 2px solid var(--st-primary-color) }
button.done { color: #1a7a4c } button.failed { color: #b4232c }
"""
_COPY_HTML = """<div><button><svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor"
stroke-width="2" aria-hidden="true"><rect x="9" y="9" width="11" height="12" rx="2"/>
<path d="M5 16V5a2 2 0 0 1 2-2h8"/></svg></button><span role="status"></span></div>"""
_copier = st.components.v2.component("copy_text", html=_COPY_HTML, css=_COPY_LOOK, js=_COPY_SCRIPT)


def copy_button(text: str, key: str) -> None:
    """Draw the button for the Markdown `text`."""
    words = {"label": say("Copy the answer"), "done": say("Copied")}
    words["failed"] = say("The browser did not let me copy")
    _copier(key=key, width="content", data={"markdown": text, "html": html(text), **words})


def page_address() -> str:
    """Return where this page is, as its browser sees it: what a link back begins with."""
    return urljoin(str(st.context.url or ""), ".")
