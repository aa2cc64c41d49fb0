"""The tokens of a prompt, layer by layer, against its budget."""

from collections.abc import Sequence

import streamlit as st

from instrumentgpt.memory.budget import Section
from instrumentgpt.ui import untrusted

PARTS = {  # section of the prompt → its name here and its colour, the same in light and dark
    "request": ("request", "#0072B2"),
    "instructions": ("instructions", "#6B7280"),
    "diagnostic_context": ("state", "#009E73"),
    "note": ("note", "#56B4E9"),
    "notes": ("notes", "#A6761D"),
    "device_history": ("history", "#D55E00"),
    "conversation_summary": ("summary", "#E69F00"),
    "recalled_turns": ("recalled", "#8C564B"),
    "recent_conversation": ("recent", "#CC79A7"),
}
OTHER_COLOUR = "#6B7280"


def draw_bar(sections: Sequence[Section], tokens: int, budget: int) -> None:
    """Draw the tokens of each part as a share of `budget`; words stand beside every colour."""
    parts = [(*part_of(section.name), section.tokens) for section in sections]
    share = sum(counted for _, _, counted in parts) / budget
    st.html(bar([(colour, counted) for _, colour, counted in parts], budget))
    legend = " · ".join(
        f':color[■]{{foreground="{colour}"}} {untrusted.label(name)} {thousands(counted)}'
        for name, colour, counted in parts
    )
    total = f"**{thousands(tokens)}** of {thousands(budget)} tokens · {percent(share)}"
    st.markdown(f":small[{total}]  \n:small[{legend}]")


def part_of(section: str) -> tuple[str, str]:
    """Return what a section of a prompt is called here, and its colour."""
    return PARTS.get(section, (section, OTHER_COLOUR))


def bar(parts: Sequence[tuple[str, int]], budget: int) -> str:
    """Return a stacked bar as HTML; only colours of ours and numbers go into it.

    >>> bar([("#0072B2", 50)], 100).count("width:50.0%")
    1
    """
    whole = max(budget, sum(tokens for _, tokens in parts))
    pieces = "".join(
        f'<div style="width:{tokens / whole:.1%};background:{colour}"></div>' for colour, tokens in parts
    )
    return (
        '<div role="img" aria-label="Tokens of the prompt" style="display:flex;height:10px;'
        'border-radius:4px;overflow:hidden;background:color-mix(in srgb, currentColor 14%, transparent)">'
        f"{pieces}</div>"
    )


def thousands(tokens: int) -> str:
    """
    >>> thousands(8), thousands(320), thousands(1840)
    ('8', '320', '1.8k')
    """
    return str(tokens) if tokens < 1000 else f"{tokens / 1000:.1f}k".replace(".0k", "k")


def percent(share: float) -> str:
    """
    >>> percent(0.004), percent(0.41)
    ('< 1 %', '41 %')
    """
    return "< 1 %" if 0 < share < 0.01 else f"{share * 100:.0f} %"
