"""What comes from outside: the room on all channels, one channel on another, a door on one alone."""

import math
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from instrumentgpt.instruments import faults
from instrumentgpt.instruments.analysis.departures import SHARED_BY, Begun, Departure, Move, lasting_need
from instrumentgpt.instruments.analysis.signals import smooth
from instrumentgpt.instruments.analysis.study import Study, finding_of, quote
from instrumentgpt.instruments.analysis.tracks import SETTLING, Track
from instrumentgpt.instruments.findings import IN_USE, Evidence, Excursion, Finding, RuledOut
from instrumentgpt.instruments.language import DAY
from instrumentgpt.instruments.loops import Floats

RESPONSE = 0.3  # band: too small to matter below
ANSWERED = 0.6  # share of the neighbour's steps; loops.md section 1
FEWEST_STEPS = 2  # of a neighbour: one coincidence proves nothing
WINDOW = 24.0  # lags after a neighbour's step in which a response is looked for
SMALLEST_SOURCE = 5.0  # bands of a neighbour's step
OF_SWING = 2.0  # times its half size, up to which an excursion is a part of a swing
NO_CAUSE = ("data_gap", "insufficient_data", "healthy")
ALIKE = 1.6  # times, at most, that one is larger than another of the same cause
LIKE = 3.0  # times, likewise, that size times duration of one use is that of another
SMALL_USE = 4.0  # times the limit of its band, up to which use is no news: beyond, its cause is worth a word
ANSWERING = ("continuous", "on_off")  # drives whose output shows what the loop does against it
OF_DAY, MOSTLY = 0.02, 0.75  # of a day, that what keeps to a timetable is off; share of what does
REPEATED = 3  # alike, from which they are no accident
CLEAR = 1.5  # times the limit of its band
FOUGHT = 5.0  # percent by which the output goes against it
QUOTED = 4  # channels, or moments
AT_ONCE, HALF = 1.0, 0.5  # lag to that share of its size: a lid, a door, a cold load, but no failing heater
RARE = 0.02  # of the time held, that one alone may last
FOLLOWS = 6.0  # lags after pv came back in which it goes to the other side of itself


