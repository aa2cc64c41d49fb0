"""The empty state: which device, four questions to start from, and who will answer."""

from pathlib import Path

import streamlit as st

from instrumentgpt.instruments.devices import Device, InventoryError, load_inventory
from instrumentgpt.settings import Settings
from instrumentgpt.ui import untrusted

FIRST_CHOICE = "10.1.1.47"  # of the demo inventory: its loop oscillates
EXAMPLES = (
    (":material/ssid_chart:", "{ip} 為什麼溫度波動？"),
    (":material/troubleshoot:", "What is wrong with {name}?"),
    (":material/show_chart:", "Plot the temperature and the output of {name}"),
    (":material/list_alt:", "{name} 的 log 裡有哪些錯誤？"),
)


def draw(settings: Settings) -> str | None:
    """Draw the empty state and return the example question that was clicked, or None."""
    st.space("medium")
    st.title("What is your instrument doing?", anchor=False)
    st.markdown(
        "Ask about a device, drop a log file below, or start from an example. "
        "Answers quote the log lines they rest on, in English or 繁體中文."
    )
    device = _pick_device(settings)
    if device is None:
        return None
    st.caption("Try asking")
    columns = st.columns(2)
    for number, (icon, words) in enumerate(EXAMPLES):
        question = words.format(ip=device.ip, name=device.name)
        label = untrusted.label(question)
        if columns[number % 2].button(label, icon=icon, key=f"example-{number}", width="stretch"):
            return question
    return None


def _pick_device(settings: Settings) -> Device | None:
    try:
        devices = load_inventory(Path(settings.inventory)).devices
    except InventoryError as error:
        st.error(untrusted.label(str(error), 500), icon=":material/error:")
        return None
    if not devices:
        st.info(
            "The inventory has no device yet. Choose another on the Settings page.", icon=":material/info:"
        )
        return None
    first = next((number for number, device in enumerate(devices) if device.ip == FIRST_CHOICE), 0)
    return st.selectbox("Device", devices, index=first, format_func=_described, width=360)


def _described(device: Device) -> str:
    return " · ".join(filter(None, (device.name, device.ip, device.model)))
