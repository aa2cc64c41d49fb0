"""Markdown of logs, agents and users as HTML that loads nothing, runs nothing and commands no page.

Markdown is read here, by a CommonMark parser that knows neither HTML nor images, and handed over as one line
of HTML in which all that the text says is escaped. The page's own parser, whose idea of code, tables or links
may be another, has nothing left to decide: to it such a line is HTML from end to end (CommonMark 0.31, 4.6).
"""

import re
from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlencode

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from instrumentgpt.memory.filtering import rendered_parts
from instrumentgpt.storage.artifacts import Artifact
from instrumentgpt.storage.conversations import Message

LINKS = ("http://", "https://", "mailto:", "?")  # a path of a file leads nowhere in a browser
LANGUAGES = {
    "bash", "c", "cpp", "csv", "diff", "html", "ini", "json", "python", "sh", "sql", "toml", "xml", "yaml"
}  # fmt: skip
LINE_DIGITS = 12  # no log has more lines
CACHED = 512  # texts, as HTML: a page is drawn over and over
# A colon that the page would take for an icon's, or as in 06:48:31 for an emoji's (260 kB to load).
_ICON_COLON = re.compile(r":(?=material/|[\w+-]+:)")
MISSING = "text-decoration: underline dotted"
_FIRST_SIGN, _LAST_SIGN = 0xF0000, 0x10FFFD  # for private use: no text of a log or an agent has them
_SIGNS = re.compile("[\U000f0000-\U0010ffff]")
_MARKED = re.compile("([\U000f0000-\U000ffffd])([^\U000f0000-\U0010ffff]*)\U0010fffd")
_LINE = re.compile(r"\]\(\?log=([^)\s&]+)&line=(\d{1,12})\)")
_BOLD = re.compile(r"\*\*(?=\S)((?:[^*\n]|\*(?!\*))+?)([。，、；：！？]{0,3})\*\*")  # 「。**字」 ends none
_RELATIVE = re.compile(r"\]\((\?(?:log|conv)=[^)\s]*)\)")


class Note(NamedTuple):
    """What is told of a place in a text: in a tooltip, by its look, and where a click leads."""

    title: str
    style: str = ""
    query: str = ""


def marked(text: str, places: Sequence[tuple[int, int]]) -> str:
    """Return `text` with a sign of ours at both ends of each place, numbered, for `html` to find in it.

    Text that has characters of that kind already stays as it is: nobody can bring signs along.
    """
    if _SIGNS.search(text) or len(places) > _LAST_SIGN - _FIRST_SIGN:
        return text
    for number, (start, end) in reversed(list(enumerate(places))):
        text = f"{text[:start]}{chr(_FIRST_SIGN + number)}{text[start:end]}{chr(_LAST_SIGN)}{text[end:]}"
    return text


@lru_cache(CACHED)
def html(text: str, conversation_id: str = "", notes: tuple[Note, ...] = ()) -> str:
    """Return Markdown as one line of HTML that loads nothing; evidence links gain the conversation.

    notes  what is told at the places of a text that was `marked`, in their order

    >>> html("costs **$3**, ![x](http://192.0.2.1/x.png)")
    '<p>costs <strong>$3</strong>, !<a href="http://192.0.2.1/x.png">x</a></p>&#10;'
    >>> html("**先斷電。**再查，**感測器**正常，**加熱器**壞了")
    '<p><strong>先斷電</strong>。再查，<strong>感測器</strong>正常，<strong>加熱器</strong>壞了</p>&#10;'
    >>> html("see [L 18](?log=a.log&line=18)", "c1")
    '<p>see <a href="?conv=c1&amp;log=a.log&amp;line=18">L 18</a></p>&#10;'
    >>> html(marked("at <37 °C", [(4, 6)]), notes=(Note("from you"),))
    '<p>at &lt;<span title="from you">37</span> °C</p>&#10;'
    """
    with _TURN:  # its finder of addresses keeps what it found; the page's sessions are threads
        environment = {"conversation": conversation_id, "notes": notes}
        line: str = _PARSER.render(_BOLD.sub(r"**\1**\2", text), environment).replace("\n", "&#10;")
    return _ICON_COLON.sub("&#58;", _SIGNS.sub("", line) if notes else line)


