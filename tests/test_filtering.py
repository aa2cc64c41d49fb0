"""What leaves the history: markers, raw log lines, long code; and what stays, byte for byte."""

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from spent import pieces

from instrumentgpt.memory.filtering import RAW_LOG, cap, prose_lines
from memory import filter_content


def block(length: int, language: str = "") -> str:
    return f"```{language}\n{'x' * length}\n```"


@each(
    "text, left",
    [
        ("a<!-- PLOTLY_CHART:id1 -->b", "ab"),
        ("a <!-- ATTACHED_IMAGES:x,y --> b", "a  b"),
        ("a <!-- PLOTLY_CHART:x --> b <!-- PLOTLY_CHART:y --> c", "a  b  c"),
        ("a <!-- PLOTLY_CHART:x --><!-- ATTACHED_IMAGES:y --> c", "a  c"),
        ("a\n<!-- PLOTLY_CHART:{\n'x': 1\n} -->\nb", "a\n\nb"),
        ("<!-- PLOTLY_CHART:x -->", ""),
        ("answer\n<!-- PLOTLY_CHART:x -->", "answer"),
        ("a <!-- note --> b", "a <!-- note --> b"),
        ("a <!-- PLOTLY_CHART:never closed b", "a <!-- PLOTLY_CHART:never closed b"),
        ("<!-- PLOTLY_CHART:open. Prose. <!-- PLOTLY_CHART:x --> b", "<!-- PLOTLY_CHART:open. Prose.  b"),
    ],
)
def test_004_05_markers_leave_and_what_is_no_marker_stays(text, left):
    assert filter_content(text) == left


SHAPES = [  # an InstrumentDebug line of each message shape, as its format describes them
    "[2026-02-19 23:24:45] TEMP id=1 sp=37.000 pv=37.012 out=45.1",
    "[2026-02-19 23:24:45.391] [INFO] PID kp=0.09 ki=0.02 kd=0",
    "  [2026-02-19 23:24:45] indented",
    "[2026-02-19T23:24:45Z] iso",
    "> [2026-02-19 23:24:45] quoted",
    "18204: [2026-02-19 23:24:45] numbered",
    "L18204 [2026-02-19 23:24:45] numbered",
    "run.log:18204:[2026-02-19 23:24:45] grepped",
]


@each("line", SHAPES)
@each("count", [1, 2, 4, 5, 500])
def test_004_05_a_run_of_log_lines_of_any_length_becomes_one_mark(line, count):
    lines = "\n".join([line] * count)
    assert filter_content(f"See:\n{lines}\nSo it oscillates.") == f"See:\n{RAW_LOG}\nSo it oscillates."


def test_004_05_each_run_of_log_lines_has_its_own_mark():
    text = f"{SHAPES[0]}\nThen the door:\n{SHAPES[1]}\n{SHAPES[1]}"
    assert filter_content(text) == f"{RAW_LOG}\nThen the door:\n{RAW_LOG}"


def test_004_05_a_moment_named_in_a_sentence_is_no_log_line():
    text = "At [2026-02-19 23:24:45] the output saturates; 2026-02-19 23:24:50 it recovers."
    assert filter_content(text) == text


def test_004_05_a_mark_of_windows_lines_keeps_the_rest():
    assert filter_content(f"a\r\n{SHAPES[0]}\r\nb\r\n") == f"a\r\n{RAW_LOG}\nb"


@each("length, stays", [(0, True), (1999, True), (2000, True), (2001, False), (90000, False)])
def test_004_05_code_blocks_over_2000_characters_go(length, stays):
    text = f"before\n{block(length, 'json')}\nafter"
    left = filter_content(text)
    assert left == (text if stays else f"before\n[code block of {length} characters left out]\nafter")


def test_004_05_prose_between_two_long_blocks_stays_byte_for_byte():
    prose = "  The  **gain** is `kp` = 0.09;\tsee below.  "
    left = filter_content(f"{block(2600)}\n{prose}\n{block(2600)}\nend")
    assert f"\n{prose}\n" in left and left.count("left out") == 2


def test_004_05_prose_between_two_short_blocks_is_not_taken_for_a_long_one():
    text = f"{block(1500)}\n{'Prose. ' * 400}\n{block(1500)}"
    assert filter_content(text) == text


@each(
    "text",
    [
        "```python\n" + "x" * 2600 + "\nand never closed",
        "```python\nx = 1\nprose\n" * 300 + "Prose after.",
        "Use ```inline``` code " + "x" * 2600,
        "~~~\n" + "x" * 100 + "\n```\n" + "y" * 100 + "\n~~~",
    ],
)
def test_004_05_fences_that_do_not_close_take_nothing(text):
    assert filter_content(text) == text


def test_an_unclosed_block_does_not_swallow_the_next_one():
    text = f"```python\nx = 1\nProse that matters.\n{block(2600, 'json')}\nAfter."
    assert filter_content(text) == "```python\nx = 1\nProse that matters.\n" + (
        "[code block of 2600 characters left out]\nAfter."
    )


def test_a_longer_fence_holds_shorter_ones():
    text = f"````md\n```python\n{'x' * 2600}\n```\n````\nAfter."
    assert filter_content(text).endswith("left out]\nAfter.")


@given(st.text(alphabet="ab \n\t`~<!->#*[]0123:", max_size=200))
def test_filtering_twice_is_filtering_once(text):
    assert filter_content(filter_content(text)) == filter_content(text)


@given(st.lists(st.text(alphabet="ab \t,.溫度kp=0", max_size=40), max_size=12).map("\n".join))
def test_004_05_prose_comes_back_as_it_was(text):
    assert filter_content(text) == text


@pytest.mark.soak
@each(
    "text",
    [
        "<!-- PLOTLY_CHART:" * 60_000,
        "~" * 500_000 + " " * 500_000 + "`",
        "1:" * 500_000,
        ">" * 1_000_000,
        "```a\n" * 200_000,
        "\n" * 1_000_000,
    ],
)
def test_a_megabyte_of_trouble_is_filtered_in_linear_time(text):
    assert pieces(lambda: filter_content(text), repeats=1) < 1500  # up to 240; in quadratic time millions


def test_prose_leaves_out_code_logs_quotations_and_markers():
    text = f"Said.\n```\ncode\n```\n{SHAPES[0]}\n> quoted\n<!-- PLOTLY_CHART:x -->After."
    assert prose_lines(text) == ["Said.", "After."]


@pytest.mark.parametrize("length, out", [(3000, 3000), (3001, 3000 + len("\n[… 1 characters left out …]\n"))])
def test_004_06_a_long_text_keeps_its_two_ends(length, out):
    assert len(cap("x" * length)) == out
