"""The Logs page, from top to bottom: which log, its charts and findings, its lines.

A device is chosen, one of its logs or of the conversation's files, and a second log to compare it with.
Of a JSON document (configuration, health) its values are drawn, or what changed from another.
"""

from datetime import datetime
from pathlib import Path

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.devices import Device, Inventory, load_inventory
from instrumentgpt.instruments.documents import changes_between, is_document_name, is_listed_name
from instrumentgpt.instruments.fetch import UNTIL, FetchError, RemoteLog, list_files
from instrumentgpt.instruments.language import size_text
from instrumentgpt.instruments.lognames import start_time
from instrumentgpt.instruments.tools.opened import UnknownLog, bare, device_folder
from instrumentgpt.instruments.workspace import Workspace, workspace_of
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.moments import local
from instrumentgpt.ui import session, untrusted
from instrumentgpt.ui.controls import chosen, icon_button
from instrumentgpt.ui.language import say
from instrumentgpt.ui.logs import actions, chart, findings, lines, place, preparation, reading
from instrumentgpt.ui.logs.preparation import DROPPED, STEPS, Choice, Preparation, prepared

MESSAGE_CHARACTERS = 600
NAME_CHARACTERS = 80  # of a document
NEWS_EVERY = 0.5  # s between looks at how far a preparation is


@session.drawn
def page(database: Database) -> None:
    """Draw the page."""
    conversation = session.current(database)
    conversation_id = conversation.id if conversation else ""
    settings = session.current_settings(database)
    workspace = workspace_of(database, conversation_id, settings.inventory)
    state = DiagnosticState.deserialize(db.get_memory(conversation_id, database)[1])
    subject = (conversation_id, state.device_name or "", bare((state.last_log_file or "").rpartition("/")[2]))
    choices = _choose(load_inventory(Path(settings.inventory)), workspace, subject)
    if not choices:
        return
    unit = settings.temperatures
    tasks = [prepared(log, reading.reading_of(log.reference), workspace.cache, unit) for log in choices]
    if len(tasks) == 1:
        stated = reading.reading_of(choices[0].reference)
        tasks = [preparation.followed(tasks[0], choices[0], stated, workspace.cache, unit)]
    first = tasks[0]
    if not all(task.done for task in tasks):
        _follow(tasks, [task.step for task in tasks])
    for task, choice in zip(tasks, choices, strict=True):
        if task.done and task.future:
            task.future.result()
        if task.problem:
            st.error(session.describe(task.problem, MESSAGE_CHARACTERS), icon=":material/error:")
        if task.values is not None:
            continue
        suffix = f" · {untrusted.label(choice.name, 80)}" if len(tasks) > 1 else ""
        reading.draw(database, task, choice, conversation_id, suffix)
    if any(task.values is not None for task in tasks):
        _draw_values(*tasks)
    elif len(tasks) > 1:
        chart.draw_comparison(*tasks)
    elif first.log is not None:
        _draw_judged(first, choices[0].reference)
    if first.index is not None and first.values is None:
        _draw_lines(first, place.Place(choices[0].device, choices[0].name), conversation_id)


@st.fragment(run_every=NEWS_EVERY)
def _follow(tasks: list[Preparation], steps: list[int]) -> None:
    """Show how far the reading is; draw the page anew when there is more to show."""
    for task in (task for task in tasks if not task.done):
        st.progress(min(task.share, 1.0), f"{say(STEPS[task.step])}… {say('what is ready is shown below')}")
    if all(task.done for task in tasks) or steps != [task.step for task in tasks]:
        st.rerun()


def _draw_judged(preparation: Preparation, reference: str) -> None:
    """Draw the charts, and beside them what is wrong and what the log complains of."""
    assert preparation.log is not None
    left, right = st.columns([0.67, 0.33], gap="medium")
    with left:
        chart.draw(preparation, reference)
    with right:
        findings_tab, events_tab = st.tabs([say("Findings"), say("Errors and warnings")])
        with findings_tab:
            if preparation.diagnosis is not None:
                findings.draw(preparation.diagnosis)
            elif not preparation.done:
                st.caption(say("Being judged…"))
        with events_tab:
            findings.draw_events(preparation.log, preparation.groups)


