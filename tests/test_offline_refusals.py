"""What the offline analyst cannot do or does not know is said with what can be done instead."""

import socket

import pytest
from cases import each

from tests.offline_case import asked


def test_a_day_without_a_log_is_said_with_the_logs_there_are(tmp_path):
    text = asked("052 why did it swing on 02-17?", tmp_path).text
    assert "has no log of 02-17" in text and "InstrumentDebug_2026-02-18_22-10-07.51.log" in text


@each("question", ["set 052 to 52 °C", "把 052 設成 52 度", "restart 052", "重啟 052"])
def test_an_order_is_refused_with_what_can_be_done_and_nothing_is_diagnosed(tmp_path, question):
    answer = asked(question, tmp_path)
    assert answer.tools == () and "zspr 052" in answer.text
    assert "only read logs" in answer.text or "我只讀記錄" in answer.text


@each("ban", ["星期五之前不要重啟 051", "do not restart 051 before Friday"])
def test_a_ban_is_noted_and_taken_for_no_order(tmp_path, ban):
    text = asked(ban, tmp_path).text
    assert f"`{ban}`" in text.splitlines()[2] and "at the instrument itself" not in text


def test_what_is_not_understood_is_said_before_all_devices_are_told(tmp_path):
    assert "did not recognise" in asked("which one wastes most energy", tmp_path).text.splitlines()[0]
    assert "did not recognise" not in asked("which device is worst?", tmp_path).text


def test_an_order_to_change_a_gain_is_refused_and_judged(tmp_path):
    text = asked("set kp of 053 channel 2 to 60", tmp_path).text
    assert "cannot write" in text and "no, kp should not go from 50 to 60" in text


@each(
    "words, told",
    [
        ("yes", "Nothing is waiting for a yes or a no here.** Name a device"),
        ("No, cancel.", "Nothing is waiting"),
        ("好", "目前沒有等您答覆"),
        ("ok", "Nothing is waiting"),
        ("ok, thanks", "You are welcome"),
    ],
)
def test_a_yes_to_nothing_is_told_so_in_short_and_reads_nothing(tmp_path, words, told):
    answer = asked(words, tmp_path)
    assert told in answer.text and len(answer.text) < 250
    assert set(answer.tools) <= {"list_devices"}


def test_a_yes_to_nothing_names_the_device_in_view(tmp_path):
    state = {"device_name": "zspr 053", "device_ip": "10.1.1.112"}
    assert "目前看的是 zspr 053 (10.1.1.112)" in asked("好的", tmp_path, state=state).text


@each("question", ["why?", "為什麼溫度波動？", "plot it", "can kp be raised?", "any errors?"])
def test_without_device_and_log_it_says_what_is_missing(tmp_path, question):
    answer = asked(question, tmp_path)
    assert answer.tools == ("list_devices",)
    assert "zspr 052 (10.1.1.47)" in answer.text and ("?" in answer.text or "？" in answer.text)


def test_an_order_is_refused_for_want_of_any_way_to_obey(tmp_path):
    assert "cannot write" in asked("set kp of 052 to 0.2", tmp_path).text


@pytest.mark.parametrize(("question", "sign"), [("help", "can kp be raised?"), ("說明", "那 kp 可以調高嗎")])
def test_help_shows_questions_in_the_language_asked_in(tmp_path, question, sign):
    assert sign in asked(question, tmp_path).text


def test_a_question_that_is_none_of_ours_is_asked_back(tmp_path):
    text = asked("write me a poem", tmp_path).text
    assert text.startswith("**That is beyond me") and "docs/add-an-agent.md" in text and "?" in text


def test_thanks_are_answered_with_an_offer(tmp_path):
    assert asked("謝謝", tmp_path).text.startswith("不客氣")


@pytest.fixture
def troubled(tmp_path):
    """An inventory whose devices have no log, one that cannot be read, and no server."""
    for name, text in [("empty", None), ("broken", "hello\nworld\n")]:
        (tmp_path / name).mkdir()
        if text:
            (tmp_path / name / "run_2026-02-20_10-00-00.log").write_text(text, encoding="utf-8")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    places = {"empty": tmp_path / "empty", "broken": tmp_path / "broken", "gone": tmp_path / "gone"}
    logs = {f"oven {name}": f"file://{path}" for name, path in places.items()}
    logs["oven web"] = f"http://127.0.0.1:{port}/logs"
    entries = [
        f'[[device]]\nname = "{name}"\nip = "10.9.9.{place}"\nlogs = "{where}"\n'
        for place, (name, where) in enumerate(logs.items(), start=1)
    ]
    path = tmp_path / "devices.toml"
    path.write_text("\n".join(entries), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("question", "what", "remedy"),
    [
        ("why oven empty?", "has no logs in", "Check the folder"),
        ("oven broken 為什麼波動？", "已知格式（", "docs/add-a-log-format.md"),
        ("oven gone why?", "there is no", "Correct its entry"),
        ("oven web why?", "no connection to 127.0.0.1", "Check that 127.0.0.1 is on"),
        ("oven web list logs", "no connection to 127.0.0.1", "Check that 127.0.0.1 is on"),
    ],
)
def test_what_could_not_be_done_is_said_with_the_remedy(tmp_path, troubled, question, what, remedy):
    text = asked(question, tmp_path, inventory=troubled).text
    assert what in text and remedy in text


def test_devices_that_could_not_be_judged_are_no_good_news(tmp_path, troubled):
    text = asked("which device is worst?", tmp_path, inventory=troubled).text
    assert "4 could not be judged" in text and "Which of the" not in text


@each(
    "question, urgent",
    [
        ("053 smells burnt, what should I do?", "First switch the instrument off at the mains"),
        ("there is smoke, which one is it?", "First switch the instrument off at the mains"),
        ("055 有燒焦味，kp 要怎麼改？", "請先切斷設備的總電源"),
    ],
)
def test_what_is_dangerous_is_said_before_everything(tmp_path, question, urgent):
    assert urgent in asked(question, tmp_path).text.split("\n\n")[0]


@each(
    "question",
    [
        "052 的 kp 太吵嗎",
        "053 的噪聲多大？",
        "is the loop of 053 well damped?",
        "did a spark of noise hit the sensor of 054?",
        "plot the smoke test of 050",
        "is anything on fire?",
        "display lines 10 to 12 of 053",
    ],
)
def test_words_of_a_log_or_of_a_test_are_no_danger(tmp_path, question):
    assert "at the mains" not in (text := asked(question, tmp_path).text) and "總電源" not in text
