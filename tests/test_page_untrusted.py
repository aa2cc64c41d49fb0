"""Text of logs, agents and users cannot command the page."""

import re

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from spent import pieces

from instrumentgpt.ui import untrusted

JOINER = "\u2060"


def shown(markdown: str) -> str:
    """Return what a reader copies from `markdown`: without its escapes."""
    return re.sub(r"\\([^\w\s])", r"\1", markdown).replace(JOINER, "")


@each(
    "text, forbidden",
    [
        ("costs $3 and $4", r"(?<!\\)\$"),
        ("about ~5 s, ~6 s", r"(?<!\\)~"),
        (":red[alarm]", r"(?<!\\):red\["),
        (":red-background[alarm]", r"(?<!\\):red"),
        ("<!-- PLOTLY_CHART:x --> $5", r"^<|(?<!\\)\$"),
        ("a <b>bold</b>", r"(?<!\\)<"),
        (":smile:", r":smile:"),
        (":+1:", r":\+1:"),
        ("12:100:3", r":100:"),
        (":material/home:", r":material/"),
        ("![x](http://192.0.2.1/x.png)", r"!\["),
        ("`a\n\n![x](http://192.0.2.1/x.png) `", r"!\["),
        ("``` \n![x](http://192.0.2.1/x.png)\n```` x\n![y](z)", r"^$"),
    ],
)
def test_extensions_of_the_page_lose_their_meaning_in_prose_but_not_their_letters(text, forbidden):
    safe = untrusted.markdown(text)
    assert not re.search(forbidden, safe)
    assert shown(safe) == text


@each(
    "text",
    [
        "`kp=$x ~5 :red[a]`",
        "```\n[2026-02-19 23:24:45] :red[x] $5 ~6\n```",
        "~~~text\n![x](y) $5\n~~~",
        "``a ` $b``",
        "before\n```\nstill streaming $5",
    ],
)
def test_code_stays_byte_for_byte(text):
    assert untrusted.markdown(text) == text


@each("text", ["23:24:45.39", "10.1.1.47:8080", "kp: 0.5", "**bold** and [a](http://b)", "- one\n- two"])
def test_ordinary_text_stays_byte_for_byte(text):
    assert untrusted.markdown(text) == text


def test_a_mermaid_fence_is_plain_text():
    assert untrusted.markdown("```mermaid\ngraph TD\n```") == "```text\ngraph TD\n```"


def test_evidence_links_gain_the_conversation_and_lose_everything_else():
    link = "[L 1](?log=a%20b.log&line=7&conv=other&x=<b>)"
    assert untrusted.markdown(link, "mine") == "[L 1](?conv=mine&log=a%20b.log&line=7)"


def test_an_evidence_link_without_a_number_opens_the_first_line():
    assert untrusted.markdown("[L](?log=a&line=x)") == "[L](?log=a&line=1)"


@each("log", ["../../etc/passwd", "a b.log", "溫度.log", 'x"><script>', "a&line=9"])
def test_evidence_query_quotes_the_name_of_the_log(log):
    query = untrusted.evidence_query(log, 3, "c")
    assert re.fullmatch(r"\?conv=c&log=[\w.%~-]+&line=3", query)


def test_a_label_is_one_short_line_without_any_formatting():
    label = untrusted.label("**why**\n:red[x] `y` <b> $z$ " + "w" * 100)
    assert "\n" not in label
    assert shown(label).startswith("**why** :red[x] `y` <b> $z$ www")
    assert len(shown(label)) == 60


@given(st.text(alphabet="a1 `~$:[]!()\n*_\\/-", max_size=60))
def test_no_letter_is_ever_lost(text):
    assert shown(untrusted.markdown(text)) == shown(text) or "?log=" in text


@pytest.mark.soak
@each("piece", ["`", "```\n", "` a", "~~~ x\n", ":a", "!["])
def test_hostile_repetition_stays_fast(piece):
    assert pieces(lambda: untrusted.markdown(piece * 5_000)) < 60
