"""The report: one HTML file with all that a diagnosis says, on screen, on paper and without a network."""

import hashlib
import json
import math
import platform
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from instrumentgpt import __version__
from instrumentgpt.instruments import charts, loop_wording, wording
from instrumentgpt.instruments.analysis.metrics import Metrics
from instrumentgpt.instruments.charts.frame import where, worth_showing
from instrumentgpt.instruments.charts.style import config
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Finding, worst
from instrumentgpt.instruments.kept_verdicts import advised, identified
from instrumentgpt.instruments.language import Language, phrase
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.messages import LEVELS, group_messages
from instrumentgpt.instruments.reading.sources import open_source
from instrumentgpt.instruments.tools.analysis import finding_row
from instrumentgpt.instruments.tools.events import described
from instrumentgpt.instruments.tools.opened import texts_of
from instrumentgpt.instruments.tools.timeline import timeline
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
            field=lambda name: wording.field(name, language),
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
    faults = faults_of(diagnosis)
    gains, experiments = gain_rows(diagnosis, language)
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
        "findings": finding_rows(diagnosis, texts, language),
        "healthy": [
            wording.summary(item, language) for item in diagnosis.findings if item.severity == "none"
        ],
        "happened": timeline(diagnosis, None, language),
        "kinds": [
            (word("channel", language, channel), loop_wording.sentence(kind, log.unit_of(channel), language))
            for channel, kind in diagnosis.kinds.items()
        ],
        "figures": list(figure_tables(diagnosis, language)),
        "gains": gains,
        "experiments": experiments,
        "events": event_table(log),
        "method": list(method_rows(diagnosis, language)),
        "provenance": provenance(log, language),
    }


def _verdict(diagnosis: Diagnosis, language: Language) -> str:
    """Return the most important finding in one line, or that all is well."""
    faults = faults_of(diagnosis)
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
        figure = charts.loop_chart(log, findings, chosen, language, diagnosis=diagnosis)
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


Row = dict[str, Any]
word = partial(phrase, Path(__file__).with_name("report_tables.toml"))
UNKNOWN = "–"
MOST_GROUPS = 30  # kinds of events listed
REGULAR = 0.6  # autocorrelation from which a swing has a period worth saying
CHANNELS_ABREAST = 6  # of a table of figures: more do not fit on paper
FIGURES = {  # quantity → how it is written, and what it is multiplied with
    "samples": (",.0f", 1),
    "sample_period": (".3g", 1),
    "setpoint": (".2f", 1),
    "mean_error": ("+.3f", 1),
    "half_peak_to_peak": (".2f", 1),
    "period": (".0f", 1),
    "band": (".3g", 1),
    "in_band": (".1f", 100),
    "noise": (".3f", 1),
    "duty": (".1f", 1),
    "saturated": (".1f", 100),
    "rise_time": (".0f", 1),
    "settling_time": (".0f", 1),
    "overshoot": (".2f", 1),
    "kp": (".4g", 1),
    "ki": (".4g", 1),
    "kd": (".4g", 1),
}


def finding_rows(diagnosis: Diagnosis, texts: dict[int, str], language: Language) -> list[Row]:
    """Return what is told of each fault, most important first; `texts` are the raw lines by number."""
    return [
        {
            **finding_row(diagnosis.log, finding, texts, language, language),
            "where": where(finding, language),
            "severity_word": word(f"severity_{finding.severity}", language),
            "fields": [
                name
                for name in ("setpoint", "pv", "output")
                if any(name in item.values for item in finding.evidence)
            ],
        }
        for finding in faults_of(diagnosis)
    ]


def faults_of(diagnosis: Diagnosis) -> list[Finding]:
    """Return the findings that say that something is wrong, or that too little is known."""
    return [finding for finding in diagnosis.findings if finding.severity != "none"]


def event_table(log: Log) -> Row:
    """Return the kinds of event lines, the worst level first, then the rarest."""
    groups = group_messages(log.events)
    groups.sort(key=lambda group: (LEVELS.index(group.level), len(group.messages)))
    return {
        "count": f"{len(log.events):,}",
        "kinds": len(groups),
        "rows": [described(log, group) for group in groups[:MOST_GROUPS]],
        "more": len(groups) - MOST_GROUPS,
    }


