"""How strong the evidence is, said by an expert that has no field of its own."""

from typing import Any

from instrumentgpt.agents.offline.panel.claims import claim
from instrumentgpt.agents.offline.panel.field import Field
from instrumentgpt.agents.offline.panel.record import (
    figure,
    found_faults,
    inseparable_rival,
    on_channel,
    worst_channel,
)
from instrumentgpt.agents.offline.panel.votes import OPEN_LESS
from instrumentgpt.instruments.findings import FEWEST_SAMPLES
from instrumentgpt.instruments.language import with_spans

WEIGHED = 0.7  # confidence of who weighs what others found


def weigh(field: Field) -> dict[str, Any]:
    """Return the contribution of who says how strong the evidence of others is, and holds no cause."""
    found, language, part = field.found, field.case.language, field.part
    seen = [
        one for one in on_channel(found_faults(found), part["channel"]) if one["class"] in part["candidates"]
    ]
    if not seen:
        position = _amount(field) if part["kind"] == "trust" else quiet(field)
        return {"position": position, "cause": "", "confidence": WEIGHED, "claims": [], "rejects": []}
    one = seen[0]
    told = {"title": one["title"], "count": len(one["evidence"]), "samples": found["samples"]}
    shown = figure(found, one["channel"], one["class"], language)
    position = field.say("panel_weighs", since=one["onset_clock"], figure=shown, **told)
    claims = [claim(text["text"], field, text["lines"][0]) for text in one["coincidences"][:2]]
    rival = inseparable_rival(one)
    if rival:
        names = {"title": one["title"], "rival": field.title(rival)}
        claims.append(claim(field.say("panel_not_by_numbers", samples=found["samples"], **names), field))
    confidence = WEIGHED - OPEN_LESS * bool(rival)
    return {
        "position": position,
        "cause": one["class"],
        "confidence": confidence,
        "claims": claims,
        "rejects": [],
    }


def quiet(field: Field) -> str:
    """Return the position that nothing was found, with the figures of the channel."""
    shown = figure(field.found, field.part["channel"], "", field.case.language)
    return field.say("panel_weighs_nothing", samples=field.found["samples"], figure=shown)


def _amount(field: Field) -> str:
    """Return whether the log has enough samples for a verdict."""
    found = field.found
    channel = worst_channel(found, None)
    told = {"samples": channel.get("samples") or 0, "seconds": found["seconds"] or 0.0}
    enough = told["samples"] >= FEWEST_SAMPLES
    few = not enough or channel.get("sample_period") is None
    key = "panel_weighs_too_little" if few else "panel_weighs_record"
    said = field.say(key, period=channel.get("sample_period"), **told)
    return with_spans(said, field.case.language)
