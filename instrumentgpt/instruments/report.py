"""The report: one HTML file with all that a diagnosis says, on screen, on paper and without a network."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from instrumentgpt import __version__
from instrumentgpt.instruments import charts, loop_wording, report_tables, wording
from instrumentgpt.instruments.charts.frame import worth_showing
from instrumentgpt.instruments.charts.style import config
from instrumentgpt.instruments.charts.words import where
from instrumentgpt.instruments.coincidence import coincidences
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import worst
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.report_tables import word
from instrumentgpt.instruments.tools.opened import texts_of
from instrumentgpt.moments import now

TEMPLATE = "report.html"
CHANNELS_A_CHART = 4  # more do not fit on a sheet


def report(diagnoses: Sequence[Diagnosis], language: Language = "en") -> str:
    """Return one HTML page on `diagnoses`, a section each: self-contained, printable, asking no network.

    Text of the logs is escaped wherever it stands; the page forbids itself to load anything.
    """
    sections = [_section(diagnosis, f"log-{at}", language) for at, diagnosis in enumerate(diagnoses, 1)]
    return (
        sheets()
        .get_template(TEMPLATE)
        .render(
            sections=sections,
            word=lambda key, *values: word(key, language, *values),
            made=now().strftime("%Y-%m-%d %H:%M"),
            version=__version__,
            plotlyjs=Markup(get_plotlyjs()),  # ours, not the log's
            config=config(),
        )
    )


def sheets(*folders: Path) -> Environment:
    """Return the templates of pages, those of `folders` beside our own; what they are given is text."""
    return Environment(
        loader=FileSystemLoader([Path(__file__).parent, *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _section(diagnosis: Diagnosis, anchor: str, language: Language) -> dict[str, Any]:
    log = diagnosis.log
    faults = report_tables.faults_of(diagnosis)
    gains, experiments = report_tables.gain_rows(diagnosis, language)
    texts = texts_of(log.path, [item.line for fault in faults for item in fault.evidence])
    return {
        "anchor": anchor,
        "name": log.name,
        "folder": log.path.absolute().parent.name,
        "verdict": _verdict(diagnosis, language),
        "severity": worst(fault.severity for fault in faults),
        "dangers": [danger for fault in faults if (danger := wording.danger(fault, language))],
        "actions": list(dict.fromkeys(wording.next_step(fault, language) for fault in faults)),
        "charts": list(_charts(diagnosis, anchor, language)),
        "findings": report_tables.finding_rows(diagnosis, coincidences(diagnosis), texts, language),
        "healthy": [
            wording.summary(item, language) for item in diagnosis.findings if item.severity == "none"
        ],
        "excursions": report_tables.excursion_rows(diagnosis, language),
        "excursion_count": len(diagnosis.excursions),
        "kinds": [
            (word("channel", language, channel), loop_wording.sentence(kind, log.unit_of(channel), language))
            for channel, kind in diagnosis.kinds.items()
        ],
        "figures": list(report_tables.figure_tables(diagnosis, language)),
        "gains": gains,
        "experiments": experiments,
        "events": report_tables.event_table(log, language),
        "method": list(report_tables.method_rows(diagnosis, language)),
        "provenance": report_tables.provenance(log, language),
    }


def _verdict(diagnosis: Diagnosis, language: Language) -> str:
    """Return the most important finding in one line, or that all is well."""
    faults = report_tables.faults_of(diagnosis)
    if faults:
        first = faults[0]
        separator = "，" if language == "zh" else ", "
        verdict = f"{wording.title(first.fault, language)}{separator}{where(first, language)}"
        return word("verdict_more", language, verdict, len(faults) - 1) if len(faults) > 1 else verdict
    if away := loop_wording.unexplained(diagnosis.excursions):
        largest = loop_wording.excursion(away[0], diagnosis.log, language)
        return word("verdict_excursions", language, len(away), largest)
    healthy = sum(finding.severity == "none" for finding in diagnosis.findings)
    if healthy:
        return word("verdict_healthy", language, healthy, len(diagnosis.channels))
    return word("verdict_none", language)


def _charts(diagnosis: Diagnosis, anchor: str, language: Language) -> Any:
    """Yield the charts of the channels that matter, at most four in each, live and as SVG."""
    from instrumentgpt.instruments.charts.static import static_svg  # matplotlib: for a report alone

    log, findings = diagnosis.log, diagnosis.findings
    channels = sorted(set(worth_showing(log, findings)))
    for start in range(0, len(channels), CHANNELS_A_CHART):
        chosen = channels[start : start + CHANNELS_A_CHART]
        figure = charts.loop_chart(
            log, findings, chosen, language, excursions=diagnosis.excursions, bands=diagnosis.bands
        )
        alt = charts.text_alternative(log, findings, language, chosen, diagnosis.excursions)
        yield {
            "id": f"{anchor}-chart-{start}",
            "alt": alt,
            "svg": Markup(static_svg(figure, alt)),  # escapes what it is given
            "spec": script_json(figure),
        }


def script_json(figure: go.Figure) -> Markup:
    """Return `figure` as JSON that can stand in a <script>: nothing in it can end the element."""
    spec = json.loads(figure.to_json())
    spec["layout"].pop("title", None)
    text = json.dumps({"data": spec["data"], "layout": spec["layout"]}, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # ASCII, and without signs of HTML
