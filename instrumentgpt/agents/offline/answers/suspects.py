"""What a question suspects: whole parts or causes by name, and what the checks say of each, with numbers."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from instrumentgpt.agents.offline.answers.report import links
from instrumentgpt.agents.offline.answers.subject import Subject
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.panel.record import Reason, reasons
from instrumentgpt.agents.offline.patterns import FLAGS
from instrumentgpt.agents.offline.phrases import joined, phrase, together
from instrumentgpt.instruments.faults import cause_title

CAUSES = Path(__file__).with_name("suspects.toml")
PARTS = {  # what a question may suspect → the words for it, and the faults that would be its
    "sensor": (
        r"\bsensor|\bthermocouple|\bprobe|感測|传感|測溫|测温|熱電偶|热电偶",
        ("sensor_open", "sensor_spike", "sensor_stuck", "sensor_bias", "sensor_noise"),
    ),
    "heater": (
        r"\bheater|\bheating|\bssr\b|\bpower stage|加熱|加热|電熱|电热",
        ("heater_failure", "runaway_stuck_on", "heater_degradation"),
    ),
    "tuning": (
        r"\btun(?:ed|ing)|\bpid\b|\bgains?\b|\bcontroller|調參|调参|控制器|增益|[參参][數数]",
        ("oscillation_tuning", "overshoot_tuning", "integral_windup", "sluggish_tuning", "control_off"),
    ),
}
BEYOND = ("sensor_bias", "heater_degradation")  # what one log cannot show at all, for which there are phrases
_SUSPECTS = (  # what makes it a question about the part itself
    r"\bis\b|\bare\b|\bbroken|\bfault|\bbad\b|\bok\b|\bdead|\bor\b|\bvs\b|\bcould it\b|\bmaybe\b"
    r"|[壞坏]|故障|正常|[問问][题題]|[異异]常|[嗎吗]|[還还]是|或|是不是|[會会]不[會会]"
)


@cache
def causes() -> dict[str, Any]:
    """Return the causes of suspects.toml: fault class → patterns and samples."""
    return tomllib.loads(CAUSES.read_text(encoding="utf-8"))


def named_causes(words: str) -> list[str]:
    """Return the fault classes that `words` suspect by name, in the order in which they are named.

    >>> named_causes("Heater loss or sensor drift?")
    ['heater_degradation', 'sensor_bias']
    """
    places = {}
    for name, told in causes().items():
        found = [
            match for pattern in (*told["en"], *told["zh"]) if (match := re.search(pattern, words, FLAGS))
        ]
        if found:
            places[name] = min(match.start() for match in found)
    return sorted(places, key=lambda name: places[name])


def suspicions(case: Case, about: Subject, found: Result) -> Iterator[str]:
    """Yield what the checks say of the parts and causes that the question suspects, if it does."""
    words = case.question.text
    if not re.search(_SUSPECTS, words, FLAGS):
        return
    named = named_causes(words)
    for part, (asked, faults) in PARTS.items():
        if re.search(asked, words, FLAGS) and not set(named) & set(faults):
            yield from _part(case, about, found, part, faults)
    if named:
        yield from _each(case, about, found, named)


def _part(case: Case, about: Subject, found: Result, part: str, faults: Sequence[str]) -> Iterator[str]:
    """Say that nothing points to a part, with the checks that could tell; nothing if something does."""
    silent = [fault for fault in faults if fault not in found["unjudged"]]
    if not silent or any(one["class"] in faults for one in found["findings"]):
        return
    named = joined((found["titles"][fault] for fault in silent), case.language)
    told = {"part": phrase(f"part_{part}", case.language), "count": len(silent), "faults": named}
    yield phrase("focus_clear", case.language, label=about.label, lines=found["lines"], **told) + "\n\n"


def _each(case: Case, about: Subject, found: Result, named: Sequence[str]) -> Iterator[str]:
    """Say of each cause that is named whether it is found, out, open or not judged, and by which numbers."""
    against, left = reasons(found, named, case.question.channel, case.language)
    why = {one.cause: one for one in (*against, *left)}
    count = {"out": len(against), "count": len(named)}
    yield phrase("suspects_title", case.language, label=about.label, **count) + "\n\n"
    for cause in named:
        key, text = _verdict(about, found, cause, why.get(cause))
        verdict = phrase(key, case.language, title=cause_title(cause, case.language))
        beyond = (
            [phrase(f"beyond_{cause}", case.language)] if key == "suspect_out" and cause in BEYOND else []
        )
        yield f"- {together([verdict, text, *beyond], case.language)}\n"
    yield "\n"


def _verdict(about: Subject, found: Result, cause: str, reason: Reason | None) -> tuple[str, str]:
    """Return the phrase of the verdict on `cause`, and its grounds."""
    if reason is None:
        finding = next(one for one in found["findings"] if one["class"] == cause)
        return "suspect_found", f"{finding['summary']} ({links(about, finding)})"
    text = reason.text + (f" ({about.link(reason.line)})" if reason.line else "")
    if reason.firm:
        return "suspect_out", text
    return ("suspect_open" if reason.judged else "suspect_unjudged"), text
