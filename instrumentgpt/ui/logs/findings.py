"""What is wrong in the log, likeliest root cause first, each with the way to its lines."""

from functools import lru_cache, partial
from typing import Any

import streamlit as st

from instrumentgpt.instruments import loop_wording, segment_wording, wording
from instrumentgpt.instruments.analysis.segments import Segment
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Excursion, Finding
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import TROUBLE, Group
from instrumentgpt.instruments.report import report
from instrumentgpt.instruments.report import word as report_word
from instrumentgpt.instruments.tools.timeline import timeline
from instrumentgpt.ui import controls, untrusted
from instrumentgpt.ui.language import language, say
from instrumentgpt.ui.logs import place
from instrumentgpt.ui.logs.place import last_moment, line_at

COLOURS: dict[str, Any] = {  # of findings by severity
    "critical": "red",
    "high": "red",
    "medium": "orange",
    "low": "blue",
    "info": "gray",
}
LEVELS: dict[str, tuple[Any, str]] = {  # of lines → colour and word
    "critical": ("red", "error"),
    "error": ("red", "error"),
    "warning": ("orange", "warning"),
}
MARGIN = 0.15  # of a finding's length, shown on either side of it
LEAST_MARGIN = 60.0  # s
SHOWN_EVIDENCE = 4
SHOWN_SEGMENTS = 100
SHOWN_GROUPS = 8
TEXT_CHARACTERS = 400
STEP_CHARACTERS = 800


def draw(diagnosis: Diagnosis) -> None:
    """Draw the findings; each leads to its time in the charts and to the lines that show it."""
    for finding in diagnosis.findings:
        if danger := wording.danger(finding, language()):
            st.error(untrusted.label(danger, TEXT_CHARACTERS), icon=":material/warning:")
    for number, finding in enumerate(diagnosis.findings):
        if finding.severity == "none":
            _draw_healthy(finding)
        else:
            _draw_finding(diagnosis.log, finding, number)
    _draw_excursions(diagnosis)
    _draw_segments(diagnosis)
    if diagnosis.withheld:
        with st.expander(say("Not judged: {count}", count=len(diagnosis.withheld)), icon=":material/help:"):
            for withheld in diagnosis.withheld.values():
                name = wording.withheld_title(withheld, language())
                reason = wording.withheld_reason(withheld, language())
                st.caption(f"**{untrusted.label(name)}**: {untrusted.label(reason, TEXT_CHARACTERS)}")
    _draw_report(diagnosis)


