"""An answer of a hundred thousand pieces is put together in linear time, in the turn and on the page."""

import time

import pytest

from instrumentgpt.agents.events import Artifact, Text, answer_text
from instrumentgpt.turn import Answer
from instrumentgpt.ui.progress import Progress, advance

FEW, TIMES = 20_000, 8  # pieces, and how many times as many
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


def seconds(put_together, count):
    """The least CPU time of three: what else the machine does counts for nothing."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        assert len(put_together(count)) == count * len(WORD)
        spent.append(time.process_time() - began)
    return min(spent)


@pytest.mark.parametrize("put_together", [taken, shown, heard])
def test_eight_times_as_many_pieces_take_about_eight_times_as_long(put_together):
    """Joined piece by piece, they took sixty times as long and more."""
    assert seconds(put_together, TIMES * FEW) < 5 * TIMES * seconds(put_together, FEW)


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
