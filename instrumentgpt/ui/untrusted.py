"""Text of logs, agents and users, made safe to show: it may format itself, never command the page.

Streamlit shows raw HTML as text already.
What is left are its own extensions (`$…$`, `~…~`, `:red[…]`, `:smile:`, `:material/…:`), which mangle numbers
and times of a log, and images, which would make the reader's browser call an address that the text chose.
"""

import re
from urllib.parse import parse_qs, quote, urlencode

_CODE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?\n)?? {0,3}(?P=fence)[`~]*[ \t]*$"
    r"|^ {0,3}(?:`{3,}|~{3,})[^\n]*(?:\n.*)?\Z"
    r"|(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n)[^`]|(?!(?P=ticks)(?!`))`)+(?P=ticks)(?!`)",
    re.DOTALL | re.MULTILINE,
)
_MERMAID = re.compile(r"\A(\s*[`~]{3,}[ \t]*)mermaid\b", re.IGNORECASE)
_DIRECTIVE = re.compile(r"(?<!\\):(?=[A-Za-z][\w-]*\[)")
_SHORTCODE = re.compile(r"(?<!\\):(?=(?:[+-]1|[A-Za-z][\w+-]*|\d{3,4}|material/\w+):)")
_EVIDENCE = re.compile(r"\]\(\?(?P<query>log=[^\s()]+)\)")
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])")
_JOINER = "\u2060"  # word joiner: invisible, and no part of any syntax


def markdown(text: str, conversation_id: str = "") -> str:
    """Return an answer as Markdown that formats only itself; evidence links gain the conversation.

    >>> print(markdown("costs $3 and ~5, `$x` stays"))
    costs \\$3 and \\~5, `$x` stays
    >>> print(markdown("see [L 18](?log=a.log&line=18)", "c1"))
    see [L 18](?conv=c1&log=a.log&line=18)
    """
    pieces: list[str] = []
    end = 0
    for code in _CODE.finditer(text):
        pieces += [_prose(text[end : code.start()], conversation_id), _code(code.group())]
        end = code.end()
    return "".join([*pieces, _prose(text[end:], conversation_id)])


def label(text: str, limit: int = 60) -> str:
    """Return `text` for a button, badge or heading: one line, at most `limit` characters, nothing formatted.

    >>> print(label("**bold** :red[x]"))
    \\*\\*bold\\*\\* \\:red\\[x\\]
    """
    line = " ".join(text.split())
    line = line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
    return _MARKUP.sub(r"\\\1", _SHORTCODE.sub(f":{_JOINER}", line))


def evidence_query(log: str, line: int, conversation_id: str = "") -> str:
    """Return the part of an address that opens `log` at `line`: `?conv=…&log=…&line=…`."""
    conversation = {"conv": conversation_id} if conversation_id else {}
    return "?" + urlencode({**conversation, "log": log, "line": line}, quote_via=quote)


def _prose(text: str, conversation_id: str) -> str:
    text = text.replace("![", f"!{_JOINER}[")
    text = re.sub(r"(?<!\\)([$~]|<(?=[!/?A-Za-z]))", r"\\\1", text)  # an HTML block would show the escapes
    text = _SHORTCODE.sub(rf"\:{_JOINER}", _DIRECTIVE.sub(r"\:", text))
    return _EVIDENCE.sub(lambda link: f"]({_with_conversation(link['query'], conversation_id)})", text)


def _with_conversation(query: str, conversation_id: str) -> str:
    given = parse_qs(query)
    line = given.get("line", [""])[0]
    return evidence_query(given["log"][0], int(line) if line.isdecimal() else 1, conversation_id)


def _code(text: str) -> str:
    if not text.lstrip().startswith(("```", "~~~")):
        return text.replace("![", f"!{_JOINER}[")
    return _MERMAID.sub(r"\1text", text)
