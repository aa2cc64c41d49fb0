"""Choices, menus and buttons as every part of the page draws them."""

from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st

Name = TypeVar("Name", str, int)


def one_of(label: str, words: Mapping[Name, str], default: Name, key: str | None = None, **look: Any) -> Name:
    """Draw a row of buttons of which one is always pressed; return its name. `words`: name → its button."""
    return st.segmented_control(  # type: ignore[no-any-return]
        label, words, default=default, required=True, format_func=words.__getitem__, key=key, **look
    )


def chosen(label: str, words: Mapping[Any, str], key: str | None = None, **look: Any) -> Any:
    """Draw a list to choose one of; return its name. `words`: name → what stands in the list."""
    return st.selectbox(label, list(words), format_func=words.__getitem__, key=key, **look)


def icon_button(icon: str, name: str, key: str, on_click: Any, *args: Any, **look: Any) -> None:
    """Draw a button of an icon alone, which calls `on_click`; `name` is read out, and told as its help."""
    look = {"help": name, "icon": f":material/{icon}:", "type": "tertiary", **look}
    st.button(f"_{name}_", key, on_click=on_click, args=args, **look)


def icon_menu(
    icon: str, name: str, words: Mapping[Any, str], key: str, on_click: Any = None, *args: Any, **look: Any
) -> Any:
    """Draw a menu of an icon alone, as `icon_button`; return what was chosen, None if nothing was."""
    look = {"help": name, "icon": f":material/{icon}:", "type": "tertiary", **look}
    look |= {"format_func": words.__getitem__, "on_click": on_click, "args": args}
    return st.menu_button(f"_{name}_", list(words), key=key, **look)
