"""What a run has shown so far, folded from its events: the page draws this, live and from history alike."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from instrumentgpt.agents.answer import paragraphs
from instrumentgpt.agents.events import Artifact, Done, Event, Failure, Session, Text, Thinking, Tick, Tool
from instrumentgpt.ui.language import say

THINKING_CHARACTERS = 8_000  # characters, the newest: all of it is in the run's events


@dataclass(frozen=True)
class Progress:
    """A run up to event `number`; `note` is the last sign of life, gone with the first word.

    steps_before  how many steps had begun when a segment was said
    asides        segments that were said on the way to the answer
    thinking  the agent's reasoning as far as it shares it, at most its last THINKING_CHARACTERS characters
    thought   how many characters of it there were
    """

    number: int = 0
    steps: dict[str, Tool] = field(default_factory=dict)  # call_id → call as it stands, as they began
    pieces: dict[int | str, str] = field(default_factory=dict)  # segment → text, artifact id → "", in order
    steps_before: dict[int, int] = field(default_factory=dict)  # segment → number
    asides: frozenset[int] = frozenset()
    session: Session | None = None
    note: str = ""
    thinking: str = ""
    thought: int = 0
    failure: Failure | None = None
    done: Done | None = None

    @property
    def text(self) -> str:
        """The words of the answer so far."""
        return paragraphs(text for _, text in self.answer())

    def answer(self) -> list[tuple[int | str, str]]:
        """Return the segments of the answer with their words, and the ids of artifacts, in order."""
        return [(key, text) for key, text in self.pieces.items() if key not in self.asides]

    @property
    def artifact_ids(self) -> list[str]:
        """The charts and files made so far, in order."""
        return [key for key in self.pieces if isinstance(key, str)]

    def timeline(self) -> list[Tool | Text]:
        """Return what was done and what was said on the way to the answer, in order."""
        entries: list[Tool | Text] = list(self.steps.values())
        segments = sorted(self.asides, key=lambda segment: (self.steps_before[segment], segment))
        for place, segment in enumerate(segments):
            entries.insert(self.steps_before[segment] + place, Text(str(self.pieces[segment]), segment))
        return entries

    def settled_steps(self) -> list[Tool | Text]:
        """Return what of the timeline will not change: the remarks, and the steps that have ended."""
        return [entry for entry in self.timeline() if isinstance(entry, Text) or entry.status != "started"]

    def denied(self) -> list[str]:
        """Return the names of the tools that the agent was not allowed to use, each once."""
        return list(dict.fromkeys(step.name for step in self.steps.values() if step.status == "denied"))

    def after_artifacts(self, count: int) -> str:
        """Return the words that follow the first `count` charts: what is still growing."""
        parts = self.answer()
        places = [place for place, (key, _) in enumerate(parts, start=1) if isinstance(key, str)]
        return paragraphs(text for _, text in parts[places[count - 1] if count else 0 :])


def advance(progress: Progress, numbered: Iterable[tuple[int, Event]]) -> Progress:
    """Return `progress` after the events with numbers above its own, in order; repeated ones are ignored.

    >>> advance(Progress(), [(1, Text("ha")), (2, Text("ha")), (2, Text("ha"))]).text
    'haha'
    """
    for number, event in _joined(numbered, progress.number):
        progress = replace(_after(progress, event), number=number)
    return progress


def _joined(numbered: Iterable[tuple[int, Event]], last: int) -> Iterator[tuple[int, Event]]:
    """Yield the events with numbers above `last`; pieces of one segment in a row are one Text.

    An answer is a hundred thousand pieces at times: joined one by one, they would be copied each time.
    """
    texts: list[Text] = []
    for number, event in numbered:
        if number <= last:
            continue
        if texts and not (isinstance(event, Text) and event.segment == texts[0].segment):
            yield last, _joined_text(texts)
            texts = []
        last = number
        if isinstance(event, Text):
            texts = [] if event.whole else texts
            texts.append(event)
        else:
            yield number, event
    if texts:
        yield last, _joined_text(texts)


def _joined_text(texts: Sequence[Text]) -> Text:
    return Text("".join(text.text for text in texts), texts[0].segment, texts[0].whole, texts[-1].aside)


def _after(progress: Progress, event: Event) -> Progress:
    match event:
        case Text():
            return _with_text(replace(progress, note=""), event)
        case Tool():
            return replace(progress, note="", steps={**progress.steps, event.call_id: _step(progress, event)})
        case Thinking():
            thinking = (progress.thinking + event.text)[-THINKING_CHARACTERS:]
            return replace(
                progress, note=say("Thinking"), thinking=thinking, thought=progress.thought + len(event.text)
            )
        case Artifact():
            return replace(progress, pieces={**progress.pieces, event.artifact_id: ""})
        case Session():
            return replace(progress, session=event)
        case Tick():
            return replace(progress, note=event.note)
        case Failure():
            return replace(progress, failure=event)
        case Done():
            return replace(progress, note="", done=event)


def _with_text(progress: Progress, event: Text) -> Progress:
    earlier = "" if event.whole else progress.pieces.get(event.segment, "")
    asides = progress.asides - {event.segment}
    return replace(
        progress,
        pieces={**progress.pieces, event.segment: earlier + event.text},
        steps_before={event.segment: len(progress.steps), **progress.steps_before},
        asides=asides | {event.segment} if event.aside else asides,
    )


def _step(progress: Progress, event: Tool) -> Tool:
    """A closing event may come without arguments (a rejected call does): those of its start stay."""
    begun = progress.steps.get(event.call_id, event)
    return replace(event, arguments=event.arguments or begun.arguments)
