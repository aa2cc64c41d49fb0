"""JSON documents of a device (configuration, health) on the Logs page: their values, or what changed."""

from datetime import datetime

import streamlit as st

from instrumentgpt.instruments.documents import changes_between
from instrumentgpt.instruments.lognames import start_time
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.language import say
from instrumentgpt.ui.logs.preparation import Preparation

NAME_CHARACTERS = 80


def draw(first: Preparation, *others: Preparation) -> None:
    """Draw the values of a document, or what changed from the older to the newer of two."""
    if not others:
        rows = [{say("Name"): name, say("Value"): value} for name, value in (first.values or {}).items()]
        st.dataframe(rows, hide_index=True, alt=say("Values"))
        return
    before, after = sorted((first, others[0]), key=_begun)
    if before.values is None or after.values is None:
        if before.done and after.done:
            st.warning(say("A log and a document of values have nothing to compare."), icon=":material/info:")
        return
    names = (task.path.name for task in (before, after) if task.path)
    st.markdown(" → ".join(f"**{untrusted.label(name, NAME_CHARACTERS)}**" for name in names))
    changes = changes_between(before.values, after.values)
    if not changes:
        st.caption(say("All values are the same."))
        return
    heads = say("Name"), say("Before"), say("After")
    rows = [dict(zip(heads, vars(change).values(), strict=True)) for change in changes]
    st.dataframe(rows, hide_index=True, alt=say("Values"))


def _begun(task: Preparation) -> datetime:
    return (task.path and start_time(task.path.name)) or datetime.min
