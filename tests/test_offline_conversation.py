"""What was said and asked before counts in the offline analyst's answers: values, wishes, logs."""

from contextlib import closing

import pytest
from cases import each

import db
from instrumentgpt.instruments.devices import load_inventory, resolve
from tests.offline_case import Answered, asked

DEVICE = {"device_name": "zspr 052", "device_ip": "10.1.1.47"}
NEWEST, OLDER = "InstrumentDebug_2026-02-19_23-24-45.39.log", "InstrumentDebug_2026-02-18_22-10-07.51.log"
READ = {**DEVICE, "last_log_file": NEWEST, "downloaded_logs": [OLDER, NEWEST]}
STATED = (
    {"device": "zspr 052", "channel": "2", "parameter": "kp", "value": "12", "unit": "", "turn": 3},
    {"device": "zspr 052", "channel": "", "parameter": "setpoint", "value": "55", "unit": "°C", "turn": 2},
)
HELD = ("Do not touch the heater before Friday, QA is using it.",)


@pytest.fixture
def read(tmp_path):
    """Return the folder in which both logs of the device were read."""
    for log in (OLDER, NEWEST):
        asked(f"fetch {log} of zspr 052", tmp_path)
    return tmp_path


def asked_after(folder, words: list[str], question: str, **task) -> Answered:
    """Return the answer to `question` in a conversation in which the user wrote `words` before."""
    path = folder / "conversation.db"
    with closing(db.connect(path)) as database:
        conversation = db.create_conversation(database)
        for said in words:
            db.add_message(database, conversation, "user", said)
            db.add_message(database, conversation, "assistant", "I see.")
        db.add_message(database, conversation, "user", question)
    where = {"database": str(path), "conversation_id": conversation, "messages": messages(words)}
    return asked(question, folder, **where, **task)


def messages(words: list[str]) -> tuple[dict, ...]:
    """Return what the user wrote as the task file has it."""
    known = load_inventory("demo/devices.toml")
    return tuple(
        {
            "turn": turn,
            "role": "user",
            "text": text,
            "devices": [device.name for device in resolve(text, known).devices],
        }
        for turn, text in enumerate(words, start=1)
    )


@pytest.mark.parametrize("question", ["which value did I give you?", "上次說的那個數值？"])
def test_the_value_said_last_is_repeated_with_its_turn_and_nothing_is_fetched(tmp_path, question):
    answer = asked(question, tmp_path, state=READ, stated=STATED)
    assert answer.tools == () and "kp 12" in answer.text and "3" in answer.text and "55" not in answer.text


@pytest.mark.parametrize("question", ["which log was that?", "剛剛是看哪一份 log？"])
def test_the_log_of_the_last_answer_is_named_with_its_device(tmp_path, question):
    text = asked(question, tmp_path, state=READ).text
    assert text.index(NEWEST) < text.index("zspr 052") < text.index(OLDER)


@pytest.mark.parametrize("question", ["what did I say not to do?", "我說過什麼不能做？"])
def test_what_was_laid_down_is_listed_when_it_is_asked_for(tmp_path, question):
    assert f"- `{HELD[0]}`" in asked(question, tmp_path, state=READ, constraints=HELD).text
    nothing = asked(question, tmp_path, state=READ).text
    assert "laid down nothing" in nothing or "沒有規定過" in nothing


def test_whether_a_thing_may_be_used_is_answered_by_what_was_laid_down_on_that_thing(read):
    answer = asked("can I power-cycle the heater today?", read, state=READ, constraints=HELD)
    assert answer.tools == () and "**You laid down: `Do not touch the heater" in answer.text
    other = asked("can I power-cycle the pump today?", read, state=READ, constraints=HELD).text
    assert "laid down nothing against it. **This log shows nothing that speaks against running" in other


@pytest.mark.parametrize("question", ["what did we rule out?", "排除了哪些可能？"])
def test_what_was_ruled_out_in_words_comes_before_what_the_checks_rule_out(read, question):
    text = asked(question, read, state=READ, ruled_out=("it is not the sensor",)).text
    ruled_out = "within its band" if "within its band" in text else "在自身範圍之內"
    assert text.index("it is not the sensor") < text.index(ruled_out)


@each(
    "before, question, tool, channels",
    [
        ("what are the gains?", "same for channel 2", "channel_metrics", [2]),
        ("kp 是多少？", "那通道 3 呢？", "channel_metrics", [3]),
        ("那通道 3 的 kp 多少？", "通道 1 呢？", "channel_metrics", [1]),
        ("can kp be raised?", "and channel 4?", "advise_gains", [4]),
        ("log 裡有什麼錯誤？", "050 呢？", "search_events", []),
    ],
)
def test_a_question_that_only_goes_on_asks_the_one_before_again(read, before, question, tool, channels):
    words = [before, "thanks"]
    devices = ("zspr 050",) if "050" in question else ()
    answer = asked_after(read, words, question, state=READ, devices=devices)
    result = answer.results[answer.tools.index(tool)]
    assert [one["channel"] for one in result.get("channels", [])] == channels
    assert "plot_log" not in answer.tools


