"""Markers in a stored answer: where its charts and images stand, named by id and never by path.

A marker is only a place. What may stand there is what the database links to that very message;
any other marker, in whosever text, is text.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

_MARKER = re.compile(r"<!--\s*(?:PLOTLY_CHART|ATTACHED_IMAGES)\s*:\s*([0-9A-Za-z_-]{1,64})\s*-->")
_NAMES = {"plotly": "PLOTLY_CHART"}


@dataclass(frozen=True)
class Part:
    """A stretch of a message: `text`, or, where `artifact_id` is not "", a chart, image or file."""

    text: str = ""
    artifact_id: str = ""


def marker(kind: str, artifact_id: str) -> str:
    """Return the marker of an artifact.

    >>> marker("plotly", "3f2a")
    '<!-- PLOTLY_CHART:3f2a -->'
    """
    return f"<!-- {_NAMES.get(kind, 'ATTACHED_IMAGES')}:{artifact_id} -->"


def rendered_parts(content: str, artifact_ids: Collection[str]) -> list[Part]:
    """Return `content` as text and artifacts, in order.

    artifact_ids  those that the database links to this message: `db.list_artifacts(database, message.id)`

    Markers of other artifacts stay text; artifacts without a marker come last; each comes once.

    >>> rendered_parts("see <!-- PLOTLY_CHART:a --> <!-- PLOTLY_CHART:x -->", ["a", "b"])
    [Part(text='see ', artifact_id=''), Part(text='', artifact_id='a'),
     Part(text=' <!-- PLOTLY_CHART:x -->', artifact_id=''), Part(text='', artifact_id='b')]
    """
    parts: list[Part] = []
    waiting, end = dict.fromkeys(artifact_ids), 0
    for match in _MARKER.finditer(content):
        if match[1] in waiting:
            parts += [Part(content[end : match.start()]), Part(artifact_id=match[1])]
            del waiting[match[1]]
            end = match.end()
    parts.append(Part(content[end:]))
    return [part for part in parts if part.artifact_id or part.text.strip()] + [
        Part(artifact_id=artifact_id) for artifact_id in waiting
    ]
