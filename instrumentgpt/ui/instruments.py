"""The Instruments page: every device with how it stands, worst first, and the history of the selected one."""

import json
import math
import time
from collections import Counter
from datetime import datetime
from itertools import compress
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import psutil
import streamlit as st
from sqlite_utils import Database

from instrumentgpt.fleet.cases import about, first_line, title_of
from instrumentgpt.fleet.standing import GRAVE, Row, rows_of, talks_about, word_of
from instrumentgpt.instruments.charts.style import CHANNEL_COLOURS, laid_out
from instrumentgpt.instruments.devices import Device, Inventory, load_inventory
from instrumentgpt.instruments.language import span_text
from instrumentgpt.moments import log_moment, moment
from instrumentgpt.settings import home
from instrumentgpt.storage.alerts import SILENT, acknowledge, false_alarms, open_alerts
from instrumentgpt.storage.cases import InShort, list_cases
from instrumentgpt.storage.verdicts import Verdict, last_judged, verdicts_of
from instrumentgpt.ui import artifacts, composer, device_form, handing, session, untrusted
from instrumentgpt.ui.language import language, say
from instrumentgpt.ui.logs.place import Place

COLOURS = {  # white can be read on each, and each on both themes
    "fault": "#B84E00",
    "open": "#8F5A00",
    "unreadable": "#667480",
    "healthy": "#007D5B",
    "unseen": "#667480",
}
TRENDS = {"duty": "output (%)", "half_peak_to_peak": "swing (±)", "period": "period (s)"}
VERDICTS = {"real": "Seen", "false": "False alarm"}
VERDICT_ICONS = {"real": ":material/check:", "false": ":material/notifications_off:"}
COLUMNS = {  # of the tables → their heads
    "state": "State",
    "instrument": "Instrument",
    "what": "What",
    "since": "Since",
    "newest": "Newest log ends",
    "errors": "pv − setpoint, last day",
    "model": "Model",
    "room": "Room",
    "open": "Open cases",
    "last": "Last cause and action",
    "gains": "Gains",
    "log": "Log",
}
ROW_PIXELS, STRIP_PIXELS = 110, 40
TABLE_PIXELS = 434
TEXT_PIXELS = 66  # a row of three lines; text of lower ones is not wrapped
BANDS = 6.0  # drawn of an error to each side
IN_BANDS = (
    "In bands of each loop: what is within ±1 counts as on setpoint, and ±6 is the height of the column"
)
PIXELS = {
    "state": 96,
    "what": 300,
    "last": 170,
    "since": 96,
    "newest": 104,
}  # so that all columns fit a screen of 1280
NEWS_EVERY = 1.0  # s between looks at a scan that runs
ALERTS = 10  # shown at once
LISTED = 200  # logs of one device
TEXT_CHARACTERS = 400


@session.drawn
def page(database: Database) -> None:
    """Draw the page."""
    inventory = load_inventory(Path(session.current_settings(database).inventory))
    rows = rows_of(database, inventory.devices)
    names = [device.name for device in inventory.devices]
    when = last_judged(database, names)
    begun = st.session_state.get("instruments-begun") == inventory.path
    if when is None and rows and not (begun or scanning()):
        st.session_state["instruments-begun"] = inventory.path  # once: devices may have no logs
        start_scan()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(say("Instruments"), anchor=False, width="stretch")
        if when is not None:
            st.caption(
                say("Judged {span} ago", span=span_text(max(0.0, time.time() - when), language())),
                width="content",
            )
        if st.button(say("Judge new logs"), icon=":material/refresh:", disabled=scanning()):
            start_scan()
            st.rerun()
        if st.button(say("Add instrument"), icon=":material/add:"):
            device_form.draw(None, start_scan)
        handing.draw_shift(session.current_settings(database))
    if scanning():
        text = say(
            "Judging the logs of {count} {count:?instrument|instruments}… the table fills as they come",
            count=len(rows),
        )
        st.info(text, icon=":material/hourglass_top:")
        _follow(names)
    _draw_alerts(database, {row.device: row for row in rows})
    silent = [say("without a log for longer than usual")] * sum(row.silent > 0 for row in rows)
    spoken = language()
    counts = Counter([row.word(spoken) for row in rows] + silent)
    st.markdown(" · ".join(f"**{count}** {word}" for word, count in counts.items()))
    _browse(rows, inventory)


