"""CPU time in tests, compared with other work of the same run: machines differ in seconds."""

import gc
import re
import time
from collections import Counter

TEXT = "[2026-02-19 23:24:45] zspr 052 swings by 0.4 °C every 63 s; kp is 0.09. 溫度波動，怎麼辦？\n" * 300
WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?|\S")


def least_times(*works, repeats=5, clock=time.thread_time):
    """Return the least CPU time of this thread for each of `works`, done in turn `repeats` times.

    clock  time.process_time where a library works with threads of its own

    The least of many, and in turn: a machine that is busy for a while is so for all of them, and the least
    is what the work itself takes. Without the garbage collector, whose work grows with what other tests left.
    """
    spent = [[] for _ in works]
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeats):
            for work, times in zip(works, spent, strict=True):
                began = clock()
                work()
                times.append(clock() - began)
    finally:
        gc.enable()
    return [min(times) for times in spent]


def a_piece_of_work():
    """Do what takes 3 to 6 ms on the machine these tests were written on: read 28 kB of text."""
    return Counter(found[0] for found in WORD.finditer(TEXT))


def pieces(work, repeats=3, clock=time.thread_time):
    """Return how many times as long as `a_piece_of_work` the work takes.

    Tests allow six times what was seen and more; what they guard against (time that grows with the square of
    a text, or worse) is far beyond that.
    """
    piece, taken = least_times(a_piece_of_work, work, repeats=repeats, clock=clock)
    return taken / piece
