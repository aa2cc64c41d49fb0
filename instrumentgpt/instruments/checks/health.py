"""What a channel must show to be called healthy, and what is said when it does not."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from instrumentgpt.instruments.analysis.metrics import REGULAR, Metrics
from instrumentgpt.instruments.analysis.study import Study, finding_of
from instrumentgpt.instruments.analysis.tracks import BAND, SHORTEST_HOLD, Track
from instrumentgpt.instruments.findings import IN_USE, Excursion, Finding, RuledOut, Withheld

HEALTHY_OVERSHOOT = 2.0  # bands
HEALTHY_OVERSHOOT_PERCENT = 6.0  # of the step; loops.md section 1
HEALTHY_SWING = 1.0  # band, half peak to peak while holding
HEALTHY_ERROR = 0.35  # band, mean while holding
LATELY = 3.0  # lags, in which is seen where a loop goes


def healthy_channels(
    study: Study,
    causes: Sequence[Finding],
    doubts: Sequence[Withheld],
    metrics: Mapping[int, Metrics],
    excursions: Sequence[Excursion],
) -> tuple[list[Finding], dict[str, Withheld]]:
    """Return a "healthy" finding per channel that shows it, and why it is withheld elsewhere.

    A channel with a finding, or in a log with too little data, gets neither.
    doubts  what a check found, and too little speaks for
    """
    if any(cause.fault == "insufficient_data" for cause in causes):
        return [], {}
    ills = [cause for cause in causes if cause.fault != "data_gap"]
    findings: list[Finding] = []
    withheld: dict[str, Withheld] = {}
    largest_first = sorted(excursions, key=lambda excursion: -abs(excursion.size))
    for track in study.active:
        channel = track.loop.channel
        if any(ill.is_about(channel) for ill in ills):
            continue
        reasons = _reasons(track, metrics[channel])
        outside = [excursion for excursion in largest_first if excursion.channel == channel]
        if outside:
            reasons = {name: reasons[name] for name in reasons if name not in ("swings", "off_setpoint")}
        if away := [excursion for excursion in outside if not excursion.explained]:
            reasons["away"] = {"count": len(away), "size": away[0].size, "line": away[0].evidence[0].line}
        doubt = next((item.doubt for item in doubts if item.channel == channel), None)
        if reasons or doubt:
            withheld[f"healthy, channel {channel}"] = Withheld("healthy", channel, reasons, doubt=doubt)
        else:
            findings.append(_healthy(study, track, metrics[channel], outside))
    return findings, withheld


def _reasons(track: Track, metrics: Metrics) -> dict[str, dict[str, float | str]]:
    """Return what speaks against calling a channel healthy, with its numbers; empty if nothing does."""
    reasons: dict[str, dict[str, float | str]] = {}
    scale, own = abs(track.scale), track.own_swing
    if not track.holds and not own and track.kind.program == "steps":
        reasons["never_held"] = {"needed": track.lags(SHORTEST_HOLD), "period": track.period}
    elif metrics.regularity > REGULAR and not own and metrics.half_peak_to_peak * scale > HEALTHY_SWING:
        reasons["swings"] = {"swing": metrics.half_peak_to_peak, "period": metrics.period}
    elif not track.quiet.any() and not own and not followed_within(track)[0] < BAND:
        reasons |= {"away_at_end": away} if (away := _away_at_end(track)) else {"unsettled": {}}
    elif not own and metrics.half_peak_to_peak * scale > HEALTHY_SWING:
        reasons["swings"] = {"swing": metrics.half_peak_to_peak, "period": math.nan}
    short = [hold for hold in track.holds if not (track.arrived(hold) or track.reached(hold) == hold.stop)]
    if short and track.quiet.any():
        error = -float(track.smooth_error[short[-1].stop - 1]) / track.scale
        reasons["not_arrived"] = {"count": len(short), "holds": len(track.holds), "error": error}
    if (own or track.quiet.any()) and abs(metrics.mean_error) * scale > max(HEALTHY_ERROR, own):
        reasons["off_setpoint"] = {"error": metrics.mean_error}
    far = metrics.overshoot * scale > HEALTHY_OVERSHOOT
    if far and metrics.overshoot_percent > HEALTHY_OVERSHOOT_PERCENT:
        reasons["overshot"] = {"overshoot": metrics.overshoot, "percent": metrics.overshoot_percent}
    return reasons


def followed_within(track: Track) -> tuple[float, bool]:
    """Return how far pv was from a programme of ramps at most, bands, and whether it was let cool.

    Where it cooled by itself, nothing could follow. nan if there was no programme to judge by.
    """
    cooling = np.zeros(len(track), dtype=bool)
    for first, stop in track.levels:
        cooling[first : track.let_cool(first, stop)] = True
    steered = track.controlled & np.isfinite(track.error) & ~cooling
    if track.kind.program != "ramps" or steered.sum() < track.samples(track.lags(SHORTEST_HOLD)):
        return math.nan, False
    return float(np.abs(track.error[steered]).max()), bool(cooling.any())


def _away_at_end(track: Track) -> dict[str, float | str]:
    """Return how far from its setpoint the log ends and how fast pv goes, per minute; {} where it arrived."""
    begin = len(track) - 1 - track.samples(track.lags(LATELY))
    if begin < 0 or not track.controlled[begin:].all() or abs(track.smooth_error[-1]) <= BAND:
        return {}
    minutes = (track.time[-1] - track.time[begin]) / 60
    moved = track.smooth_pv[-1] - track.smooth_pv[begin]
    return {"error": -track.smooth_error[-1] / track.scale, "rate": moved / track.scale / minutes}


def _healthy(study: Study, track: Track, metrics: Metrics, used: Sequence[Excursion]) -> Finding:
    held = track.quiet.any() or track.own_swing
    followed, cooled = (math.nan, False) if held else followed_within(track)
    programme = (
        "stepped" if not math.isnan(metrics.overshoot) else "held" if math.isnan(followed) else "followed"
    )
    numbers: dict[str, float | str] = {
        "kind": IN_USE if used else programme,
        "followed": track.shown(followed),
        "cooled": cooled,
        "highest": float(np.nanmax(track.loop.setpoint[track.controlled])),
        "times": len(used),
        "away": abs(used[0].size) if used else 0.0,
        "back": max((excursion.end - excursion.onset for excursion in used), default=0.0),
        "setpoint": metrics.setpoint,
        "settling_time": metrics.settling_time,
        "overshoot": metrics.overshoot,
        "half_peak_to_peak": metrics.half_peak_to_peak,
        "mean_error": metrics.mean_error,
        "duty": metrics.duty,
        "saturated": 100 * metrics.saturated,
    }
    half = metrics.half_peak_to_peak
    inside = not half > track.shown(HEALTHY_SWING * BAND)  # nan: it never held
    swing: dict[str, float | str] = {"half_peak_to_peak": half, "inside": inside}
    ruled_out = RuledOut("oscillation_tuning", "small_swing", swing)
    return finding_of(study, "healthy", track, 0, len(track) - 1, _extremes(track), numbers, [ruled_out])


def _extremes(track: Track) -> list[int]:
    """Return where pv was highest and lowest in the longest settled hold: the lines that say the most."""
    longest = max(track.holds, key=lambda hold: hold.stop - hold.settled, default=None)
    if longest is None or longest.settled >= longest.stop:
        return []
    error = track.error[longest.settled : longest.stop]
    if not np.isfinite(error).any():
        return []
    return [longest.settled + int(np.nanargmin(error)), longest.settled + int(np.nanargmax(error))]