def ambient_disturbance(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find times in which channels left their setpoint the same way together, by nothing of their own."""
    moves = study.common_moves
    if not moves:
        return []
    channels = tuple(sorted({channel for move in moves for channel in move.channels}))
    sizes = dict.fromkeys(channels, 0.0)
    for channel, (_, size) in (pair for move in moves for pair in move.channels.items()):
        sizes[channel] = max(sizes[channel], study.tracks[channel].shown(abs(size)))
    numbers: dict[str, float | str] = {
        "unit": study.log.unit,
        "channels": ", ".join(map(str, channels)),
        "count": len(channels),
        "smallest": min(sizes.values()),
        "largest": max(sizes.values()),
        "times": len(moves),
        "kind": "room",
    }
    needed = min(len(channels), SHARED_BY)
    return [
        Finding(
            "ambient_disturbance",
            None,
            moves[0].start,
            moves[-1].stop,
            faults.severity("ambient_disturbance"),
            _lines_of(study, moves),
            numbers,
            (RuledOut("cross_coupling", "together", {"count": len(channels), "needed": needed}),),
            moments=tuple(move.start for move in moves),
            channels=channels,
        )
    ]


def _lines_of(study: Study, moves: Sequence[Move]) -> tuple[Evidence, ...]:
    """Return the lines at which channels were farthest out: all in the largest move, one in others."""
    by_size = sorted(moves, key=lambda move: -sum(abs(size) for _, size in move.channels.values()))
    quoted: tuple[Evidence, ...] = ()
    for place, move in enumerate(by_size[:QUOTED]):
        of_move = sorted(move.channels.items())[: QUOTED if place == 0 else 1]
        for channel, (peak, _) in of_move:
            track = study.tracks[channel]
            quoted += quote(study, track, int(np.searchsorted(track.time, peak)))
    return quoted


def cross_coupling(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find channels whose pv follows the setpoint steps of a neighbour while their own setpoint stands."""
    findings = []
    for target in study.active:
        judged = [_follows(study, target, source) for source in study.active if source is not target]
        hits = [finding for finding in judged if finding is not None]
        if hits:
            findings.append(max(hits, key=lambda finding: float(finding.numbers["size"])))
    return findings


def _follows(study: Study, target: Track, source: Track) -> Finding | None:
    steps = [step for step in source.steps if abs(step.size) >= SMALLEST_SOURCE and step.index > 0]
    if len(steps) < FEWEST_STEPS:
        return None
    deviation = smooth(np.where(target.at_rest, -target.error, np.nan), target.samples(target.lag) | 1)
    times = [float(source.time[step.index]) for step in steps]
    own_changes = [float(target.time[first]) for first, _ in target.levels if first > 0]
    answers = []
    for step, time in zip(steps, times, strict=True):
        if any(0 < abs(time - other) < target.lags(6.0) for other in own_changes):
            continue
        window = min([target.lags(WINDOW), *(later - time for later in times if later > time)])
        peak = _extreme(target, deviation, time, window)
        if peak is not None:
            answers.append((step, peak[0] * np.sign(step.size), peak[1]))
    hits = [answer for answer in answers if answer[1] > RESPONSE]
    if len(hits) < FEWEST_STEPS or len(hits) < ANSWERED * len(answers):
        return None
    size = float(np.median([answer[1] for answer in hits]))
    numbers: dict[str, float | str] = {
        "source": source.loop.channel,
        "answered": len(hits),
        "steps": len(answers),
        "size": target.shown(size),
        "source_line": int(source.loop.line[hits[0][0].index]),
    }
    ruled_out = RuledOut("ambient_disturbance", "follows", {"answered": len(hits), "steps": len(answers)})
    first = int(np.searchsorted(target.time, source.time[hits[0][0].index]))
    last = min(target.after(hits[-1][2], target.lags(WINDOW)), len(target) - 1)
    finding = finding_of(
        study, "cross_coupling", target, first, last, [hit[2] for hit in hits[:2]], numbers, [ruled_out]
    )
    steps_quoted = quote(study, source, *(hit[0].index for hit in hits[:2]))
    return replace(finding, evidence=steps_quoted + finding.evidence)


def _extreme(track: Track, deviation: Floats, time: float, seconds: float) -> tuple[float, int] | None:
    """Return the largest change of `deviation` after `time` and where; None unless the loop held."""
    start = int(np.searchsorted(track.time, time))
    stop = int(np.searchsorted(track.time, time + seconds))
    earlier = deviation[max(0, start - track.samples(track.lags(3.0))) : start]
    part = deviation[start:stop]
    if len(part) < 5 or not np.isfinite(earlier).any() or np.isfinite(part).mean() < 0.9:
        return None
    change = part - np.nanmedian(earlier)
    index = int(np.nanargmax(np.abs(change)))
    return float(change[index]), start + index


def disturbance(study: Study, before: Sequence[Finding]) -> list[Finding]:
    """Find channels that were pushed out of their band from outside and came back, by themselves alone.

    Either the output went against it and nothing like it comes again, or it came again and again alike and no
    output is seen to answer.
    """
    findings = []
    for track in study.tracks.values():
        departures = study.departures[track.loop.channel]
        used = in_use(track, departures, study.begun[track.loop.channel])
        explained = [push for push in departures if _explained(track, push, before)]
        unexplained = [push for push in departures if push not in explained]
        unexplained = [push for push in unexplained if not _follows_one(track, push, explained)]
        pushed = [push for push in unexplained if _is_push(track, push)]
        fought = [push for push in pushed if push not in used and _fought(track, push)]
        largest = max(fought or pushed, key=lambda push: abs(push.size), default=None)
        if largest is None:
            continue
        sides = np.abs if fought else np.positive  # what comes and goes again pushes to both
        pushed = [push for push in pushed if push not in used]
        alike = [push for push in pushed if 1 / ALIKE < sides(push.size / largest.size) <= 1]
        if fought or len(alike) >= REPEATED:
            findings.append(_finding(study, track, alike, largest, bool(fought)))
    return findings


def in_use(
    track: Track, departures: Sequence[Departure], begun: Begun = MappingProxyType({})
) -> list[Departure]:
    """Return those of `departures` that the output answers and that come again: what the loop is used for.

    So is what comes at the same hours of several days, what goes out at once and comes back more slowly, if
    it comes again or is short beside all that was held, what begins at a line on what was done (`begun`) and
    is over within the record, and the loop's own way past its setpoint after it.
    """
    over = [each for each in begun if each.last < len(track) - 1]
    answered = [departure for departure in departures if _fought(track, departure)]
    used = [use for use in answered if sum(_is_like(track, other, use) for other in answered) > 1]  # itself
    used += _timetable(track, departures)
    opened = [departure for departure in answered if _is_opening(track, departure)]
    seconds = sum(float(track.time[each.last] - track.time[each.first]) for each in opened)
    sides = {opening.size > 0 for opening in opened}  # to either side: a load, and its end
    if len(opened) == len(sides) and seconds > RARE * track.period * np.count_nonzero(track.holding):
        opened = []
    opened += over
    return [each for each in departures if each in used + opened or _follows_one(track, each, opened)]


def _timetable(track: Track, departures: Sequence[Departure]) -> list[Departure]:
    """Return those of `departures` that come at the same hours of several days, if most to their side do."""
    found = []
    for side in (1, -1):
        own = [each for each in departures if side * each.size > 0]
        begin = np.array([track.time[each.first] for each in own])
        days = np.abs(begin[:, None] - begin) / DAY
        again = (np.abs(days - np.round(days)) < OF_DAY) & (days > 0.5)
        if again.any(axis=1).sum() >= max(REPEATED, MOSTLY * len(own)):
            found += own
    return found


def _is_opening(track: Track, departure: Departure) -> bool:
    """Return whether pv went out at once and came back more slowly, and its output too, within the record."""
    out = np.abs(track.smooth_error[departure.first : departure.peak + 1]) >= HALF * abs(departure.size)
    front = float(track.time[departure.first + np.argmax(out)] - track.time[departure.first])
    back = float(track.time[departure.last] - track.time[departure.peak])
    at_once = departure.last < len(track) - 1 and front <= min(track.lags(AT_ONCE), back)
    return at_once and not lasting_need(track, departure.first, departure.size) >= 1


def _follows_one(track: Track, departure: Departure, openings: Sequence[Departure]) -> bool:
    """Return whether `departure` is the way past the setpoint in which pv came back from an opening."""
    larger = (opening.last for opening in openings if -1 < departure.size / opening.size < 0)
    return any(0 <= track.time[departure.first] - track.time[last] <= track.lags(FOLLOWS) for last in larger)


def _is_like(track: Track, other: Departure, use: Departure) -> bool:
    """Return whether `other` goes to the same side and is nearly as large and long as `use`, or more so."""
    here, there = (each.size * float(track.time[each.last] - track.time[each.first]) for each in (use, other))
    return there / here > 1 / LIKE


def excursions_of(study: Study, findings: Sequence[Finding]) -> tuple[Excursion, ...]:
    """Return every time in which a channel left its own band, and which of `findings` covers it."""
    noted = []
    for track in study.tracks.values():
        departures = study.departures[track.loop.channel]
        begun = study.begun[track.loop.channel]
        used = in_use(track, departures, begun)
        slow = [each for each in used if each not in begun and not _is_opening(track, each)]
        use = IN_USE if all(abs(each.size) <= SMALL_USE * each.limit for each in slow) else ""
        covered: dict[Departure, str] = {}
        for departure in departures:
            rebound = [fault for each, fault in covered.items() if _follows_one(track, departure, [each])]
            by = next(filter(None, (_explained(track, departure, findings), *rebound)), "")
            done = begun.get(departure) if departure in used and not by else None
            covered[departure] = by or (IN_USE if done else use if departure in used else "")
            onset, end = (float(track.loop.time[at]) for at in (departure.first, departure.last))
            size = math.copysign(1.0, track.scale) * track.shown(departure.size)
            lines = quote(study, track, departure.first, departure.peak, departure.last)
            limit, by = track.shown(departure.limit), covered[departure]
            if done:
                onset, lines = max(onset, done.time), (Evidence(done.line, done.time, {}), *lines)
            noted.append(
                Excursion(track.loop.channel, onset, end, size, limit, lines, by, (done and done.text) or "")
            )
    return tuple(sorted(noted, key=lambda excursion: excursion.onset))


def _explained(track: Track, departure: Departure, findings: Sequence[Finding]) -> str:
    """Return the class of the first of `findings` that covers a part of `departure`, "" if none does.

    A swing covers what is no larger than it is, about.
    """
    start, stop = track.loop.time[departure.first], track.loop.time[departure.last]
    size = track.shown(abs(departure.size))
    about = (finding for finding in findings if finding.is_about(track.loop.channel))
    for finding in (finding for finding in about if finding.fault not in NO_CAUSE):
        swing = float(finding.numbers.get("amplitude", size))
        if size <= OF_SWING * swing and any(
            first <= stop and start <= last for first, last in _spans(track, finding)
        ):
            return finding.fault
    return ""


def _spans(track: Track, finding: Finding) -> list[tuple[float, float]]:
    """Return from when to when `finding` explains: after each moment of one of several loops, its humps."""
    if not finding.channels:
        return [(finding.onset, finding.end)]
    return [(moment, moment + track.lags(SETTLING)) for moment in finding.moments]


def _is_push(track: Track, departure: Departure) -> bool:
    """Return whether pv went clearly out and came back within the record."""
    clear = abs(departure.size) >= CLEAR * departure.limit
    return clear and departure.last < len(track) - 1


def _fought(track: Track, departure: Departure) -> bool:
    """Return whether the output went against `departure`: on average, if it switches."""
    if track.kind.drive not in ANSWERING:
        return False
    switches = track.kind.drive == "on_off"
    start = 0 if switches else max(0, departure.first - track.samples(track.lags(2.0)))
    earlier = track.output[start : departure.first + 1]
    during = track.output[departure.peak if switches else departure.first : departure.last + 1]
    if not (np.isfinite(earlier).any() and np.isfinite(during).any()):
        return False
    against = np.sign(departure.size) * (np.nanmean(earlier) - during)
    return bool((np.nanmean(against) if switches else np.nanmax(against)) >= FOUGHT)


def _finding(study: Study, track: Track, alike: list[Departure], largest: Departure, fought: bool) -> Finding:
    sizes = [abs(push.size) for push in alike]
    numbers: dict[str, float | str] = {
        "kind": "alone",
        "channels": str(track.loop.channel),
        "count": 1,
        "smallest": track.shown(min(sizes)),
        "largest": track.shown(max(sizes)),
        "times": len(alike),
        "seconds": float(np.median([track.time[push.last] - track.time[push.first] for push in alike])),
        "limit": track.shown(largest.limit),
    }
    reason = "fought" if fought else "again"
    ruled_out = RuledOut("oscillation_tuning", reason, {"times": len(alike)})
    lines = (largest.first, largest.peak, largest.last)
    first, last = alike[0].first, alike[-1].last
    finding = finding_of(study, "ambient_disturbance", track, first, last, lines, numbers, [ruled_out])
    began = tuple(float(track.loop.time[push.first]) for push in alike)
    return replace(finding, moments=began)
