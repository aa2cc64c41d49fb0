"""Text of logs, agents and users cannot command the page."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nasty_markdown import CASES

from instrumentgpt.handover import markdown
from instrumentgpt.ui import untrusted

JOINER = "\u2060"
URL = "http://192.0.2.1/x.png"
REFERENCE = MarkdownIt("gfm-like", {"html": True})  # HTML, images and all
LAYOUT = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "code", "pre", "ul", "ol", "li", "a"} | {
    *("blockquote", "table", "thead", "tbody", "tr", "th", "td", "hr", "br")
}
ATTRIBUTES = {
    "href": re.compile(r"https?://|mailto:|\?"),
    "title": re.compile(""),
    "class": re.compile(rf"language-({'|'.join(markdown.LANGUAGES)})$"),
    "style": re.compile(r"text-align:(left|right|center)$"),
    "start": re.compile(r"\d+$"),
}


class Harmless(HTMLParser):
    """A reader of HTML that fails at every tag and attribute but those of a text's own layout."""

    def handle_starttag(self, tag, attributes):
        assert tag in LAYOUT, tag
        for name, value in attributes:
            assert name in ATTRIBUTES and ATTRIBUTES[name].match(value or ""), (name, value)
            assert name != "href" or tag == "a"

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def assert_harmless(html: str) -> None:
    """Fail unless `html` is, to a parser of Markdown with HTML, one piece of it, and that of layout only."""
    tokens = REFERENCE.parse(html)
    assert [token.type for token in tokens] == (["html_block"] if html else [])
    assert all(token.content == html for token in tokens)
    assert ":material/" not in html
    reader = Harmless()
    reader.feed(html)
    reader.close()


FRAGMENTS = st.sampled_from(
    [
        *CASES.values(),
        *(
            "```",
            "~~~",
            "`",
            "``",
            "\n",
            "\n\n",
            "\r",
            "\r\n",
            "    ",
            "\t",
            "- ",
            "1. ",
            "> ",
            "# ",
            "| a |\n|-|\n",
        ),
        *(
            "![",
            "[",
            "](",
            ")",
            "]",
            "[r]: ",
            "<",
            ">",
            "<!--",
            "-->",
            "<div>",
            "<pre>",
            "</pre>",
            "<![CDATA[",
            "<?",
        ),
        *("\\", "&", "&#33;", "!", '"', "'", "mermaid", "math", "python", ":material/x:", "$", "$$", "{url}"),
        *(
            "\x00",
            "\u2028",
            "\u0085",
            "\x0b",
            "\x0c",
            "\ufeff",
            "溫度",
            "a",
            "?log=a&line=2",
            "javascript:x",
            "data:x",
        ),
    ]
)


@pytest.mark.parametrize("name", CASES)
def test_no_text_makes_the_page_load_anything(name):
    assert_harmless(markdown.html(CASES[name].format(url=URL)))


@given(st.lists(FRAGMENTS, max_size=12))
def test_no_mixture_of_texts_makes_the_page_load_anything(parts):
    assert_harmless(markdown.html("".join(parts).replace("{url}", URL)))


@given(st.text(alphabet="a1 `~$:[]!()<>&|\r\n*_\\/-#\"'=", max_size=60))
def test_no_letters_make_the_page_load_anything(text):
    assert_harmless(markdown.html(text))


@settings(max_examples=50)
@given(st.one_of(st.lists(FRAGMENTS, max_size=6).map("".join), st.text(max_size=40)))
def test_a_label_has_no_markup_at_all(text):
    label = untrusted.label(text, 1000)
    inline = [child for token in REFERENCE.parse(f"x {label}") for child in token.children or []]
    assert {child.type for child in inline} <= {"text", "text_special", "link_open", "link_close"}
    assert "\n" not in label


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "costs $3 and $4, ~5 s, :red[a], a -- b -> c",
            "<p>costs $3 and $4, ~5 s, :red[a], a -- b -&gt; c</p>",
        ),
        ("23:24:45.39 10.1.1.47:8080", "<p>23&#58;24:45.39 10.1.1.47:8080</p>"),
        ("a <b>bold</b>", "<p>a &lt;b&gt;bold&lt;/b&gt;</p>"),
        ("<!-- PLOTLY_CHART:x --> $5", "<p>&lt;!-- PLOTLY_CHART:x --&gt; $5</p>"),
        ("[x](src/pid.cpp) [y](javascript:x)", "<p>[x](src/pid.cpp) [y](javascript:x)</p>"),
        ("**bold** `kp=$x`", "<p><strong>bold</strong> <code>kp=$x</code></p>"),
        ("at http://10.1.1.47/x.", '<p>at <a href="http://10.1.1.47/x">http://10.1.1.47/x</a>.</p>'),
        ("before\n```\nstill $5", "<p>before</p>&#10;<pre><code>still $5</code></pre>"),
        ("```python\na\n\nb\n```", '<pre><code class="language-python">a&#10;&#10;b&#10;</code></pre>'),
        ("```mermaid\ngraph\n```", "<pre><code>graph&#10;</code></pre>"),
        ("# 溫度\n- 一\n- 二", "<h1>溫度</h1>&#10;<ul>&#10;<li>一</li>&#10;<li>二</li>&#10;</ul>"),
    ],
)
def test_text_formats_itself_and_keeps_its_letters(text, shown):
    assert markdown.html(text).removesuffix("&#10;") == shown


def test_a_table_is_a_table():
    html = markdown.html("| a | b |\n|:-|-:|\n| 1 | `x` |")
    assert html.count("<td") == 2 and "text-align:right" in html


def test_evidence_links_gain_the_conversation_and_lose_everything_else():
    html = unescape(markdown.html("[L 1](?log=a%20b.log&line=7&conv=other&x=1)", "mine"))
    assert 'href="?conv=mine&log=a%20b.log&line=7"' in html


@pytest.mark.parametrize(
    "link", ["?log=a&line=x", "?log=a&line=", "?log=&line=1", f"?log=a&line={'9' * 5000}"]
)
def test_an_evidence_link_that_names_nothing_opens_a_first_line_or_none(link):
    assert 'href="?log=' in markdown.html(f"[L]({link})")


@pytest.mark.parametrize("log", ["../../etc/passwd", "a b.log", "溫度.log", 'x"><script>', "a&line=9"])
def test_evidence_query_quotes_the_name_of_the_log(log):
    query = markdown.evidence_query(log, 3, "c")
    assert re.fullmatch(r"\?conv=c&log=[\w.%~-]+&line=3", query)


def test_a_label_is_one_short_line_without_any_formatting():
    label = untrusted.label("**why**\n:red[x] `y` <b> $z$ " + "w" * 100)
    shown = re.sub(r"\\([^\w\s])", r"\1", label).replace(JOINER, "")
    assert "\n" not in label and shown.startswith("**why** :red[x] `y` <b> $z$ www") and len(shown) == 60


def test_hostile_repetition_is_read_to_its_end():
    for piece in ("`", "```\n", "` a", "~~~ x\n", "![", "[a](", "|a|\n|-|\n", "> ", "*a_", "http://a.b/ "):
        assert_harmless(markdown.html(piece * 1_000))
