"""Is there enough of a record to judge, and is it whole?"""

from collections.abc import Sequence

import numpy as np

from instrumentgpt.instruments import faults
from instrumentgpt.instruments.analysis.study import Study, quote
from instrumentgpt.instruments.findings import FEWEST_SAMPLES, Evidence, Finding, RuledOut
from instrumentgpt.instruments.shown import shown_zero

SHORTEST_RECORD = 5.0  # lags, in which a loop can show an answer and how it settles
NEEDED_FIELDS = ("setpoint", "output")


def insufficient_data(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find a record that is over before its loops can have shown anything."""
    tracks = [track for track in study.tracks.values() if len(track)]
    if not tracks:
        nothing = {"seconds": 0.0, "samples": 0, "needed": FEWEST_SAMPLES, "period": float("nan")}
        return [_device_finding("insufficient_data", 0.0, 0.0, (), {**nothing, "missing": "samples"})]
    longest = max(tracks, key=lambda track: len(track) / track.lag)
    seconds = float(np.ptp(longest.time))
    if seconds >= longest.lags(SHORTEST_RECORD) and len(longest) >= FEWEST_SAMPLES:
        return []
    samples, missing = study.log.samples, study.log.missing
    is_seen = {name: np.isfinite(samples[name].to_numpy(dtype=float)).any() for name in NEEDED_FIELDS}
    absent = [name for name in NEEDED_FIELDS if name in missing or not is_seen[name]]
    timed = "period" not in missing
    numbers: dict[str, float | str] = {
        "seconds": seconds if timed else float("nan"),
        "samples": len(longest),
        "period": longest.period if timed else float("nan"),
        "needed": FEWEST_SAMPLES,
        "missing": ", ".join([*absent, *([] if timed else ["period"])]) or "none",
    }
    evidence = quote(study, longest, 0, len(longest) - 1)
    onset, end = float(longest.loop.time[0]), float(longest.loop.time[-1])
    return [_device_finding("insufficient_data", onset, end, evidence, numbers)]


def data_gap(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find where no sample was written for too long though a loop was on, or where the clock was set."""
    gaps = [gap for gap in study.gaps if gap.seconds < 0 or not _is_off(study, gap.before)]
    if not gaps:
        return []
    samples, holes = study.log.samples, [gap for gap in gaps if gap.seconds > 0]
    rows = [position for gap in gaps for position in (gap.before, gap.after)][:6]
    evidence = tuple(_row(study, position) for position in rows)
    told, back = holes or gaps, [-gap.seconds for gap in gaps if gap.seconds < 0]
    longest = max(told, key=lambda gap: abs(gap.seconds))
    time = samples["time"].to_numpy(dtype=float)
    numbers: dict[str, float | str] = {
        "count": len(told),
        "longest": abs(longest.seconds),
        "back": len(back),
        "set_back": max(back, default=0.0),
        "first_line": int(samples["line"].iloc[told[0].before]),
        "next_line": int(samples["line"].iloc[told[0].after]),
        **({"kind": "both" if holes else "back"} if back else {}),
    }
    last, later = samples.iloc[longest.before], samples.iloc[longest.after :]
    seen = later.loc[later["channel"] == last["channel"], "pv"]  # of the channel last seen before it
    change = {"change": float(seen.iloc[0] - last["pv"]) if len(seen) else float("nan")}
    ruled_out = RuledOut("sensor_bias", "across_gap" if holes else "untold", change)
    onset, end = float(time[gaps[0].before]), float(time[gaps[-1].after])
    return [_device_finding("data_gap", onset, end, evidence, numbers, (ruled_out,))]


def _is_off(study: Study, position: int) -> bool:
    """Return whether nothing was asked of any channel when last seen: a machine at rest writes little."""
    last = study.log.samples.iloc[: position + 1].drop_duplicates("channel", keep="last")
    zero = last["channel"].map(lambda channel: shown_zero(study.log, channel))
    return bool((last["output"].eq(0) & last["setpoint"].fillna(zero).eq(zero)).all())


def _row(study: Study, position: int) -> Evidence:
    row = study.log.samples.iloc[position]
    values = {name: float(row[name]) for name in ("setpoint", "pv") if np.isfinite(row[name])}
    return Evidence(int(row["line"]), float(row["time"]), values)


def _device_finding(
    fault: str,
    onset: float,
    end: float,
    evidence: tuple[Evidence, ...],
    numbers: dict[str, float | str],
    ruled_out: tuple[RuledOut, ...] = (),
) -> Finding:
    return Finding(fault, None, onset, end, faults.severity(fault), evidence, numbers, ruled_out)
