"""The plan of Investigate that waits: its devices and steps to tick, below the answer that proposed it."""

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.modes.investigate.kept import MODE, Pending, read_kept
from instrumentgpt.settings import Settings
from instrumentgpt.storage.history import places
from instrumentgpt.ui import composer
from instrumentgpt.ui.language import say


def draw(database: Database, conversation_id: str, settings: Settings) -> None:
    """Draw the editor if the newest answer, one of Investigate, proposed a plan of known devices or steps."""
    _, turns = places(database, conversation_id)
    pending = read_kept(db.get_mode_state(database, conversation_id, MODE), turns).pending
    if pending is None or pending.kind != "proposal" or not (pending.devices or pending.steps):
        return
    with st.expander(say("Change the plan"), icon=":material/edit:", key=f"plan-{turns[-1]}"):
        _draw_editor(pending, settings, turns[-1])


def _draw_editor(pending: Pending, settings: Settings, turn: int) -> None:
    names = [device.name for device in load_inventory(settings.inventory).devices]
    devices = st.pills(
        say("Devices"),
        names,
        selection_mode="multi",
        default=[name for name in pending.devices if name in names],
        key=f"plan-devices-{turn}",
    )
    rows = [
        {"do": True, "order": place, "step": step.description}
        for place, step in enumerate(pending.steps, start=1)
    ]
    edited = st.data_editor(
        rows,
        hide_index=True,
        key=f"plan-steps-{turn}",
        disabled=["step"],
        column_config={
            "do": st.column_config.CheckboxColumn(say("Do"), width="small"),
            "order": st.column_config.NumberColumn(say("Order"), width="small", step=1),
            "step": st.column_config.TextColumn(say("Step"), width="large"),
        },
    )
    ticked = [(row["order"], place) for place, row in enumerate(edited, start=1) if row["do"]]
    steps = ", ".join(str(place) for _, place in sorted(ticked))
    text = f"devices: {', '.join(devices)}" + (f"\nsteps: {steps}" if steps else "")
    disabled = not devices or (bool(rows) and not steps)
    composer.draw_ask(say("Show the changed plan"), text, mode=MODE, disabled=disabled)
    st.caption(say("It is shown again before anything is carried out."))
