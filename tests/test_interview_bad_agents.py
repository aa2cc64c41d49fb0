"""The persona holds with a bad model: the user sees an interview (acceptance 000, statements 8 and 10)."""

import re

import pytest
from interview_talk import Talk, prompts_of, stub_agent

from instrumentgpt.modes.interview.persona import faults_of

pytestmark = pytest.mark.usefixtures("database")

SOLVES = [
    "You should recalibrate the sensor. I suggest an offset of -2 °C.",
    "✅ Clear: I understand.\n\n❓ Have you tried setting kp to 0.05?",
    "The best approach is to retune the loop. Try using kp = 0.05.\n```\nkp = 0.05\n```",
    "建議更換感測器，把 kp 調到 0.05。",
]
THREE = ["✅ Clear: it drifts.\n\n❓ Since when? Who saw it? How often does it happen?"]
EMPTY_OR_ENGLISH = ["", "✅ Clear: it drifts.\n\n❓ When was it last seen?"]
ENGLISH = [
    "10.1.1.47 is off by two degrees since Monday",
    "What should I set kp to?",
    "Can you just tell me the cause?",
    "yesterday at 14:20 it showed 52.3 instead of 50",
    "Why do you ask?",
    "the night shift operators",
    "Is it the sensor?",
    "it should hold ±0.1 °C",
    "Which gain is right?",
    "it is fixed when no alarm comes for a week",
    "Do I need a new heater?",
    "when the door is opened it drops",
]
CHINESE = [
    "10.1.1.47 的溫度從禮拜一開始差兩度",
    "kp 要設多少？",
    "可以直接告訴我原因嗎？",
    "昨天下午三點設50度但顯示52",
    "為什麼要問這個？",
    "夜班操作員",
    "是感測器壞了嗎？",
    "要維持在正負0.1度",
    "要換加熱器嗎？",
    "連續8小時沒有警報就算修好",
    "怎麼調比較好？",
    "開門的時候溫度會掉",
]


def long_talk(words, exchanges=22):
    """Yield `exchanges` messages: `words` with questions of the user in between, so that it does not end."""
    asks = [word for word in words if word.endswith(("?", "？"))]
    for number in range(exchanges):
        yield words[number] if number < len(words) else asks[number % len(asks)]


@pytest.mark.parametrize(
    ("replies", "words", "language"),
    [([*SOLVES, *THREE], ENGLISH, "en"), ([*SOLVES, *EMPTY_OR_ENGLISH], CHINESE, "zh")],
    ids=["en", "zh"],
)
def test_000_10_the_persona_holds_for_over_twenty_exchanges(replies, words, language, tmp_path, monkeypatch):
    program = stub_agent(tmp_path / "bad", *replies)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    talk, said = Talk("cursor"), ""
    for word in long_talk(words):
        said += f"{word}\n"
        answer = talk.say(word)
        assert answer.count("✅") == answer.count("❓") == 1 and not any(map(answer.__contains__, SOLVES))
        is_summary = any(offer[2] == "interview" for offer in talk.offers())
        assert is_summary or faults_of(answer, language, f"{said} zspr 052") == [], answer
        assert talk.shown() == answer  # nothing else was ever on the page
    assert len(talk.answers) == 22
    asked = [re.search("❓ (.*)", answer)[1] for answer in talk.answers]
    assert len(set(asked)) >= 6, "and then the summary waits"


def test_000_8_a_forbidden_reply_is_asked_again_once_and_the_better_one_shown(tmp_path, monkeypatch):
    good = "✅ Clear: off by two degrees.\n\n❓ On which occasion did you see it last?"
    program = stub_agent(tmp_path / "bad", "You should recalibrate it.", good)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    talk = Talk("cursor")
    assert talk.say("10.1.1.47 is off by two degrees") == good
    first, second = prompts_of(program)
    assert "YOUR LAST REPLY WAS NOT SHOWN" not in first
    assert "YOUR LAST REPLY WAS NOT SHOWN" in second and "it advises" in second


def test_000_8_it_is_not_asked_a_third_time(tmp_path, monkeypatch):
    program = stub_agent(tmp_path / "bad", "You should recalibrate it.")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    answer = Talk("cursor").say("10.1.1.47 is off by two degrees")
    assert len(prompts_of(program)) == 2
    assert answer.startswith(
        "✅ Clear: 10.1.1.47 is off by two degrees\n\n❓ Can you give a specific example"
    )


def test_a_good_reply_is_shown_as_it_is_and_asked_once(tmp_path, monkeypatch):
    good = "✅ Clear: off by two degrees.\n\n❓ On which occasion did you see it last?"
    program = stub_agent(tmp_path / "good", good)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    talk = Talk("cursor")
    assert talk.say("10.1.1.47 is off by two degrees") == good
    assert len(prompts_of(program)) == 1


def test_an_agent_that_dies_leaves_the_interview_its_question(tmp_path, monkeypatch):
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho 'out of memory' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    answer = Talk("cursor").say("10.1.1.47 is off by two degrees")
    assert answer.startswith("✅ ") and answer.count("❓") == 1


def test_what_the_bad_model_said_is_nowhere_in_the_memory(tmp_path, monkeypatch):
    program = stub_agent(tmp_path / "bad", "**Root cause**: the relay. You should set kp to 0.07.")
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(program))
    talk = Talk("cursor")
    for word in ENGLISH[:4]:
        talk.say(word)
    first_of_last_turn = prompts_of(program)[-2]
    assert "relay" not in first_of_last_turn and "0.07" not in first_of_last_turn