@st.fragment
def _draw_lines(preparation: Preparation, here: place.Place, conversation_id: str) -> None:
    """Draw the lines and what can be done with those selected; a filter or a pick redraws only this."""
    st.subheader(say("Lines"), anchor=False)
    above = st.container()
    filters = lines.draw_filters(preparation)
    selected = lines.draw(preparation, here, conversation_id, filters)
    with above:
        actions.draw(preparation, here, conversation_id, selected, filters.chosen)


LISTED_FOR = "10m"  # a device is asked again after that, or on request


def _choose(inventory: Inventory, workspace: Workspace, subject: tuple[str, str, str]) -> list[Choice]:
    """Draw what chooses; return the log, and a second one if one is to be compared; [] if there is none.

    subject  the conversation, its device and its log, each "" if there is none
    """
    paths = [path for path in workspace.attachments if is_listed_name(path.name) and path.exists()]
    dropped = [_copy(DROPPED, path) for path in paths]  # the latest first
    devices = [*(device.name for device in inventory.devices), *([DROPPED] if dropped else [])]
    _go_to_subject(subject, devices)
    addressed = _take_address(inventory, workspace)
    if not devices:
        st.info(
            say(
                "The inventory has no device yet, and no log was dropped into this conversation. "
                "Choose an inventory on the Settings page, or drop a log into the chat."
            ),
            icon=":material/info:",
        )
        return []
    if st.session_state.get(place.DEVICE) not in devices:
        st.session_state[place.DEVICE] = devices[0]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="logs-choice"):
        labels = {device.name: device.label for device in inventory.devices}
        labels[DROPPED] = say("Files of this conversation")
        words = {name: labels[name] for name in devices}
        look = {"persist_state": "session", "width": 240}
        device = str(chosen(say("Device"), words, place.DEVICE, on_change=_device_changed, **look))
        choices, problem = _device_logs(inventory.find(device), workspace) if device else (dropped, "")
        picked = _pick_logs(choices, addressed) if choices else []
        icon_button("refresh", say("Look for new logs"), "logs-look-again", _look_again)
        if len(picked) == 1:
            preparation.draw_switch(picked[0])
    if problem:
        text = session.describe(f"{problem}.", MESSAGE_CHARACTERS)
        st.warning(f"{text} {say('Copies that are here are listed.')}", icon=":material/cloud_off:")
    if not choices:
        st.info(say("No logs of {device} are there.", device=untrusted.label(device)), icon=":material/info:")
        return []
    selected = st.session_state.get(place.SELECTED)
    place.show(place.Place(picked[0].device, picked[0].name, selected[0] if selected else None))
    return picked


def _go_to_subject(subject: tuple[str, str, str], devices: list[str]) -> None:
    """Go to the log that the conversation is about, once whenever that is another one."""
    if subject == st.session_state.get(place.ABOUT):
        return
    st.session_state[place.ABOUT] = subject
    _, name, log = subject
    device = name if name in devices else DROPPED
    current = (st.session_state.get(place.DEVICE), st.session_state.get(place.LOG))
    if (name or log) and device in devices and (device, log) != current:
        st.session_state[place.DEVICE], st.session_state[place.LOG] = device, log or None
        place.begin()


def _take_address(inventory: Inventory, workspace: Workspace) -> str:
    """Go where the address leads, if the inventory and the conversation have such a log; return its name."""
    target = place.place_in_address()
    if target is None:
        return ""
    st.session_state[place.SHOWN] = target
    try:
        device = _device_of(target.log, target.device, inventory, workspace)
    except InstrumentGPTError as error:
        st.warning(session.describe(error, MESSAGE_CHARACTERS), icon=":material/link_off:")
        return ""
    name = bare(target.log.rpartition("/")[2])
    st.session_state[place.DEVICE], st.session_state[place.LOG] = device, name or None
    place.begin(target.line)
    return name


