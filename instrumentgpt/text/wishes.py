"""What a user lays down for the work to come: constraints, appointments, how things are to be done."""

import re

from instrumentgpt.text.asked import is_asked
from instrumentgpt.text.said.layout import own_lines
from instrumentgpt.text.summary import shorten

WISH_CHARS = 240  # of a sentence kept
LINE_CHARS = 1000
_SENTENCE = re.compile(  # many type without capitals: a word that begins a question begins a sentence
    r"(?<=[.!?;])\s+(?=[A-Z\"“(]|[^\x00-\x7f]"
    r"|(?:what|why|how|when|where|which|who|is|are|can|could|should|do|does|so|then)\b)|(?<=[。！？；])|\n"
)
_LAID_DOWN = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!\bthey )\b(?:do not|don['’]t|dont)\b"
    r"|\b(?:never|always|must(?:n't)?|only (?:use|report|show|touch|when|if|after|in)"
    r"|please (?:keep|use|avoid)"
    r"|from now on|make sure|avoid|unless|without my|not (?:before|after|until|allowed)"
    r"|no (?:restart|reboot|changes?)|(?:we|you) may not"
    r"|remember|note that|keep in mind|leave (?:it|the|this)|i (?:want|prefer|need)"
    r"|we (?:want|prefer|need|agreed)"
    r"|window|scheduled|deadline|appointment|ticket"
    r"|work order)\b"
    r"|不要|別再|别再|請勿|请勿|勿|務必|务必|必須|必须|一律|只能|只要|只用|以後|以后|今後|今后|記得|记得|記住|记住"
    r"|避免|禁止|不准|不得|不能|除非"
    r"|之前不|請用|请用"
    r"|統一|统一"
    r"|排定|排程|預定|预定|工單|工单|維護時間|维护时间|保養|保养|維修時段|维修时段|偏好|希望",
    re.I,
)


def wishes_in(text: str) -> list[str]:
    """Return the sentences of a user's `text` that lay something down, each shortened to one line.

    >>> wishes_in("Why does it swing? Do not restart 052 before Friday.")
    ['Do not restart 052 before Friday.']
    >>> wishes_in("I don't know.")
    []
    """
    found: dict[str, None] = {}
    for line in own_lines(text):
        for sentence in _SENTENCE.split(line[:LINE_CHARS]):
            told = " ".join(sentence.split())
            if told and _LAID_DOWN.search(told) and not is_asked(told):
                found[shorten(told, WISH_CHARS)] = None
    return list(found)
