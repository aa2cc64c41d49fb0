"""What is told without a question is noted, and what was laid down answers whether it may be done."""

import pytest
from cases import each
from offline_case import asked

STATE = {"device_name": "zspr 052", "device_ip": "10.1.1.47"}
STATED = ({"device": "zspr 052", "channel": "2", "parameter": "kp", "value": "8.5", "unit": "", "turn": 3},)
HELD = ("do not restart Tallinn before Friday",)


@each(
    "told, kept",
    [
        ("no, kp of channel 2 is 8.2", ["`kp` (channel 2): `8.2`"]),
        ("不對，通道 2 的 kp 是 8.2", ["`kp`（通道 2）: `8.2`"]),
        ("we raised kp of channel 2 to 8.2", ["`kp` (channel 2): `8.2`"]),
        ("通道 2 的 kp 已改成 8.2", ["`kp`（通道 2）: `8.2`"]),
        ("我把 kp 改成 8.2 了", ["`kp`: `8.2`"]),
        (
            "it is not the heater, we swapped it yesterday",
            ["`it is not the heater, we swapped it yesterday`"],
        ),
        ("不是加熱器的問題，昨天剛換過", ["`不是加熱器的問題，昨天剛換過`"]),
        ("we ruled out the sensor", ["`we ruled out the sensor`"]),
        ("the lid seal was replaced on Monday", ["`the lid seal was replaced on Monday`"]),
        ("昨天清過爐膛", ["`昨天清過爐膛`"]),
        ("we call 052 Tallinn", ["zspr 052 is called `Tallinn`"]),
        (
            "052 我們叫北極，053 叫做「大熊」",
            ["這個對話", "zspr 052 叫做 `北極`", "zspr 053 叫做 `大熊`"],
        ),
    ],
)
def test_what_is_told_is_noted_and_no_log_is_read(tmp_path, told, kept):
    answer = asked(told, tmp_path, state=STATE, stated=STATED)
    assert answer.tools == () and ("Noted" in answer.text or "已記下" in answer.text)
    assert all(point in answer.text for point in kept)


@each(
    "told",
    [
        "052: we changed the setpoint of channel 2, but the temperature does not move",
        "052 第二通道改了設定值，溫度卻沒有動",
        "channel 2 of 052 gets colder, what happened? mean output?",
        "052 通道 2 輸出平均多少？為什麼降不下來？",
    ],
)
def test_what_is_complained_of_is_diagnosed_whatever_else_was_told_or_asked(tmp_path, told):
    answer = asked(told, tmp_path)
    assert "diagnose_log" in answer.tools and "zspr 052" in answer.text


@each(
    "words",
    [
        "it is not stable",
        "溫度不是很穩",
        "what is ruled out?",
        "排除了哪些可能",
        "把 kp 改成 8.2",
        "write me a poem",
        "we call 052 Tallinn. What is wrong with Tallinn?",
    ],
)
def test_complaints_questions_and_orders_are_not_noted(tmp_path, words):
    text = asked(words, tmp_path, state=STATE, stated=STATED).text
    assert "Noted" not in text and "已記下" not in text


@pytest.mark.parametrize(
    ("question", "said"), [("can I restart it today?", "You laid down"), ("現在可以重啟嗎？", "您規定過")]
)
def test_whether_something_may_be_done_is_answered_by_what_was_laid_down(tmp_path, question, said):
    answer = asked(question, tmp_path, state=STATE, constraints=HELD)
    assert (
        answer.tools == () and said in answer.text and "`do not restart Tallinn before Friday`" in answer.text
    )


@each(
    "told, says",
    [
        ("On 052 the fuse of channel 2 is rated 6.3 A.", "Noted"),
        ("水盤我看了，還有七分滿", "已記下"),
        ("zspr 052 swings since the morning, by two degrees", ""),
        ("052 溫度", ""),
        ("current temperature of zspr 052", ""),
    ],
)
def test_a_statement_is_noted_before_the_diagnosis_and_a_trouble_or_a_word_is_none(tmp_path, told, says):
    answer = asked(told, tmp_path, state=STATE)
    assert {"diagnose_log", "channel_metrics", "column_figures"} & {*answer.tools}
    is_noted = answer.text.startswith(("Noted", "已記下"))
    assert is_noted == bool(says) and answer.text.startswith(says)


@each(
    "told",
    [
        "the serial of the new probe is TC-4471, since Nov 24",
        "新的探棒是 TC-4471 號，11 月 24 日換上的",
        "門封條是阿明上週換的",
    ],
)
def test_a_statement_in_a_conversation_is_noted_and_no_verdict_is_said_again(tmp_path, told):
    before = {"turn": 1, "role": "assistant", "text": "zspr 052 is healthy."}
    answer = asked(told, tmp_path, state=STATE, messages=(before,))
    assert answer.tools == () and f"`{told}`" in answer.text