def _pick_logs(choices: list[Choice], addressed: str) -> list[Choice]:
    names = [choice.name for choice in choices]
    if addressed and addressed not in names:
        notice = say("The log “{log}” is not there any more. This is the newest one.", log=addressed)
        st.warning(untrusted.label(notice, MESSAGE_CHARACTERS), icon=":material/link_off:")
    if st.session_state.get(place.LOG) not in names:
        st.session_state[place.LOG] = names[0]
        if addressed:
            place.begin()
    by_name = {choice.name: choice for choice in reversed(choices)}
    words = {name: described(by_name[name]) for name in names}
    look = {"persist_state": "session", "width": 460}
    log = chosen(say("Log"), words, place.LOG, on_change=place.begin, **look)
    other_names = [name for name in names if name != log]
    if st.session_state.get(place.OTHER) not in other_names:
        st.session_state[place.OTHER] = None
    others, hint = {name: words[name] for name in other_names}, say("another log of it")
    second = chosen(say("Compare with"), others, place.OTHER, index=None, placeholder=hint, width=300)
    return [by_name[str(log)], *([by_name[second]] if second else [])]


def described(choice: Choice) -> str:
    """Return a log's name with its size; its time too where the name has none."""
    size = "" if choice.size is None else size_text(choice.size)
    digits = sum(letter.isdigit() for letter in choice.name)
    when = f"{choice.when:%Y-%m-%d %H:%M}" if choice.when and digits < 12 else ""
    return " · ".join(filter(None, (choice.name, when, size)))


def _device_changed() -> None:
    st.session_state.pop(place.LOG, None)
    place.begin()


def _look_again() -> None:
    _listed.clear()
    preparation.forget()


def _device_logs(device: Device, workspace: Workspace) -> tuple[list[Choice], str]:
    """Return the device's logs, newest first, and "" or why only copies that are here can be offered."""
    try:
        older_copies = device_folder(workspace.cache, device.name).glob(f"*{UNTIL}*")
        with st.spinner(say("Looking…")):
            choices = [
                Choice(device.name, bare(log.name), log, None, log.size, log.begun or _local(log.modified))
                for log in _listed(device)
            ]
        return _logs_first([*choices, *(_copy(device.name, path) for path in sorted(older_copies))]), ""
    except FetchError as error:
        files = device_folder(workspace.cache, device.name).glob("*")
        copies = [_copy(device.name, path) for path in files if is_listed_name(path.name)]
        copies.sort(key=lambda copy: (copy.when or datetime.min, copy.name), reverse=True)
        return _logs_first(copies), str(error)


def _logs_first(choices: list[Choice]) -> list[Choice]:
    return sorted(choices, key=lambda choice: is_document_name(choice.name))


def _device_of(log: str, device: str, inventory: Inventory, workspace: Workspace) -> str:
    """Return the device that an address means by `log` ("run.log", "zspr 052/run.log") and `device`.

    Both come from anywhere. Raises UnknownLog or UnknownDevice if the inventory and the conversation have
    nothing of the kind.
    """
    device = device or log.rpartition("/")[0]
    if device:
        return inventory.find(device).name
    if any(bare(path.name) == bare(log) for path in workspace.attachments):
        return DROPPED
    for candidate in inventory.devices:
        folder = device_folder(workspace.cache, candidate.name)
        if any(bare(path.name) == bare(log) for path in folder.glob("*")):
            return candidate.name
    raise UnknownLog("log_of_nobody", log=repr(log))


@st.cache_data(ttl=LISTED_FOR, max_entries=100, show_spinner=False)
def _listed(device: Device) -> list[RemoteLog]:
    return list_files(device)


def _copy(device: str, path: Path) -> Choice:
    stat = path.stat()
    when = start_time(path.name) or _local(datetime.fromtimestamp(stat.st_mtime))
    return Choice(device, bare(path.name), None, path, stat.st_size, when)


def _local(written: datetime | None) -> datetime | None:
    return written and local(written.timestamp()).replace(tzinfo=None)


def _draw_values(first: Preparation, *others: Preparation) -> None:
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