def test_what_goes_on_about_a_question_that_went_on_keeps_its_channel_and_its_time(read):
    words = ["052 第二通道昨天最高溫度是多少？", "那第四通道呢？"]
    text = asked_after(read, words, "平均呢？", state=READ, today="2026-02-21").text
    assert "通道 4，" in text and "平均" in text and "「昨天」" in text and "通道 2" not in text


def test_a_question_that_says_what_it_asks_is_taken_by_itself(read):
    answer = asked_after(read, ["what are the gains?"], "why does channel 2 swing?", state=READ)
    assert "diagnose_log" in answer.tools


@pytest.mark.parametrize(
    ("question", "word"), [("what did I say about the gasket?", "gasket"), ("我說過墊片什麼？", "墊片")]
)
def test_what_no_value_tells_is_quoted_from_the_messages_with_its_turn(tmp_path, question, word):
    said = "The gasket 墊片 came from batch 7."
    text = asked_after(tmp_path, ["hello", said, "is the gasket fine?"], question, state=READ).text
    assert f"`{said}`" in text and "2" in text and "is the gasket fine" not in text


def test_what_was_never_said_is_said_not_to_have_been(tmp_path):
    assert "find nothing on that" in asked("what did I say about the gasket?", tmp_path, state=READ).text


@pytest.mark.parametrize("told", ["我剛把通道 1 的 kp 改成 9.5", "夜班把 kp 調成 9.5"])
def test_what_somebody_just_set_is_noted_and_no_order(tmp_path, told):
    answer = asked(told, tmp_path, state=READ)
    assert answer.tools == () and "已記下" in answer.text and "9.5" in answer.text


@pytest.mark.parametrize("question", ["compare with 050", "跟 050 比呢？"])
def test_another_device_is_compared_in_both_languages(read, question):
    assert "compare_logs" in asked(question, read, state=READ, devices=("zspr 052", "zspr 050")).tools


def test_one_channel_is_told_in_the_singular_and_one_output_without_a_range(read):
    text = asked("why does channel 1 oscillate?", read, state=READ).text
    assert "stable on channel 1 " in text and "output 46 %" in text


def test_the_two_that_were_asked_about_are_set_against_each_other_again(read):
    answer = asked_after(read, ["are 051 and 054 healthy?"], "which one of the two is worse?", state=READ)
    assert [row["device"] for row in answer.results[0]["devices"]] == ["zspr 051", "zspr 054"]


def test_words_that_nothing_said_before_bears_on_bring_no_quotation(tmp_path):
    text = asked_after(tmp_path, ["The gasket came from batch 7."], "🔥 now", state=READ).text
    assert "gasket" not in text


@each(
    "question, devices",
    [("what did I call 053?", ()), ("which one is Tallinn?", ()), ("053 我們叫它什麼？", ("zspr 053",))],
)
def test_what_a_device_is_called_is_answered_from_its_nicknames(tmp_path, question, devices):
    answer = asked(question, tmp_path, state=READ, devices=devices, nicknames={"zspr 053": ["Tallinn"]})
    assert answer.tools == () and "zspr 053" in answer.text and "`Tallinn`" in answer.text


def test_another_gain_does_not_take_over_the_number_that_was_meant_for_the_first(read):
    answer = asked_after(read, ["can kp of channel 2 be lowered to 6?"], "and ki?", state=READ)
    advice = answer.results[answer.tools.index("advise_gains")]
    assert [one["answer"]["gain"] for one in advice["channels"]] == ["ki"]
    assert all(one["answer"]["asked"] != 6 for one in advice["channels"])


def done_to(folder, question: str, **task) -> str:
    """Return the answer to `question` where something was said to be done to 054, and something to 055."""
    said = messages(["054: we swapped the thermocouple", "055 昨天換了加熱器", "why?"])
    return asked(question, folder, messages=said, state={"device_name": "zspr 054"}, **task).text


@each(
    "question, own, other",
    [
        ("what did we do there?", "thermocouple", "加熱器"),
        ("summarise everything for my boss", "thermocouple", "加熱器"),
        ("055 做過什麼？", "加熱器", "thermocouple"),
    ],
)
def test_what_was_done_is_told_of_the_device_that_it_was_done_to(tmp_path, question, own, other):
    text = done_to(tmp_path, question, devices=("zspr 055",) if "055" in question else ())
    assert own in text and other not in text


@pytest.mark.parametrize("told", ["設定值應該是 80 不是 75", "the setpoint should be 80, not 75"])
def test_a_correction_is_noted_and_no_question(tmp_path, told):
    answer = asked(told, tmp_path, state=READ)
    assert answer.tools == () and "80" in answer.text and ("Noted" in answer.text or "已記下" in answer.text)


def test_a_diagnosis_says_what_was_done_that_its_log_may_not_show(tmp_path):
    text = done_to(tmp_path, "054: so what is wrong?", devices=("zspr 054",))
    assert text.index("Root cause") < text.index("swapped the thermocouple") and "加熱器" not in text


