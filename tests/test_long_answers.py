"""An answer of a hundred thousand pieces is put together in linear time, in the turn and on the page."""

import pytest
from cases import each
from spent import least_times

from instrumentgpt.agents.answer import Answer, answer_text
from instrumentgpt.agents.events import Artifact, Text
from instrumentgpt.ui.progress import Progress, advance

FEW, TIMES = 5_000, 32  # pieces, and how many times as many
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


def of(put_together, count):
    """Return the work of putting together so many pieces."""

    def work():
        assert len(put_together(count)) == count * len(WORD)

    return work


@pytest.mark.soak
@pytest.mark.parametrize("put_together", [taken, shown, heard])
def test_many_times_as_many_pieces_take_about_as_many_times_as_long(put_together):
    """Joined piece by piece, 32 times as many took two thousand times as long."""
    few, many = least_times(of(put_together, FEW), of(put_together, TIMES * FEW))
    assert many < 8 * TIMES * few


@each(
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
    words = answer.text.replace("<!-- PLOTLY_CHART:1 -->", "").strip()
    assert advance(Progress(), enumerate(events, start=1)).text == words
    assert words == answer_text(event for event in events if isinstance(event, Text))