@st.fragment
def _browse(rows: list[Row], inventory: Inventory) -> None:
    """Draw what is looked for of the devices and the history of one; a word or a pick redraws only this."""
    words = st.text_input(say("Name, model, room or fault"), key="instruments-find", width=360)
    fitting = _fitting(rows, words)
    if not fitting:
        at = untrusted.label(str(inventory.path))
        text = say("No instrument fits. Clear the filter, or add devices to the inventory: {path}", path=at)
        st.info(text, icon=":material/info:")
        return
    selected = _table(fitting)
    if selected is None:
        st.caption(say("Select a row for its history."))
        return
    with session.problems_shown(), session.opened() as database:
        _draw_history(database, selected, inventory.find(selected.device))


def _draw_alerts(database: Database, row_of: dict[str, Row]) -> None:
    """Draw the alerts that nobody has looked at, and how many of this week's were false."""
    for alert in [alert for alert in open_alerts(database) if not alert.verdict][:ALERTS]:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            row, text_zh = row_of.get(alert.device), say("without a log for longer than usual")
            if alert.fault != SILENT:
                text_zh = row.text_zh if row and row.fault == alert.fault else alert.text
            text = _text(alert.text, text_zh)
            text = untrusted.label(f"{alert.device}: {text}", 300) + f" · {moment(alert.raised_at)}"
            st.markdown(f":material/notifications_active: {text}", width="stretch")
            for verdict, icon in VERDICT_ICONS.items():
                key, args = f"alert-{alert.id}-{verdict}", (acknowledge, alert.id, verdict, session.who())
                st.button(say(VERDICTS[verdict]), key, icon=icon, on_click=session.in_database, args=args)
    if counts := false_alarms(database):
        devices = ", ".join(f"{untrusted.label(device, 80)} ×{count}" for device, count in counts.items())
        st.caption(say("False alarms in the last seven days: {devices}", devices=devices))


def scanning() -> bool:
    """Return whether a scan that a page began is still running."""
    try:
        number, began = json.loads((home() / "scan.json").read_text())
        process = psutil.Process(number)
        return bool(process.create_time() == began and process.status() != psutil.STATUS_ZOMBIE)
    except (OSError, ValueError, psutil.Error):
        return False


def start_scan() -> None:
    """Judge what is new in a process that no page waits for."""
    process = session.start_command("scan", "--json")
    home().mkdir(parents=True, exist_ok=True)
    (home() / "scan.json").write_text(json.dumps([process.pid, psutil.Process(process.pid).create_time()]))


@st.fragment(run_every=NEWS_EVERY)
def _follow(devices: list[str]) -> None:
    """Draw the page anew when the scan has more, or is over."""
    newest = session.in_database(last_judged, devices)
    if not scanning() or newest != st.session_state.get("instruments-newest"):
        st.session_state["instruments-newest"] = newest
        st.rerun()


def _fitting(rows: list[Row], words: str) -> list[Row]:
    terms, spoken = words.casefold().split(), language()
    texts = [
        (row.label, row.model, row.room, row.title(spoken), row.word(spoken), row.text_en) for row in rows
    ]
    fits = [all(term in " ".join(text).casefold() for term in terms) for text in texts]
    return list(compress(rows, fits))