def test_a_summary_names_the_other_devices_with_what_was_found(tmp_path):
    others = {"zspr 055": {"root_causes": ["the integral winds up"]}}
    text = asked("summarise everything", tmp_path, state=READ, others=others).text
    assert "- zspr 055: the integral winds up" in text


@each("told", ["never open the door during a run", "週五之前不要開門", "don't change the setpoint"])
def test_what_is_not_to_be_done_is_noted_whatever_it_is_about(tmp_path, told):
    answer = asked(told, tmp_path, state=READ)
    assert answer.tools == () and f"`{told}`" in answer.text


@each(
    "question, told, where",
    [
        ("forget the heater", "Nothing was forgotten or undone by this sentence", "Edits"),
        ("忘掉加熱器", "沒有讓任何內容被忘記或復原", "Edits"),
        ("undo that", "Nothing was forgotten or undone by this sentence", "Edits"),
        ("撤銷剛才的修改", "沒有讓任何內容被忘記或復原", "Edits"),
    ],
)
def test_what_only_a_person_can_forget_or_undo_is_not_pretended(tmp_path, question, told, where):
    answer = asked(question, tmp_path, state=READ, stated=STATED, constraints=HELD)
    assert told in answer.text and where in answer.text and "Memory" in answer.text
    assert answer.tools == () and "Noted" not in answer.text


def test_whether_a_change_helped_is_a_comparison_that_tells_what_was_done(read):
    text = asked("we cleaned the fan yesterday, did that help?", read, state=READ).text
    assert NEWEST in text and OLDER in text and "`we cleaned the fan yesterday`" in text


@pytest.mark.parametrize(
    "question", ["when did it start, and how often does it happen?", "什麼時候開始的？總共幾次？"]
)
def test_since_when_and_how_often_a_fault_shows_is_told_with_its_lines(tmp_path, question):
    text = asked(question, tmp_path, state={"device_name": "zspr 054", "device_ip": "10.1.1.93"}).text
    assert "2026-02-20 19:40:19" in text and "5 " in text and "?log=zspr%20054/" in text and "###" not in text


def after(question: str, *before: tuple[str, str]) -> dict:
    """Return the task of `question` after questions, each with the log that its answer told."""
    rows = []
    for turn, (text, log) in enumerate(before, start=1):
        rows += [{"turn": turn, "role": "user", "text": text}]
        rows += [{"turn": turn, "role": "assistant", "text": f"From the log `{log}`."}]
    return {"messages": tuple(rows), "state": {**READ, "last_log_file": before[-1][1]}}


@each(
    "question, before, log",
    [
        ("is it the sensor?", [("how was it on Feb 18?", OLDER)], OLDER),
        (
            "is it the sensor?",
            [("why does it swing?", NEWEST), (f"look at {OLDER}", OLDER)],
            OLDER,
        ),
        ("and is it healthy now?", [("how was it on Feb 18?", OLDER)], NEWEST),
        ("can I leave it running until Monday?", [("how was it on Feb 18?", OLDER)], NEWEST),
        ("現在還好嗎？", [("18號怎麼樣？", OLDER)], NEWEST),
    ],
)
def test_a_question_on_another_day_only_leads_away_from_the_log_in_view(read, question, before, log):
    assert f"`{log}`" in asked(question, read, **after(question, *before)).text


@each(
    "question, told",
    [
        ("Answer in Chinese: what is wrong with it?", "下一步"),
        ("用英文說明它有什麼問題", "Next:"),
        ("zspr 052 怎麼了？請用英文回答", "Key findings"),
    ],
)
def test_an_answer_comes_in_the_language_that_is_asked_for(read, question, told):
    text = asked(question, read, state=READ).text
    assert told in text and "laid down" not in text


@each("question", ["Is it healthy?", "那正常嗎？", "Could it harm the samples?", "對樣品有影響嗎？"])
def test_what_was_told_is_not_told_again_in_full(read, question):
    language = "en" if question.isascii() else "zh"
    first = asked("why does the temperature swing?" if language == "en" else "為什麼波動？", read, state=READ)
    said = ({"turn": 1, "role": "user", "text": "why?"}, {"turn": 1, "role": "assistant", "text": first.text})
    again = asked(question, read, state=READ, messages=said).text
    assert len(again) < len(first.text) / 2


@each("question", ["如果只能做一件事，要做什麼", "What should I check first?"])
def test_what_to_do_first_is_asked_of_the_device_in_view_and_lays_nothing_down(read, question):
    text = asked(question, read, state=READ).text
    assert (
        ("下一步" if "做" in question else "Next:") in text and "zspr 051" not in text and "規定" not in text
    )


@each(
    "question, told",
    [
        ("can I leave channels 1 and 3 of zspr 051 running?", "decides: check that it is set and works"),
        ("zspr 051 的 1區跟3區可以放到星期一嗎？", "能否無人看管"),
    ],
)
def test_whether_several_channels_may_run_is_answered(tmp_path, question, told):
    assert told in asked(question, tmp_path).text
