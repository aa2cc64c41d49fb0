"""What is wrong in the log, likeliest root cause first, each with the way to its lines."""

from functools import partial
from typing import Any

import streamlit as st

from instrumentgpt.instruments import loop_wording, segment_wording, withheld_wording, wording
from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import TROUBLE, Group
from instrumentgpt.ui import untrusted
from instrumentgpt.ui.logs import place
from instrumentgpt.ui.logs.place import last_moment, line_at

COLOURS: dict[str, Any] = {"critical": "red", "high": "red", "medium": "orange", "low": "blue"}
WORDS = {"info": "note"}
MARGIN = 0.15  # of a finding's length, shown on either side of it
LEAST_MARGIN = 60.0  # s
REPORTS: dict[Language, str] = {"en": "Report", "zh": "報告"}
SHOWN_EVIDENCE = 4
SHOWN_EXCURSIONS = 10
SHOWN_SEGMENTS = 100
SHOWN_GROUPS = 8
TEXT_CHARACTERS = 400
STEP_CHARACTERS = 800


def draw(diagnosis: Diagnosis) -> None:
    """Draw the findings; each leads to its time in the charts and to the lines that show it."""
    for finding in diagnosis.findings:
        if said := wording.danger(finding, "en"):
            st.error(untrusted.label(said, TEXT_CHARACTERS), icon=":material/warning:")
    for number, finding in enumerate(diagnosis.findings):
        if finding.severity == "none":
            _draw_healthy(finding)
        else:
            _draw_one(diagnosis.log, finding, number)
    _draw_excursions(diagnosis)
    _draw_segments(diagnosis)
    if diagnosis.withheld:
        with st.expander(f"Not judged: {len(diagnosis.withheld)}", icon=":material/help:"):
            for withheld in diagnosis.withheld.values():
                name, reason = (
                    withheld_wording.verdict(withheld, "en"),
                    withheld_wording.reason(withheld, "en"),
                )
                st.caption(f"**{untrusted.label(name)}**: {untrusted.label(reason, TEXT_CHARACTERS)}")
    _draw_report(diagnosis)


