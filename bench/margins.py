"""The true margins of a simulated loop, from its frequency response."""

import math

import numpy as np


def margins(loop: np.ndarray[tuple[int], np.dtype[np.complex128]]) -> tuple[float, float]:
    """Return phase margin (degrees) and gain margin of the open `loop`; inf where it crosses nowhere.

    loop  (n,) its response at frequencies that grow from far below the crossing
    """
    size, angle = np.abs(loop), np.unwrap(np.angle(loop))
    angle -= 2 * np.pi * round((angle[0] + np.pi) / (2 * np.pi))
    over = np.flatnonzero((size[:-1] >= 1) != (size[1:] >= 1))
    back = np.flatnonzero((angle[:-1] >= -np.pi) != (angle[1:] >= -np.pi))
    phase = 180 + float(np.degrees(angle[over]).min()) if len(over) else math.inf
    return phase, float((1 / size[back]).min()) if len(back) else math.inf
