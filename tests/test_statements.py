"""Which statements are found in an answer, in both languages, and which must not be."""

import pytest
from cases import SHARE, each, rated
from spent import pieces

from instrumentgpt.memory.reading.statements import log_names, same, statements

LOG_LINE = "[2026-02-19 23:24:45] "


def stated(text: str) -> list[tuple[str, str]]:
    """Return what is stated to be so; what is ruled out has its own test."""
    return [(row.kind, row.text) for row in statements(text) if row.kind != "ruled_out"]


@rated("statements")
def test_root_causes_are_found_as_they_are_written(text, cause):
    assert stated(text) == [("root_cause", cause)]


@rated("statements")
def test_hypotheses_are_found_as_they_are_written(text, hypothesis):
    assert stated(text) == [("hypothesis", hypothesis)]


@rated("statements")
def test_findings_are_found_bold_or_not(text, findings):
    assert stated(text) == [("finding", finding) for finding in findings]


@rated("statements")
def test_what_is_denied_is_not_stated(text):
    assert stated(text) == []


@rated("statements")
def test_what_is_ruled_out_is_told_apart(text, out):
    assert [row.text for row in statements(text) if row.kind == "ruled_out"] == out


@rated("statements")
def test_what_is_asked_or_supposed_is_not_stated(text):
    assert stated(text) == []


@each(
    "text",
    [
        '"Root cause: x" says the log.',
        "“Root cause: the fan” is what the operator wrote.",
        "Root cause: “the fan”, as the operator wrote",
        "> Root cause: the fan",
        "```\nRoot cause: the fan\n```",
        "~~~text\n根因：風扇\n~~~",
        f"{LOG_LINE}Root cause: the fan",
        f"{LOG_LINE}ERROR 根因：風扇",
        "The operator wrote: Root cause: the fan",
    ],
    SHARE,
)
def test_what_is_quoted_or_stands_in_code_or_logs_is_not_stated(text):
    assert stated(text) == []


@rated("statements")
def test_advice_and_plain_prose_state_nothing(text):
    assert stated(text) == []


@rated("statements")
def test_what_a_sentence_rules_out_is_found_with_its_reason(text, out):
    assert [(row.kind, row.text, row.sentence) for row in statements(text)] == [("ruled_out", out, text)]


@rated("statements")
def test_what_is_not_or_not_yet_so_is_neither_out_nor_a_cause(text):
    assert [row for row in statements(text) if row.kind in ("ruled_out", "root_cause")] == []


def test_one_paragraph_follows_a_heading_of_a_cause_and_no_more():
    assert stated("## Root cause\nThe relay is welded.\nIt was bought in 2019.") == [
        ("root_cause", "The relay is welded")
    ]


def test_a_statement_made_twice_is_found_once():
    assert stated("Root cause: Relay welded.\n\n**Root cause**: relay welded") == [
        ("root_cause", "Relay welded")
    ]


def test_a_statement_is_a_sentence_and_not_a_page():
    assert len(stated("Finding: " + "word " * 300)[0][1]) <= 300


@each("one, other", [("Relay welded.", "relay  welded"), ("ＫＰ＝1", "kp=1"), ("溫度 波動", "溫度波動")])
def test_texts_that_differ_in_dress_only_are_the_same(one, other):
    assert same(one) == same(other)


@rated("statements")
def test_004_11_log_names_are_found_in_the_order_of_their_last_mention(text, names):
    assert log_names(text) == names


@pytest.mark.soak
@each(
    "text",
    [
        "a." * 300_000,
        "the " * 150_000,
        "The root cause of " * 30_000,
        "根因" * 200_000,
        "- " * 300_000,
        "*" * 500_000,
    ]
    + ["the x is " * 200 + "\n" for _ in range(1)],
    SHARE,
)
def test_half_a_megabyte_of_trouble_is_read_in_time(text):
    assert pieces(lambda: (statements(text), log_names(text))) < 130


def test_what_is_ruled_out_is_kept_in_the_words_that_said_so():
    [row] = statements("已排除：\n- 不是致動器：輸出擺幅 ±50 %")
    assert row.sentence == "不是致動器：輸出擺幅 ±50 %"