def _table(rows: list[Row]) -> Row | None:
    """Draw a line a device; return the one that is selected."""
    spoken = language()
    words = [row.word(spoken) for row in rows]
    colours = {word: _colour(row.state, row.severity) for word, row in zip(words, rows, strict=True)}
    cases = {
        "last": [last_case(row.cases) for row in rows],
        "open": [str(row.cases.open or "") if row.cases else "" for row in rows],
    }
    frame = pd.DataFrame(
        {
            "state": [[word] for word in words],
            "instrument": [row.label for row in rows],
            "what": [row.text_zh if spoken == "zh" else row.text_en for row in rows],
            **(cases if any(row.cases for row in rows) else {}),
            "since": [_day(row.since) for row in rows],
            "newest": [_newest(row) for row in rows],
            "errors": [in_bands(row) for row in rows],
            "model": [row.model for row in rows],
            **({"room": [row.room for row in rows]} if any(row.room for row in rows) else {}),
        }
    )
    selected = st.dataframe(
        frame,
        column_config={
            **{name: say(COLUMNS[name]) for name in frame.columns},
            **{name: st.column_config.TextColumn(say(COLUMNS[name]), width=PIXELS[name]) for name in PIXELS},
            "state": st.column_config.MultiselectColumn(
                say(COLUMNS["state"]), width=PIXELS["state"], options=colours, color=colours.values()
            ),
            "errors": st.column_config.LineChartColumn(
                say(COLUMNS["errors"]), width=130, help=say(IN_BANDS), y_min=-BANDS, y_max=BANDS
            ),
        },
        hide_index=True,
        height=min(TABLE_PIXELS, 38 + TEXT_PIXELS * len(rows)),
        row_height=TEXT_PIXELS,
        on_select="rerun",
        selection_mode="single-row",
        key="instruments-table",
    )
    places = selected["selection"]["rows"]
    return rows[places[0]] if places and places[0] < len(rows) else None


def _colour(state: str, severity: str) -> str:
    return COLOURS["open"] if state == "fault" and severity not in GRAVE else COLOURS[state]


def _text(text_en: str, text_zh: str) -> str:
    return text_zh if language() == "zh" else text_en


def last_case(cases: InShort | None) -> str:
    """Return the cause of a device's newest case and what was done, "" if it has none."""
    texts = (cases.cause, cases.done) if cases else ()
    return " → ".join(first_line(text) for text in texts if text)


def _newest(row: Row) -> str:
    ago = say("{span} ago", span=span_text(row.silent, language())) if row.silent else ""
    return ", ".join(filter(None, (_day(row.ended), ago)))


def in_bands(row: Row) -> list[float | None]:
    """Return the errors in bands of the loop, within the height of the column: all rows compare."""
    unit = row.band or math.inf
    return [None if error is None else max(-BANDS, min(BANDS, error / unit)) for error in row.errors]


def _day(begun: float | None) -> str:
    return log_moment(begun) if begun is not None else ""


def _draw_history(database: Database, row: Row, device: Device) -> None:
    verdicts = verdicts_of(database, row.device, LISTED)
    st.subheader(untrusted.label(row.label), anchor=False)
    st.markdown(untrusted.label(_text(row.text_en, row.text_zh), TEXT_CHARACTERS))
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(say("Ask what is wrong"), icon=":material/chat:", type="primary"):
            session.leave()
            st.session_state[composer.UNSENT] = say("What is wrong with {name}?", name=row.device)
            st.switch_page(session.page_named("chat"))
        if st.button(say("Edit"), icon=":material/edit:"):
            device_form.draw(device, start_scan)
        if row.log:
            query = Place(row.device, row.log, row.line).query()
            st.page_link(
                session.page_named("logs"),
                label=say("Open the newest log"),
                icon=":material/list_alt:",
                query_params=query,
            )
    _draw_cases(database, row.device)
    if not verdicts:
        st.caption(say("None of its logs has been judged yet."))
        return
    dated = [verdict for verdict in verdicts if verdict.begun is not None and verdict.ended is not None]
    if dated:
        artifacts.draw_figure(history_chart(dated[::-1]), "instruments-history", say("Logs"))
    else:
        st.caption(say("Its logs carry no dates: they are listed, and cannot be drawn over time."))
    _draw_logs(verdicts)
    _draw_talks(database, row.device)


