"""The words of an answer as they are put together from events: each segment a paragraph, charts between."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from instrumentgpt.agents.events import Artifact, Event, Text
from instrumentgpt.memory.filtering import marker


@dataclass
class Answer:
    """Segments of text in the order in which they began, and between them the artifacts.

    asides  segments that were said on the way, before a call: they stand with the steps, not in the answer
    """

    pieces: dict[int | str, list[str]] = field(default_factory=dict)  # segment, or artifact id → its words
    asides: set[int] = field(default_factory=set)

    def take(self, event: Event) -> None:
        """Take in what `event` adds: words, or the place of an artifact; other events add nothing."""
        if isinstance(event, Text):
            texts = self.pieces.setdefault(event.segment, [])
            if event.whole:
                texts.clear()
            texts.append(event.text)
            (self.asides.add if event.aside else self.asides.discard)(event.segment)
        elif isinstance(event, Artifact):
            self.pieces[event.artifact_id] = [marker(event.kind, event.artifact_id)]

    def words(self, segment: int | str) -> str:
        """Return what was said in a segment, "" if nothing was."""
        return "".join(self.pieces.get(segment, ()))

    @property
    def text(self) -> str:
        """The answer as it is stored.

        >>> answer = Answer()
        >>> said = (Text("Look:"), Artifact("a1", "plotly", "pv"), Text("It swings.", 1), Text("A lot.", 2))
        >>> for event in said:
        ...     answer.take(event)
        >>> answer.text
        'Look:\\n\\n<!-- PLOTLY_CHART:a1 -->\\n\\nIt swings.\\n\\nA lot.'
        """
        return paragraphs(self.words(key) for key in self.pieces if key not in self.asides)


def answer_text(events: Iterable[Event]) -> str:
    """Return the answer that `events` tell so far.

    >>> answer_text([Text("I look."), Text("", aside=True), Text("ha", 1), Text("haha!", 1, whole=True)])
    'haha!'
    """
    answer = Answer()
    for event in events:
        answer.take(event)
    return answer.text


def paragraphs(parts: Iterable[str]) -> str:
    """Return `parts` as one text in which each is a paragraph of its own; those without words are left out.

    >>> paragraphs(["I look first.", " ", "## Result\\n", "- 37.0"])
    'I look first.\\n\\n## Result\\n\\n- 37.0'
    """
    texts = [part for part in parts if part.strip()]
    if len(texts) < 2:
        return "".join(texts)
    first, *between, last = texts
    return "\n\n".join((first.rstrip(), *(part.strip("\n").rstrip() for part in between), last.lstrip("\n")))
