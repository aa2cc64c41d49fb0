"""An answer of a hundred thousand pieces is put together in linear time, in the turn and on the page."""

import gc
import time

import pytest

from instrumentgpt.agents.events import Artifact, Text, answer_text
from instrumentgpt.answer import Answer
from instrumentgpt.ui.progress import Progress, advance

FEW, TIMES = 20_000, 8  # pieces, and how many times as many
REPEATS = 5
WORD = "temperature " * 5  # as large as pieces get: the copies are what costs


def taken(count):
    answer = Answer()
    for _ in range(count):
        answer.take(Text(WORD))
    return answer.text


def shown(count):
    return advance(Progress(), ((number, Text(WORD)) for number in range(1, count + 1))).text


def heard(count):
    return answer_text(Text(WORD) for _ in range(count))


def least_times(put_together, counts):
    """Return the least CPU time of this thread for each count, the counts measured in turn.

    The least of many, and in turn: a machine that is busy for a while is so for both sizes, and the least
    is what the work itself takes. Without the garbage collector, whose work grows with what other tests left.
    """
    spent = {count: [] for count in counts}
    gc.collect()
    gc.disable()
    try:
        for _ in range(REPEATS):
            for count in counts:
                began = time.thread_time()
                words = put_together(count)
                spent[count].append(time.thread_time() - began)
                assert len(words) == count * len(WORD)
    finally:
        gc.enable()
    return [min(spent[count]) for count in counts]


@pytest.mark.parametrize("put_together", [taken, shown, heard])
def test_eight_times_as_many_pieces_take_about_eight_times_as_long(put_together):
    """Joined piece by piece, they took sixty times as long and more."""
    few, many = least_times(put_together, (FEW, TIMES * FEW))
    assert many < 3 * TIMES * few


@pytest.mark.parametrize(
    "events",
    [
        [Text("a"), Text("b"), Text("ab!", whole=True), Text("c", 1), Text("d", 1)],
        [Text("a"), Text("x", 1), Text("b"), Text("", whole=True), Text("c")],
        [Text("a"), Artifact("1", "plotly", "t"), Text("b"), Text("c", whole=True), Text("d")],
    ],
)
def test_page_and_turn_put_the_same_words_together(events):
    answer = Answer()
    for event in events:
        answer.take(event)
    words = answer.text.replace("\n\n<!-- PLOTLY_CHART:1 -->\n\n", "")
    assert advance(Progress(), enumerate(events, start=1)).text == words == answer_text(events)