def _draw_excursions(diagnosis: Diagnosis) -> None:
    """Draw when loops were out of their own bands: what nothing explains in the open, the rest folded."""
    away = loop_wording.unexplained(diagnosis.excursions)
    for number, one in enumerate(away[: loop_wording.MOST_SHOWN]):
        with st.container(border=True, gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.badge("unexplained", color="gray")
                st.markdown("**Out of its own band**")
            _draw_excursion(diagnosis.log, one, f"excursion-{number}")
    others = [*away[loop_wording.MOST_SHOWN :], *(one for one in diagnosis.excursions if one.explained)]
    if others:
        with st.expander(f"Out of its own band: {len(others):,} more times", icon=":material/unfold_more:"):
            for number, one in enumerate(others[:SHOWN_EXCURSIONS], start=len(away)):
                _draw_excursion(diagnosis.log, one, f"excursion-{number}")
            if len(others) > SHOWN_EXCURSIONS:
                st.caption(f"and {len(others) - SHOWN_EXCURSIONS:,} more; the report has the largest.")


def _draw_segments(diagnosis: Diagnosis) -> None:
    """Draw the segments of a log with more than a few, the worst first, and what changes over days."""
    for sentence in segment_wording.trend_sentences(diagnosis, "en"):
        st.caption(f"**Over days**: {untrusted.label(sentence, TEXT_CHARACTERS)}")
    told = segment_wording.worth_telling(diagnosis)
    if not told:
        return
    with st.expander(f"{len(told):,} segments, the worst first", icon=":material/view_timeline:"):
        rows = [segment_wording.cells(diagnosis, one, "en") for one in told[:SHOWN_SEGMENTS]]
        heads = {name: segment_wording.head(name, diagnosis.log, "en") for name in rows[0]}
        shown = [{heads[name]: text for name, text in row.items()} for row in rows]
        st.dataframe(
            shown,
            hide_index=True,
            key="segments",
            on_select=lambda: _go_to_segment(diagnosis, told),
            selection_mode="single-row",
            alt=f"Segments of {diagnosis.log.name} with their figures; a row leads to its time",
        )
        st.caption("A row leads to its time in the charts and to its first line.")


def _go_to_segment(diagnosis: Diagnosis, told: list[Segment]) -> None:
    """Show the segment whose row was picked."""
    rows = st.session_state["segments"]["selection"]["rows"]
    if rows:
        segment = told[rows[0]]
        place.go_to(segment.first_line, window_of(diagnosis.log, segment))


def _draw_excursion(log: Log, one: Excursion, key: str) -> None:
    told, why = loop_wording.excursion(one, log, "en"), loop_wording.explanation(one, "en")
    st.markdown(untrusted.label(f"Channel {one.channel}: {told}; {why}", TEXT_CHARACTERS))
    _draw_ways(log, one, key)


def _draw_ways(log: Log, shown: Finding | Excursion, key: str) -> None:
    """Draw what leads to the time of a finding in the charts, and to the lines that show it."""
    with st.container(horizontal=True, gap="xsmall"):
        lines = [evidence.line for evidence in shown.evidence[:SHOWN_EVIDENCE]]
        begin = lines[0] if lines else line_at(log, shown.onset)
        to = (begin, window_of(log, shown))
        st.button("Show", key, on_click=place.go_to, args=to, icon=":material/my_location:")
        for line in dict.fromkeys(lines):
            _line_button(line, f"{key}-{line}")


def _draw_report(diagnosis: Diagnosis) -> None:
    """Draw the buttons that hand the diagnosis out as a page; it is written when one is pressed."""
    with st.container(horizontal=True, gap="small"):
        for language, label in REPORTS.items():
            st.download_button(
                label,
                partial(_report, diagnosis, language),
                f"{diagnosis.log.name}.report.{language}.html",
                "text/html",
                icon=":material/description:",
                on_click="ignore",
                help="One file with charts, findings, evidence, method and versions; it needs no network.",
            )


def _report(diagnosis: Diagnosis, language: Language) -> str:
    from instrumentgpt.instruments.report import report  # jinja2 and plotly.js: only where it is needed

    return report([diagnosis], language)


def draw_events(log: Log, groups: list[Group]) -> None:
    """Draw the kinds of error and warning lines with how often and since when; each leads to its lines."""
    trouble = [group for group in groups if group.level in TROUBLE]
    if not trouble:
        st.caption("No errors or warnings in the event lines.")
    for number, group in enumerate(trouble[:SHOWN_GROUPS]):
        first, last = group.messages[0], group.messages[-1]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            colour: Any = "orange" if group.level == "warning" else "red"
            st.badge(f"{group.level} ×{len(group.messages):,}", color=colour)
            said = f"{group.source} {group.template}".strip()
            with st.container(width="stretch"):
                st.text(said[:TEXT_CHARACTERS])
            _line_button(first.line, f"event-first-{number}")
            if last.line != first.line:
                _line_button(last.line, f"event-last-{number}")
    if len(trouble) > SHOWN_GROUPS:
        st.caption(f"and {len(trouble) - SHOWN_GROUPS} more kinds, in “All event lines” below.")


def window_of(log: Log, finding: Finding | Excursion | Segment) -> tuple[float, float]:
    """Return the part of the log that shows a finding with some time before and after it."""
    margin = max(MARGIN * (finding.end - finding.onset), LEAST_MARGIN)
    return max(finding.onset - margin, 0.0), min(finding.end + margin, last_moment(log))


def _draw_healthy(finding: Finding) -> None:
    with st.container(horizontal=True, gap="small"):
        st.badge(untrusted.label(wording.title(finding.fault, "en")), icon=":material/check:", color="green")
        with st.container(width="stretch"):
            st.caption(untrusted.label(wording.summary(finding, "en"), TEXT_CHARACTERS))


def _draw_one(log: Log, finding: Finding, number: int) -> None:
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            severity = WORDS.get(finding.severity, finding.severity)
            st.badge(severity, color=COLOURS.get(finding.severity, "gray"))
            st.badge(wording.confidence(finding, "en"), color="gray")
            st.markdown(f"**{untrusted.label(wording.title(finding.fault, 'en'))}**")
        st.markdown(untrusted.label(wording.summary(finding, "en"), TEXT_CHARACTERS))
        st.markdown(untrusted.label(f"Next: {wording.next_step(finding, 'en')}", STEP_CHARACTERS))
        for said in wording.cannot_tell(finding, "en"):
            st.caption(untrusted.label(said, TEXT_CHARACTERS))
        st.caption(untrusted.label(f"{log.clock(finding.onset)} to {log.clock(finding.end)}"))
        _draw_ways(log, finding, f"finding-{number}")


def _line_button(line: int, key: str) -> None:
    st.button(f"L {line:,}", key=key, type="tertiary", on_click=place.go_to, args=(line,))
