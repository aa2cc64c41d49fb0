"""Which output moves which pv, and which way: sensors or outputs swapped, an action turned round."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from instrumentgpt.instruments.analysis.ready import law_of_moves
from instrumentgpt.instruments.analysis.signals import runs
from instrumentgpt.instruments.analysis.study import Study, finding_of, quote
from instrumentgpt.instruments.analysis.tracks import Track
from instrumentgpt.instruments.checks.heater import back_in_band, left_band, pinned
from instrumentgpt.instruments.findings import Finding, RuledOut
from instrumentgpt.instruments.loops import Floats, Mask

OFF = 5.0  # bands that pv is off while its output is at the limit that should bring it back
ASTRAY = 0.1  # of the log, so: with each other's sensor one never holds, the other where its neighbours help
BLOCK, SAMPLES, FEWEST = 1.0, 8, 20  # lags in which pv is seen to move; values in one; blocks in a log
FOLLOWED = 0.5  # of pv's moves left unexplained by its output; loops that swing by their gains leave 0.07
ASTRAY_FOR = 3.0  # lags of it, after which it is no hump
BETTER = 4.0  # times less left unexplained crosswise; coupled zones with their own sensors reach 1


def sensors_swapped(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find the two loops that run against their limits and of which each pv answers the other's output."""
    tracks = study.active
    astray = [at for at, track in enumerate(tracks) if np.mean(_astray(track)) > ASTRAY]
    if len(astray) < 2:
        return []
    left = _unexplained(tracks)
    better = {(a, b): left[a, a] * left[b, b] / left[a, b] / left[b, a] for a, b in combinations(astray, 2)}
    first, second = max(better, key=better.__getitem__)
    if not better[first, second] > BETTER:
        return []
    one, other = tracks[first], tracks[second]
    opposed = one.smooth_error * np.interp(one.time, other.time, other.smooth_error)
    at = int(np.nanargmin(opposed))
    there = int(np.searchsorted(other.time[:-1], one.time[at]))
    numbers: dict[str, float | str] = {"better": float(better[first, second]), "limit": BETTER}
    for name, track, index in (("one", one, at), ("other", other, there)):
        shown = track.loop.channel, float(track.loop.pv[index]), float(track.output[index])
        numbers |= dict(zip((name, f"{name}_pv", f"{name}_output"), shown, strict=True))
    ruled_out = RuledOut("runaway_stuck_on", "crosswise", {"better": numbers["better"]})
    finding = finding_of(study, "sensors_swapped", one, 0, len(one) - 1, [at], numbers, [ruled_out])
    evidence = finding.evidence + quote(study, other, there)
    return [
        replace(finding, channel=None, channels=(one.loop.channel, other.loop.channel), evidence=evidence)
    ]