def evidence_query(log: str, line: int, conversation_id: str = "") -> str:
    """Return the part of an address that opens `log` at `line`: `?conv=…&log=…&line=…`."""
    conversation = {"conv": conversation_id} if conversation_id else {}
    return "?" + urlencode({**conversation, "log": log, "line": line}, quote_via=quote)


def lines_linked(text: str) -> list[tuple[str, int]]:
    """Return the logs and lines that Markdown links as evidence, each once, in order.

    >>> lines_linked("[L 18](?log=zspr%20052/a.log&line=18), again [L 18](?log=zspr%20052/a.log&line=18)")
    [('zspr 052/a.log', 18)]
    """
    return list(dict.fromkeys((unquote(log), int(line)) for log, line in _LINE.findall(text)))


def absolute(text: str, address: str, conversation_id: str = "") -> str:
    """Return Markdown whose links to log lines and conversations open the page at `address` from anywhere.

    conversation_id  of which the logs are; "": a device's, on the page of logs

    >>> absolute("see [L 18](?log=a.log&line=18)", "http://127.0.0.1:8501/", "c1")
    'see [L 18](http://127.0.0.1:8501/?conv=c1&log=a.log&line=18)'
    """

    def with_address(link: re.Match[str]) -> str:
        query = link[1]
        if query.startswith("?log="):
            query = _with_conversation(query[1:], conversation_id) if conversation_id else _on_logs(query[1:])
        return f"]({address}{query})"

    return _RELATIVE.sub(with_address, text)


Tokens = Sequence[Token]
Environment = MutableMapping[str, Any]  # what `html` gives to the rules of the parser


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True})
    parser.enable(["table", "linkify"]).disable("image")
    assert parser.linkify
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    parser.validateLink = lambda url: url.casefold().startswith(LINKS)  # type: ignore[method-assign]
    parser.add_render_rule("link_open", _link)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("text", _text)
    parser.add_render_rule("code_inline", _text)
    return parser


def _link(renderer: RendererHTML, tokens: Tokens, index: int, options: Any, environment: Environment) -> str:
    address = str(tokens[index].attrs["href"])
    if not address:  # "[x]()" would open the page itself
        del tokens[index].attrs["href"]
    elif address.startswith("?log="):
        tokens[index].attrs["href"] = _with_conversation(address[1:], environment["conversation"])
    return renderer.renderToken(tokens, index, options, environment)


def _text(renderer: RendererHTML, tokens: Tokens, index: int, options: Any, environment: Environment) -> str:
    token = tokens[index]
    is_code = token.type == "code_inline"
    text = renderer.code_inline(tokens, index, options, environment) if is_code else escapeHtml(token.content)
    if not environment["notes"]:
        return text
    open_links = sum(earlier.nesting for earlier in tokens[:index] if earlier.type.startswith("link_"))

    def with_note(place: re.Match[str]) -> str:
        note = environment["notes"][ord(place[1]) - _FIRST_SIGN]
        style = f' style="{note.style}"' if note.style else ""
        title = escapeHtml(note.title)
        if not note.query or open_links:
            return f'<span title="{title}"{style}>{place[2]}</span>'
        return f'<a href="{escapeHtml(note.query)}" title="{title}"{style}>{place[2]}</a>'

    return _MARKED.sub(with_note, text)


def _fence(renderer: RendererHTML, tokens: Tokens, index: int, options: Any, environment: Environment) -> str:
    language = tokens[index].info.strip().casefold()
    tokens[index].info = language if language in LANGUAGES else ""
    return renderer.fence(tokens, index, options, environment)


def _on_logs(query: str) -> str:
    """Return where the page of logs opens the line that an evidence link names."""
    values = parse_qs(query)
    device, _, log = values.get("log", [""])[0].rpartition("/")
    parameters = {"device": device, "log": log, "line": values.get("line", [""])[0][:LINE_DIGITS]}
    return f"logs?{urlencode({name: value for name, value in parameters.items() if value}, quote_via=quote)}"


def _with_conversation(query: str, conversation_id: str) -> str:
    values = parse_qs(query)
    log, line = values.get("log", [""])[0], values.get("line", [""])[0][:LINE_DIGITS]
    return evidence_query(log, int(line) if line.isdecimal() else 1, conversation_id)


_PARSER, _TURN = _parser(), Lock()


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
