"""An answer as text for other programs: Markdown without markers, whose links lead back to the page."""

from collections.abc import Sequence

from instrumentgpt.handover.markdown import absolute
from instrumentgpt.storage.artifacts import Artifact
from instrumentgpt.storage.conversations import Message
from instrumentgpt.storage.markers import rendered_parts


def answer_text(
    message: Message, conversation_id: str, artifacts: Sequence[Artifact], address: str, notes: Sequence[str]
) -> str:
    """Return the answer as Markdown; what it made is a link to it on the page at `address`.

    artifacts  that the database links to `message`
    notes      what has to be known of the answer, below it: how it ended, what nobody computed
    """
    titles = {artifact.id: " ".join(artifact.title.split()).translate(_NO_BRACKETS) for artifact in artifacts}
    parts = [
        f"[{titles[part.artifact_id]}](?conv={conversation_id}&msg={message.id})"
        if part.artifact_id
        else part.text.strip("\n")
        for part in rendered_parts(message.content, titles)
    ]
    text = "\n\n".join([*parts, *(f"*{note}*" for note in notes)])
    return absolute(text, address, conversation_id) + "\n"


_NO_BRACKETS = str.maketrans("", "", "[]\\`")