def action_reversed(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find an output that goes to its wrong limit as pv leaves its setpoint, or drives it wrongly at both.

    The first: its action was turned round. Which way is right, the log says as far as the loop held before.
    """
    found = (_wrong_at_both(study, track) or _turned_round(study, track) for track in study.active)
    return [finding for finding in found if finding is not None]


def _turned_round(study: Study, track: Track) -> Finding | None:
    for way, astray in ((1.0, _led_astray(track)), (-1.0, _astray(track))):
        for first, stop in runs(track.controlled & track.usable & astray).tolist():
            start, end = left_band(track, first), back_in_band(track, stop)
            if track.time[stop - 1] - track.time[first] < track.lags(ASTRAY_FOR) or first == start:
                continue
            laws = (law_of_moves(track.logged.part(a, b)) for a, b in ((0, start), (start, first)))
            was, now = (way * math.copysign(1.0, track.scale) * max(law or (0.0,), key=abs) for law in laws)
            if was < 0 or not now < 0 or (way < 0 and was == 0):
                continue  # it acted so while it held: the log does not say which is right
            numbers: dict[str, float | str] = {
                "kind": "reversed",
                "setpoint": float(track.loop.setpoint[first]),
                "from": float(track.output[start]),
                "output": float(track.output[first]),
                "early": float(track.loop.pv[start]),
                "late": float(track.loop.pv[stop - 1]),
                "seconds": float(track.time[first] - track.time[start]),
            }
            out = RuledOut("control_off", "moves_by_error", numbers)
            return finding_of(
                study, "sensors_swapped", track, start, end, (start, first, stop - 1), numbers, [out]
            )
    return None


def _wrong_at_both(study: Study, track: Track) -> Finding | None:
    """Return that pv rises from its setpoint at the lower limit and falls at the upper, each long time."""
    if track.kind.drive == "on_off":
        return None
    numbers, lines = dict[str, float | str](kind="both"), list[int]()
    for name, at_limit, way in (("low", track.at_low, 1.0), ("high", track.at_high, -1.0)):
        least, every = track.lags(ASTRAY_FOR), pinned(track, at_limit)
        long = [run for run in every if np.ptp(track.time[slice(*run)]) > least]
        went = [way * float(track.smooth_pv[stop - 1] - track.smooth_pv[first]) for first, stop in long]
        away = [-way * float(track.smooth_error[stop - 1]) for _, stop in long]  # on the side it went to
        if not went or min(went) < 0 or max(went) < OFF or min(away) < OFF:
            return None
        first, stop = long[int(np.argmax(went))]
        lines += [first, stop - 1]
        numbers |= {name: float(track.output[first]), f"{name}_from": float(track.loop.pv[first])}
        numbers |= {f"{name}_to": float(track.loop.pv[stop - 1]), f"{name}_moved": track.shown(max(went))}
    out = RuledOut("runaway_stuck_on", "wrong_at_both", numbers)
    return finding_of(study, "sensors_swapped", track, min(lines), max(lines), sorted(lines), numbers, [out])


def _led_astray(track: Track) -> Mask:
    """Return where the output is at a limit and pv far off on the side that it must come to by that."""
    return (track.at_low & (track.smooth_error > OFF)) | (track.at_high & (track.smooth_error < -OFF))


def follows_output(track: Track) -> bool:
    """Return whether half of what `track`'s pv does within a lag is its output's work."""
    return bool(np.isfinite(track.output).any() and _unexplained([track])[0, 0] < FOLLOWED)


def _astray(track: Track) -> Mask:
    """Return where the output is at a limit and pv far off on the side that it should bring it back from."""
    return (track.at_low & (track.smooth_error < -OFF)) | (track.at_high & (track.smooth_error > OFF))


def _unexplained(tracks: Sequence[Track]) -> Floats:
    """Return how much of the moves of each pv (row) each output (column) leaves, at most 1.

    What all pv were, and so what heat flows between them, explains the rest.
    """
    ends = max(track.time[0] for track in tracks), min(track.time[-1] for track in tracks)
    time = np.arange(*ends, BLOCK * max(track.lag for track in tracks) / SAMPLES)
    left = np.ones((len(tracks), len(tracks)))
    if len(time) < FEWEST * SAMPLES:
        return left

    def blocks(track: Track, values: Floats) -> Floats:
        known = np.sign(track.scale) * np.interp(
            time, *np.stack([track.time, values])[:, np.isfinite(values)]
        )
        means: Floats = known[: len(time) // SAMPLES * SAMPLES].reshape(-1, SAMPLES).mean(axis=1)
        return means

    pv = np.stack([blocks(track, track.pv) for track in tracks])
    output = np.stack([blocks(track, track.output) for track in tracks])
    stays = [np.ones(pv.shape[1] - 2), *pv[:, 1:-1]]
    before, during, after = output[:, :-2], output[:, 1:-1], output[:, 2:]
    delays = before, (before + during) / 2, (before + during + after) / 3
    for row, moves in zip(left, pv[:, 2:] - pv[:, :-2], strict=True):
        without = _fitted(moves, stays)[1]
        for at in range(len(tracks)):
            fits = [_fitted(moves, [*stays, delay[at]]) for delay in delays]
            row[at] = min([1.0, *(max(rest / without, 1e-6) for gain, rest in fits if gain > 0)])
    return left


def _fitted(moves: Floats, columns: Sequence[Floats]) -> tuple[float, float]:
    """Return the weight of the last of `columns`, and the squares of `moves` that all of them leave."""
    weights = np.linalg.lstsq(np.stack(columns, axis=1), moves, rcond=None)[0]
    return float(weights[-1]), float(((moves - weights @ np.stack(columns)) ** 2).sum())