def test_whether_a_gain_may_be_raised_is_answered_first_by_the_ban_on_it(tmp_path):
    text = asked("may I raise ki of zspr 052?", tmp_path, constraints=("never raise ki on 052",)).text
    assert text.startswith("No: ") and text.count("never raise ki on 052") == 1


@each("question", ["may I lower kp of zspr 053?", "zspr 053 的 kp 可以調低嗎？"])
def test_a_ban_on_the_other_way_is_told_and_is_no_answer(tmp_path, question):
    text = asked(question, tmp_path, constraints=("never raise kp on 053",)).text
    assert not text.startswith(("No: **You", "否：**您")) and text.count("never raise kp on 053") == 1


def test_what_was_said_of_another_device_is_no_answer(tmp_path):
    said = {
        "turn": 1,
        "role": "user",
        "text": "the fuse of channel 2 is rated 6.3 A",
        "devices": ["zspr 052"],
    }
    assert (
        "6.3 A"
        not in asked("what is the fuse of channel 2 of zspr 053 rated?", tmp_path, messages=(said,)).text
    )


@each(
    "question, earlier",
    [
        (
            "what is the fuse of channel 2 of 052 rated?",
            ["the fuse of channel 2 is rated 6.3 A", "sorry, it is 10 A"],
        ),
        ("052 第二通道的保險絲是幾安培？", ["第二通道的保險絲是 6.3 安培", "抱歉，是 10 安培"]),
        ("who did the door seal of 052?", ["Maria did the door seal last week", "no, it was Ben"]),
        ("探棒是什麼時候換的？", ["週二換了第二通道的探棒", "說錯了，是週三"]),
        ("what was the serial number of the probe?", ["serial of the probe: PT-4471", "sorry, PT-4417"]),
    ],
)
def test_what_no_log_holds_is_answered_by_what_was_said_of_it_and_its_correction(tmp_path, question, earlier):
    rows = [{"turn": turn, "role": "user", "text": text} for turn, text in enumerate(earlier, start=1)]
    text = asked(question, tmp_path, state=STATE, messages=(*rows,)).text
    assert all(f"`{said}`" in text for said in earlier)
    assert text.startswith("**") and text.index(earlier[0]) < text.index(earlier[1])


@each(
    "question",
    [
        "which limits did I give you?",
        "any limits left?",
        "052 現在還有什麼限制？",
        "what is the setpoint of Tallinn, 052?",
    ],
)
def test_what_was_laid_down_is_told_where_it_bears_on_the_question(tmp_path, question):
    laid_down = ("never change the setpoint of Tallinn",)
    text = asked(question, tmp_path, state=STATE, constraints=laid_down).text
    assert f"`{laid_down[0]}`" in text


def test_a_ban_that_says_why_is_noted_and_not_asked(tmp_path):
    answer = asked("Never raise ki on 053, the valve does not stand it.", tmp_path)
    assert answer.tools == () and "Noted" in answer.text


def test_an_order_is_answered_with_what_was_laid_down_against_it(tmp_path):
    assert "`do not restart Tallinn before Friday`" in asked("restart 052", tmp_path, constraints=HELD).text


def test_what_was_laid_down_on_another_act_is_no_answer(tmp_path):
    text = asked("zspr 052: may it be opened?", tmp_path, constraints=HELD).text
    assert "laid down nothing against it. **This log shows nothing" in text


def test_errors_asked_for_in_chinese_are_events_and_no_list_of_logs(tmp_path):
    assert "search_events" in asked("zspr 052 的 log 裡有哪些錯誤？", tmp_path).tools


@each(
    "question, told",
    [
        ("what columns does this log have?", "A sample every 10 s; columns beside the loops: door"),
        ("what is the sampling interval?", "A sample every 10 s; columns beside the loops: door"),
        ("這個記錄有哪些欄位？", "取樣間隔 10 秒；迴路以外的欄位：door"),
    ],
)
def test_what_is_asked_of_the_log_itself_is_answered_before_its_diagnosis(question, told, tmp_path):
    rows = [f"{row * 10},60.0,{60 + row % 3 / 100},{40 + row % 2},{row // 150 % 2}" for row in range(900)]
    (tmp_path / "run.csv").write_text("\n".join(["time,setpoint,pv,output,door", *rows]))
    assert told in asked(question, tmp_path, attachments=(str(tmp_path / "run.csv"),)).text.split("\n\n")[0]
    assert (
        "beside the loops" not in asked("is it ok?", tmp_path, attachments=(str(tmp_path / "run.csv"),)).text
    )


@each(
    "question",
    [
        "zspr 052: how hot did channel 2 get and is everything normal?",
        "zspr 052: what is the highest of channel 2, and why does it fluctuate?",
    ],
)
def test_a_second_question_that_and_joins_is_answered_too(question, tmp_path):
    text = asked(question, tmp_path).text
    assert "### 1." in text and "### 2." in text and "highest" in text.split("### 2.")[0]
