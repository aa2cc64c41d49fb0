"""The layers of a prompt, found in its text: what was sent is kept as text, whoever put it together."""

import re

from instrumentgpt.memory.budget import Section
from instrumentgpt.memory.tokens import count_tokens
from instrumentgpt.memory.untrusted import SECTION_TAGS

REQUEST, WORDS = "request", "instructions"
_LAYER = re.compile(rf"^<(?P<tag>{'|'.join(SECTION_TAGS)})>.*?</(?P=tag)>$", re.MULTILINE | re.DOTALL)


def layers_of(prompt: str) -> tuple[Section, ...]:
    """Return the layers of `prompt` in order: the request, each tagged part, words between and after.

    No message can forge a tag (untrusted.py), so the parts are those that were put there.

    >>> [section.name for section in layers_of("why?\\n\\n<note>reuse</note>\\n\\nAnswer briefly.")]
    ['request', 'note', 'instructions']
    """
    layers: list[Section] = []
    end = 0
    for found in [*_LAYER.finditer(prompt), None]:
        words = prompt[end : found.start() if found else len(prompt)].strip("\n")
        if words:
            layers.append(Section(WORDS if layers else REQUEST, words, count_tokens(words)))
        if found:
            layers.append(Section(found["tag"], found.group(), count_tokens(found.group())))
            end = found.end()
    return tuple(layers)