def history_chart(verdicts: list[Verdict]) -> go.Figure:
    """Return the chart of a device's logs over time, oldest first: states, and what changes over weeks."""
    figures = [json.loads(verdict.figures) for verdict in verdicts]
    rows = [name for name in TRENDS if any(row.get(name) is not None for f in figures for row in f.values())]
    height = STRIP_PIXELS + ROW_PIXELS * len(rows)
    figure = go.Figure()
    middle = [datetime.fromtimestamp((log.begun or 0) / 2 + (log.ended or 0) / 2) for log in verdicts]
    states = [
        (word_of(log.state, language(), log.severity), _colour(log.state, log.severity)) for log in verdicts
    ]
    for word, colour in dict.fromkeys(states):
        places = [place for place, state in enumerate(states) if state == (word, colour)]
        figure.add_scatter(
            x=[middle[place] for place in places],
            y=[0] * len(places),
            mode="markers",
            marker={"size": 13, "symbol": "square", "color": colour},
            name=word,
            text=[_text(verdicts[place].text_en, verdicts[place].text_zh)[:160] for place in places],
            hovertemplate="%{text}<extra></extra>",
            yaxis="y",
        )
    figure.update_layout(yaxis={"domain": [1 - STRIP_PIXELS / height, 1], "visible": False})
    channels = sorted({number for row in figures for number in row}, key=int)
    for place, name in enumerate(rows, start=2):
        top = 1 - (STRIP_PIXELS + ROW_PIXELS * (place - 2)) / height
        for order, number in enumerate(channels):
            figure.add_scatter(
                x=middle,
                y=[row.get(number, {}).get(name) for row in figures],
                mode="lines+markers",
                line={"color": CHANNEL_COLOURS[order % len(CHANNEL_COLOURS)], "width": 1.5},
                name=say("Channel {channel}", channel=number),
                legendgroup=number,
                showlegend=place == 2,
                yaxis=f"y{place}",
            )
        domain = [max(0.0, top - (ROW_PIXELS - 12) / height), top - 12 / height]
        title = {"text": say(TRENDS[name]), "font": {"size": 12}}
        figure.update_layout({f"yaxis{place}": {"domain": domain, "title": title, "anchor": "x"}})
    figure.update_xaxes(anchor=f"y{len(rows) + 1}" if rows else "y", showgrid=True)
    return laid_out(figure.to_dict(), "", height)


def _draw_logs(verdicts: list[Verdict]) -> None:
    frame = pd.DataFrame(
        {
            "state": [word_of(verdict.state, language(), verdict.severity) for verdict in verdicts],
            "log": [Place(verdict.device, verdict.log, verdict.line).address() for verdict in verdicts],
            "since": [_day(verdict.begun) for verdict in verdicts],
            "what": [_text(verdict.text_en, verdict.text_zh) for verdict in verdicts],
            "gains": [_gains(json.loads(verdict.figures)) for verdict in verdicts],
        }
    )
    columns: dict[str, Any] = {name: say(COLUMNS[name]) for name in frame.columns}
    columns["log"] = st.column_config.LinkColumn(say(COLUMNS["log"]), display_text=r"log=([^&]+)")
    st.markdown(f"**{say('Logs')}**")
    height = min(TABLE_PIXELS, 3 + 35 * (1 + len(verdicts)))
    st.dataframe(frame, hide_index=True, column_config=columns, height=height)


def _gains(figures: dict[str, dict[str, float | None]]) -> str:
    """Return the gains of each channel, those that are alike once: "1–3: kp 9, ki 0.07"."""
    numbers_of: dict[str, list[str]] = {}
    for number, row in figures.items():
        text = ", ".join(f"{name} {row[name]:g}" for name in ("kp", "ki", "kd") if row.get(name) is not None)
        if text:
            numbers_of.setdefault(text, []).append(number)
    return "; ".join(f"{','.join(numbers)}: {text}" for text, numbers in numbers_of.items())


def _draw_cases(database: Database, device: str) -> None:
    if cases := list_cases(database, device=device):
        st.markdown(f"**{say('Cases')}**")
    for case in cases:
        label = f"{case.id} · {title_of(case, language())} · {about(case, language())}"
        session.link_to_case(untrusted.label(label, 160), case.id)


def _draw_talks(database: Database, device: str) -> None:
    if talks := talks_about(database, device):
        st.markdown(f"**{say('Conversations about it')}**")
    for talk in talks:
        cause = f" · {say('root cause named')}: {untrusted.label(talk.cause, 160)}" if talk.cause else ""
        label = f"{untrusted.label(talk.title or talk.id, 80)} · {moment(talk.updated_at)}{cause}"
        st.page_link(session.page_named("chat"), label=label, query_params={"conv": talk.id})