def figure_tables(diagnosis: Diagnosis, language: Language) -> Iterator[Row]:
    """Yield tables of at most six channels: `head`, and `rows` of (quantity, figures)."""
    metrics, unit = [*diagnosis.channels.values()], diagnosis.log.unit or UNKNOWN
    metrics.sort(key=lambda figures: figures.channel)
    for start in range(0, len(metrics), CHANNELS_ABREAST):
        abreast = metrics[start : start + CHANNELS_ABREAST]
        head = [word("channel", language, column.channel) for column in abreast]
        rows = [
            (word(name, language, unit=unit), [_figure(_value(one, name) * times, form) for one in abreast])
            for name, (form, times) in FIGURES.items()
        ]
        yield {"head": head, "rows": rows}


def _value(metrics: Metrics, name: str) -> float:
    """Return a figure; the period of a swing that hardly repeats is none."""
    irregular = name == "period" and not metrics.regularity >= REGULAR
    return math.nan if irregular else float(getattr(metrics, name))


def _figure(value: float, written: str) -> str:
    """Return a figure as text, without a sign where nothing but zeros is left of it.

    >>> _figure(-0.0001, "+.3f"), _figure(math.nan, ".1f")
    ('0.000', '–')
    """
    text = format(value, written) if math.isfinite(value) else UNKNOWN
    return text if text.strip("+-0.,") else text.lstrip("+-")


def gain_rows(diagnosis: Diagnosis, language: Language) -> tuple[list[str], list[str]]:
    """Return a paragraph per channel: which gains are better, whether kp may rise; and what would prove more.

    Both are empty where the log lacks what every identification needs.
    """
    from instrumentgpt.instruments import advice, plant  # scipy: only where gains are judged
    from instrumentgpt.instruments.tuning.advice_wording import sentences

    log = diagnosis.log
    paragraphs: list[str] = []
    experiments: dict[str, None] = {}
    if {"setpoint", "pv", "output", "period"} & set(log.missing) or math.isnan(log.degrees_per_unit):
        return [], []
    for channel, loop in sorted(loops_of(log).items()):
        model, unit = identified(diagnosis, loop), log.logged_unit_of(channel)
        better = sentences(advised(log, model), language, unit)
        if isinstance(model, plant.Refusal):
            experiments |= dict.fromkeys(better[2:])
            better = better[:2]
        else:
            better.insert(0, sentences(advice.can_raise(model), language, unit)[0])
        paragraphs.append(("" if language == "zh" else " ").join(better))
    return paragraphs, list(experiments)


def method_rows(diagnosis: Diagnosis, language: Language) -> Iterator[Row]:
    """Yield what each check looked for, and what became of it in this log."""
    reported = {finding.fault for finding in diagnosis.findings}
    for name, check in CHECKS.items():
        result = word("found" if check.fault in reported else "not_found", language)
        if reason := diagnosis.withheld.get(name):
            result = word("withheld", language, wording.withheld_reason(reason, language))
        told = reason is not None or check.fault in reported
        yield {"name": name, "title": wording.title(check.fault, language), "result": result, "told": told}


def provenance(log: Log, language: Language) -> list[tuple[str, str]]:
    """Return what would be needed to make the report again: file, bytes, SHA-256, format, lines, software."""
    source = open_source(log.path)
    first_bad = f"{log.broken.examples[0][0]:,}" if log.broken.examples else UNKNOWN
    broken = word("broken_first", language, f"{log.broken.count:,}", first_bad) if log.broken.count else "0"
    last = float(log.samples["time"].max()) if len(log.samples) else 0.0
    packages = " · ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "scipy", "plotly"))
    rows = [
        (word("file", language), log.path.name),
        (word("size", language), word("bytes", language, f"{source.size:,}", len(source.parts))),
        *((f"SHA-256 {part.name}", sha256(part)) for part in source.parts),
        (word("format", language), log.format),
        (word("log_lines", language), f"{log.lines:,}"),
        (word("broken", language), broken),
        (word("span", language), f"{log.clock(0.0)} – {log.clock(last)}"),
        (word("channels", language), ", ".join(str(c) for c in sorted(log.samples["channel"].unique()))),
        (word("software", language), f"InstrumentGPT {__version__} · Python {platform.python_version()}"),
        ("", packages),
    ]
    return rows + [(word("notes", language), note) for note in log.remarks(language)]


def sha256(path: Path) -> str:
    """Return the SHA-256 of the file at `path`, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
