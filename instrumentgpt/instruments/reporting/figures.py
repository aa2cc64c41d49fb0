"""What a report tells of each channel: its figures, and whether its gains may be changed."""

import math
from collections.abc import Iterator

from instrumentgpt.instruments.analysis.metrics import Metrics
from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.kept_verdicts import identified
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.reporting.words import UNKNOWN, Row, word

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


def figure_tables(diagnosis: Diagnosis, language: Language) -> Iterator[Row]:
    """Yield tables of at most six channels: `head`, and `rows` of (quantity, figures)."""
    metrics = [diagnosis.channels[channel] for channel in sorted(diagnosis.channels)]
    for start in range(0, len(metrics), CHANNELS_ABREAST):
        abreast = metrics[start : start + CHANNELS_ABREAST]
        head = [word("channel", language, one.channel) for one in abreast]
        yield {"head": head, "rows": list(_figure_rows(abreast, diagnosis.log.unit, language))}


def _figure_rows(abreast: list[Metrics], unit: str, language: Language) -> Iterator[tuple[str, list[str]]]:
    for name, (written, times) in FIGURES.items():
        values = [_value(one, name) * times for one in abreast]
        yield word(name, language, unit=unit or UNKNOWN), [_figure(value, written) for value in values]


def _value(metrics: Metrics, name: str) -> float:
    """Return a figure; the period of a swing that hardly repeats is none."""
    irregular = name == "period" and not metrics.regularity >= REGULAR
    return math.nan if irregular else float(getattr(metrics, name))


def _figure(value: float, written: str) -> str:
    """Return a figure as text, without a sign where nothing but zeros is left of it.

    >>> _figure(-0.0001, "+.3f"), _figure(math.nan, ".1f")
    ('0.000', '–')
    """
    said = format(value, written) if math.isfinite(value) else UNKNOWN
    return said if said.strip("+-0.,") else said.lstrip("+-")


def gain_rows(diagnosis: Diagnosis, language: Language) -> tuple[list[str], list[str]]:
    """Return a paragraph per channel: which gains are better, whether kp may rise; and what would prove more.

    Both are empty where the log lacks what every identification needs.
    """
    from instrumentgpt.instruments import advice, plant  # scipy: only where gains are judged
    from instrumentgpt.instruments.tuning.advice_wording import sentences

    log = diagnosis.log
    told: list[str] = []
    experiments: dict[str, None] = {}
    if {"setpoint", "pv", "output", "period"} & set(log.missing) or math.isnan(log.degrees_per_unit):
        return [], []
    for _, loop in sorted(loops_of(log).items()):
        model = identified(diagnosis, loop)
        better = sentences(advice.advise(model), language, log.unit)
        if isinstance(model, plant.Refusal):
            experiments |= dict.fromkeys(better[2:])
            better = better[:2]
        else:
            better.insert(0, sentences(advice.can_raise(model), language, log.unit)[0])
        told.append(("" if language == "zh" else " ").join(better))
    return told, list(experiments)
