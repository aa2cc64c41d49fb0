"""The dialog in which a device of the inventory is added, changed, tried and taken out."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.fleet.inventory_file import copy_of, put_device, remove_device
from instrumentgpt.instruments.devices import Device, load_inventory
from instrumentgpt.instruments.fetch import fetch, list_logs
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.understood import account
from instrumentgpt.settings import DEMO_INVENTORY, home
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.language import language, say

SHOWN = 3  # logs of a folder that is tried
MESSAGE_CHARACTERS = 500


def draw(device: Device | None, saved: Callable[[], None]) -> None:
    """Open the form of a device, or of a new one; what it saves is followed by `saved()`."""
    title = untrusted.label(device.label) if device else say("Add instrument")
    st.dialog(title, width="medium")(_form)(device, saved)


def _form(device: Device | None, then: Callable[[], None]) -> None:
    shown = device or Device("", "", "")
    left, right = st.columns(2)
    name = left.text_input(say("Name"), shown.name, max_chars=80)
    ip = right.text_input(say("Address"), shown.ip, placeholder="10.1.1.60")
    logs = st.text_input(
        say("Folder of its logs"),
        shown.logs,
        placeholder="/mnt/ovens/060 · http://10.1.1.60/logs · sftp://10.1.1.60/var/log",
        help=say("A folder of this computer, or one over http, https or sftp. Nothing else is contacted."),
    )
    model = left.text_input(say("Model"), shown.model, max_chars=80)
    aliases = right.text_input(say("Other names, with commas between"), ", ".join(shown.aliases))
    room = st.text_input(say("Room"), shown.room, max_chars=80)
    other_names = [alias.strip() for alias in aliases.replace("、", ",").split(",") if alias.strip()]
    fields = {"name": name.strip(), "ip": ip.strip(), "logs": logs.strip(), "model": model.strip()}
    fields["room"] = room.strip()
    with st.container(horizontal=True):
        tried = st.button(say("Look into the folder"), icon=":material/folder_open:")
        saved = st.button(say("Save"), icon=":material/save:", type="primary")
        removed = device is not None and st.button(say("Take out of the inventory"), icon=":material/delete:")
    labels = {"name": say("Name"), "ip": say("Address"), "logs": say("Folder of its logs")}
    if empty := [labels[field] for field in ("name", "logs") if (tried or saved) and not fields[field]]:
        st.error(say("Still empty: {fields}", fields=", ".join(empty)), icon=":material/error:")
        return
    try:
        if tried:
            _draw_logs(fields)
        if saved or removed:
            with session.opened() as database:
                path = _writable_inventory(database)
            if removed and device is not None:
                remove_device(path, device.name)
            else:
                if fields["logs"] == shown.logs:
                    del fields["logs"]  # it stays as it is written there
                put_device(path, {**fields, "aliases": other_names}, shown.name)
                then()
            st.rerun()
    except InstrumentGPTError as problem:
        text = in_words_of_form(problem.message(language()), fields["name"], labels)
        st.error(untrusted.label(text, MESSAGE_CHARACTERS, code=True), icon=":material/error:")


def in_words_of_form(text: str, name: str, labels: Mapping[str, str]) -> str:
    """Return what is wrong with the device `name` by the form's labels, without the place in the file."""
    named = re.escape(name)
    text = re.sub(rf"^/.*?[(（]{named}[)）][:：] ?|^/[^:：]*[:：] ?(?=.*{named} \()", "", text)
    key, space, rest = text.partition(" ")
    return labels.get(key, key) + space + rest


def _writable_inventory(database: Database) -> Path:
    """Return the inventory's file; what we ship is copied first, since an update would overwrite it."""
    path = Path(session.current_settings(database).inventory).expanduser()
    if path.resolve() != DEMO_INVENTORY.resolve():
        return path
    copy = copy_of(path, home() / "devices.toml")
    db.save_setting(database, "inventory", str(copy))
    return copy


def _draw_logs(fields: dict[str, str]) -> None:
    """Show what lies in the folder: how many logs, the newest, and what that was understood as."""
    trial = home() / "trial.toml"
    try:
        put_device(trial, fields)
        [device] = load_inventory(trial).devices
        with st.spinner(say("Looking…")):
            logs = list_logs(device)
            with TemporaryDirectory() as folder:
                newest_log = read_log(fetch(logs[0], Path(folder))) if logs else None
                lines = [*account(newest_log, language())] if newest_log else []
    finally:
        trial.unlink(missing_ok=True)
    newest = ", ".join(untrusted.label(log.name, 80) for log in logs[:SHOWN])
    if logs:
        st.success(
            say("{count} {count:?log|logs}, the newest: {newest}", count=len(logs), newest=newest),
            icon=":material/check:",
        )
        for line in lines:
            st.caption(untrusted.label(line, MESSAGE_CHARACTERS))
    else:
        st.warning(
            say("The folder is there, and has no file that looks like a log (.log, .txt, .csv, .tsv, …)."),
            icon=":material/info:",
        )
