"""Whether a plant goes where power drives it, or with its room."""

import numpy as np

from instrumentgpt.instruments.analysis.study import Study
from instrumentgpt.instruments.analysis.tracks import Track

BEYOND_ROOM = 10.0  # bands past the bound of the room's temperature
BEFORE = 12.0  # lags
DRIVEN = 2.0  # percent of output from which a channel is away from the room's temperature


def driven_elsewhere(study: Study, track: Track, sign: float, start: int, level: float) -> bool:
    """Return whether a two-sided plant goes where only power drives it, so that the power is stuck on.

    sign   +1 if pv rises against full cooling, -1 if it falls against full heating
    level  -sign * pv where it got to

    Without power pv goes to the temperature of the room: beyond that it is driven.
    """
    if sign * _usual_output(track, start) > 0:
        return True  # it was driven this way before, and still is
    bound = _room_bound(study, track, sign)
    return bound is not None and -level > sign * bound + BEYOND_ROOM


def _room_bound(study: Study, judged: Track, sign: float) -> float | None:
    """Return what the room cannot be warmer (sign +1) or colder (-1) than, in bands of `judged`.

    It is what other channels are driven to.
    """
    driven = []
    for track in study.active:
        output = float(np.nanmedian(track.output[track.quiet])) if track.quiet.any() else 0.0
        if track.scale * judged.scale > 0 and sign * output > DRIVEN:
            driven.append(sign * float(np.nanmedian(track.pv[track.quiet])) * judged.scale / track.scale)
    return sign * min(driven) if driven else None


def _usual_output(track: Track, index: int) -> float:
    """Return the median output of the `BEFORE` lags before `index`, percent; 0 where there is none."""
    earlier = track.output[
        (track.time > track.time[index] - track.lags(BEFORE))
        & (track.time <= track.time[index] - track.lags(0.2))
    ]
    return float(np.nanmedian(earlier)) if np.isfinite(earlier).any() else 0.0


def moved_with_room(study: Study, track: Track, first: int, last: int) -> bool:
    """Return whether the room moved all channels in this time."""
    a, b = float(track.time[first]), float(track.time[last])
    return any(move.start - track.lags(3.0) < b and move.stop > a for move in study.common_moves)