def _draw_excursions(diagnosis: Diagnosis) -> None:
    """Draw when loops were out of their own bands and nothing explains it, and, folded, all that happened."""
    away = loop_wording.unexplained(diagnosis.excursions)
    for number, excursion in enumerate(away[: loop_wording.MOST_SHOWN]):
        with st.container(border=True, gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.badge(say("unexplained"), color="gray")
                st.markdown(f"**{say('Out of its own band')}**")
            sentence = loop_wording.away(excursion, diagnosis.log, language())
            st.markdown(untrusted.label(sentence, TEXT_CHARACTERS))
            _draw_ways(diagnosis.log, excursion, f"excursion-{number}")
    if happened := _happened(diagnosis, language()):
        with st.expander(say("What happened, in order"), icon=":material/timeline:"):
            for number, row in enumerate(happened):
                with st.container(gap=None):
                    st.markdown(untrusted.label(f"{row['at']} {row['summary']}", TEXT_CHARACTERS))
                    _line_button(row["line"], f"happened-{number}")


@lru_cache(4)
def _happened(diagnosis: Diagnosis, of: Language) -> list[dict[str, Any]]:
    return timeline(diagnosis, None, of)


def _draw_segments(diagnosis: Diagnosis) -> None:
    """Draw the segments of a log with more than a few, the worst first, and what changes over days."""
    for sentence in segment_wording.trend_sentences(diagnosis, language()):
        st.caption(f"**{say('Over days')}**: {untrusted.label(sentence, TEXT_CHARACTERS)}")
    worst = segment_wording.worth_telling(diagnosis)
    if not worst:
        return
    title = say("{count:,} segments, the worst first", count=len(worst))
    with st.expander(title, icon=":material/view_timeline:"):
        rows = [segment_wording.cells(diagnosis, segment, language()) for segment in worst[:SHOWN_SEGMENTS]]
        heads = {name: segment_wording.head(name, diagnosis.log, language()) for name in rows[0]}
        table = [{heads[name]: text for name, text in row.items()} for row in rows]
        st.dataframe(
            table,
            hide_index=True,
            key="segments",
            on_select=lambda: _go_to_segment(diagnosis, worst),
            selection_mode="single-row",
            alt=say("Segments of {log} with their figures; a row leads to its time", log=diagnosis.log.name),
        )
        st.caption(say("A row leads to its time in the charts and to its first line."))


def _go_to_segment(diagnosis: Diagnosis, segments: list[Segment]) -> None:
    """Show the segment whose row was picked."""
    rows = st.session_state["segments"]["selection"]["rows"]
    if rows:
        segment = segments[rows[0]]
        place.go_to(segment.first_line, window_of(diagnosis.log, segment))


def _draw_ways(log: Log, item: Finding | Excursion, key: str) -> None:
    """Draw what leads to the time of a finding in the charts, and to the lines that show it."""
    with st.container(horizontal=True, gap="xsmall"):
        lines = [evidence.line for evidence in item.evidence[:SHOWN_EVIDENCE]]
        begin = lines[0] if lines else line_at(log, item.onset)
        args = (begin, window_of(log, item))
        st.button(say("Show"), key, on_click=place.go_to, args=args, icon=":material/my_location:")
        for line in dict.fromkeys(lines):
            _line_button(line, f"{key}-{line}")


def _draw_report(diagnosis: Diagnosis) -> None:
    """Draw the button that hands the diagnosis out as a page; it is written when that is pressed."""
    help = say("One file with charts, findings, evidence, method and versions; it needs no network.")
    make, name = partial(report, [diagnosis], language()), f"{diagnosis.log.name}.report.html"
    controls.download(say("Report"), make, name, "text/html", icon=":material/description:", help=help)


def draw_events(log: Log, groups: list[Group]) -> None:
    """Draw the kinds of error and warning lines with how often and since when; each leads to its lines."""
    trouble = [group for group in groups if group.level in TROUBLE]
    if not trouble:
        st.caption(say("No errors or warnings in the event lines."))
    for number, group in enumerate(trouble[:SHOWN_GROUPS]):
        first, last = group.messages[0], group.messages[-1]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            colour, words = LEVELS[group.level][0], say(LEVELS[group.level][1])
            st.badge(f"{words} ×{len(group.messages):,}", color=colour)
            text = f"{group.source} {group.template}".strip()
            with st.container(width="stretch"):
                st.text(text[:TEXT_CHARACTERS])
            _line_button(first.line, f"event-first-{number}")
            if last.line != first.line:
                _line_button(last.line, f"event-last-{number}")
    if (more := len(trouble) - SHOWN_GROUPS) > 0:
        st.caption(say("and {count} more", count=more))


def window_of(log: Log, finding: Finding | Excursion | Segment) -> tuple[float, float]:
    """Return the part of the log that shows a finding with some time before and after it."""
    margin = max(MARGIN * (finding.end - finding.onset), LEAST_MARGIN)
    return max(finding.onset - margin, 0.0), min(finding.end + margin, last_moment(log))


def _draw_healthy(finding: Finding) -> None:
    with st.container(horizontal=True, gap="small"):
        st.badge(
            untrusted.label(wording.title(finding.fault, language())), icon=":material/check:", color="green"
        )
        with st.container(width="stretch"):
            st.caption(untrusted.label(wording.summary(finding, language()), TEXT_CHARACTERS))


def _draw_finding(log: Log, finding: Finding, number: int) -> None:
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            word = report_word(f"severity_{finding.severity}", language())
            st.badge(word, color=COLOURS[finding.severity])
            st.badge(wording.confidence(finding, language()), color="gray")
            st.markdown(f"**{untrusted.label(wording.title(finding.fault, language()))}**")
        st.markdown(untrusted.label(wording.summary(finding, language()), TEXT_CHARACTERS))
        step = say("Next: {step}", step=wording.next_step(finding, language()))
        st.markdown(untrusted.label(step, STEP_CHARACTERS))
        for sentence in wording.cannot_tell(finding, language()):
            st.caption(untrusted.label(sentence, TEXT_CHARACTERS))
        start, end = log.clock(finding.onset), log.clock(finding.end)
        st.caption(untrusted.label(say("{start} to {end}", start=start, end=end)))
        _draw_ways(log, finding, f"finding-{number}")


def _line_button(line: int, key: str) -> None:
    st.button(f"L {line:,}", key=key, type="tertiary", on_click=place.go_to, args=(line,))
