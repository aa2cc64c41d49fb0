"""What of all that happened in a log is told beside an answer: what its words, numbers and times are of."""

import math

import pytest
from cases import each

from tests.offline_case import asked

LAST = ("其餘依時間先後發生的事", "What else happened, in order")


@pytest.fixture(scope="module")
def bath(tmp_path_factory):
    """A bath that dips at 09:30, as the lid is opened, with a pump that runs twice and lines that say so."""
    rows = ["time,setpoint,temperature,output,pump,remark"]
    for second in range(0, 7200, 5):
        since = max(0.0, second - 5400)
        dip = 8 * (since / 120) * math.exp(1 - since / 120)
        pump = int(600 <= second < 1200 or 3000 <= second < 4800)
        remark = {5400: "Lid opened by KL", 1800: "filter changed", 6900: "sample 7 taken"}.get(second, "")
        clock = f"2026-02-20 {8 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        rows.append(f"{clock},60,{60 - dip + second % 3 / 50:.2f},{40 + 4 * dip:.1f},{pump},{remark}")
    path = tmp_path_factory.mktemp("bath") / "bath.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@each(
    "question, told, untold",
    [
        ("why did it dip when the lid was opened, how low did it get?", "Lid opened by KL", "filter changed"),
        ("掉下去是因為開蓋嗎？最低到幾度？", "Lid opened by KL", "filter changed"),
        ("what was done around 08:30, was the mean still ok?", "filter changed", "sample 7"),
        ("how often did the pump run, and what was the highest temperature?", "30 min each", "sample 7"),
        ("lowest temperature?", "Lid opened by KL", "filter changed"),  # what was written as it was read
    ],
)
def test_what_bears_on_a_question_is_told_first_and_the_rest_last(question, told, untold, bath, tmp_path):
    text, _, rest = asked(question, tmp_path, attachments=(str(bath),)).text.rpartition(LAST[question < "z"])
    assert told in text + rest * (not text) and untold not in text, text


@each("question", ["what happened in this log?", "這份記錄發生了什麼事？"])
def test_who_asks_what_happened_gets_all_of_it_in_order(question, bath, tmp_path):
    text = asked(question, tmp_path, attachments=(str(bath),)).text
    places = [text.index(said) for said in ("filter changed", "Lid opened by KL", "sample 7 taken")]
    assert places == sorted(places)


@each(
    "question",
    ["mean and highest of each of a|b, c|d, lid and base?", "a|b、c|d、lid、base 的平均和最高是多少？"],
)
def test_figures_of_many_columns_are_a_table_that_no_head_breaks(question, tmp_path):
    rows = ["time,setpoint,temperature,output,a|b,c|d,lid,base"]
    rows += [f"{second},60,60,40,{second % 7},{second % 5},{second % 3},2" for second in range(0, 7200, 10)]
    path = tmp_path / "oven.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    text = asked(question, tmp_path, attachments=(str(path),)).text
    table = [line.replace(r"\|", "") for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 6 and {line.count("|") for line in table} == {4}


@each("question", ["lowest and highest of every column?", "所有欄位的最低和最高？"])
def test_every_column_is_one_of_the_loop_or_beside_it(question, bath, tmp_path):
    text = asked(question, tmp_path, attachments=(str(bath),)).text
    table = text[text.index("|") : text.rindex("|")]
    assert table.count("\n") >= 2 + 4 and "`pump`" in table, text


def test_a_limit_is_of_what_crosses_it_where_the_channels_are_of_several_quantities(tmp_path):
    rows = ["time;T set °C;T °C;RH set %RH;RH %RH"]
    rows += [f"{second};25;{25 + 5 * (second > 5000)};60;{60 + second % 3}" for second in range(0, 7200, 10)]
    path = tmp_path / "chamber.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    text = asked("how many minutes out of 25±2?", tmp_path, attachments=(str(path),)).text
    assert "outside 23 to 27 °C, 36 min in all" in text and "27 %RH" not in text, text
