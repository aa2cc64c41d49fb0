"""Text of logs, agents and users, made safe to show: it may format itself, never command the page."""

import re
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from instrumentgpt.handover.markdown import Note, html

_SHORTCODE = re.compile(r"(?<!\\):(?=(?:[+-]1|[A-Za-z][\w+-]*|\d{3,4}|material/\w+):)")
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])")
_CODE = re.compile(r"(`[^`]+`)")
_JOINER = "\u2060"  # word joiner: invisible, and no part of any syntax


def write(
    text: str,
    conversation_id: str = "",
    draw: Callable[..., DeltaGenerator] = st.markdown,
    notes: tuple[Note, ...] = (),
) -> DeltaGenerator:
    """Draw `text` as Markdown by st.markdown, st.caption or those of a place; return the element."""
    return draw(html(text, conversation_id, notes), unsafe_allow_html=True)


def number(text: str, digits: int) -> int | None:
    """Return the number from 1 on that `text` of an address is, None if it is none or has more `digits`.

    >>> number("18204", 11), number("-1", 11), number("0", 11), number("٣", 11), number("100", 2)
    (18204, None, None, None, None)
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= digits
    return (int(text) or None) if is_number else None


def label(text: str, limit: int = 60, code: bool = False) -> str:
    """Return `text` for a button, badge or heading: one line, at most `limit` characters, nothing formatted.

    Of our own problems, what stands between backticks is `code`.

    >>> print(label("**bold** :red[x]"), label("run `a_b`_", code=True))
    \\*\\*bold\\*\\* \\:red\\[x\\] run `a_b`\\_
    """
    line = " ".join(text.split())
    line = line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
    parts = _CODE.split(line) if code else [line]
    parts[::2] = [_MARKUP.sub(r"\\\1", _SHORTCODE.sub(f":{_JOINER}", part)) for part in parts[::2]]
    return "".join(parts)
