"""The answer of a turn as it grows, with a marker where a chart was made."""

from dataclasses import dataclass, field

from instrumentgpt.agents.events import Artifact, Event, Text
from instrumentgpt.text.markers import marker


@dataclass
class Answer:
    """Segments of text in the order in which they began, and between them the artifacts."""

    pieces: dict[int | str, list[str]] = field(default_factory=dict)  # segment, or artifact id → its words

    def take(self, event: Event) -> None:
        """Take in what `event` adds: words, or the place of an artifact; other events add nothing."""
        if isinstance(event, Text):
            said = self.pieces.setdefault(event.segment, [])
            if event.whole:
                said.clear()
            said.append(event.text)
        elif isinstance(event, Artifact):
            self.pieces[event.artifact_id] = [f"\n\n{marker(event.kind, event.artifact_id)}\n\n"]

    @property
    def text(self) -> str:
        """The answer as it is stored.

        >>> answer = Answer()
        >>> for event in (Text("Look:", whole=True), Artifact("a1", "plotly", "pv"), Text("It swings.", 1)):
        ...     answer.take(event)
        >>> answer.text
        'Look:\\n\\n<!-- PLOTLY_CHART:a1 -->\\n\\nIt swings.'
        """
        return "".join("".join(said) for said in self.pieces.values())
