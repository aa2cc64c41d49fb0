"""The main job through the real offline analyst: a question about a device, a follow-up, a dropped log."""

import pytest
from faulty_logs import written

import db
from instrumentgpt.agents.events import Artifact, Done, Session, Tool
from instrumentgpt.memory.filtering import rendered_parts
from instrumentgpt.memory.revisions import Item
from instrumentgpt.settings import CHECKOUT, database_path
from instrumentgpt.storage.revised_memory import listing
from instrumentgpt.storage.revisions import revise
from instrumentgpt.turn import runs
from memory import DiagnosticState

pytestmark = pytest.mark.usefixtures("judged_before")

LOG = "InstrumentDebug_2026-02-19_23-24-45.39.log"


def ask(conversation, question, **more):
    return list(runs.consume(database_path(), conversation, question, agent="offline", **more))


def tools_used(events):
    return [event.name for event in events if isinstance(event, Tool) and event.status == "ok"]


def test_a_device_is_fetched_judged_and_shown_once_and_the_follow_up_builds_on_it(database, conversation):
    first = ask(conversation, "10.1.1.47 為什麼溫度波動？")
    assert first[-1].outcome == "ok"
    assert [event.agent for event in first if isinstance(event, Session)] == ["offline"]
    assert {"fetch_log", "diagnose_log"} <= set(tools_used(first))
    answer = db.list_messages(database, conversation)[-1]
    charts = [event.artifact_id for event in first if isinstance(event, Artifact)]
    assert (
        charts
        and [part.artifact_id for part in rendered_parts(answer.content, charts) if part.artifact_id]
        == charts
    )
    state = DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert (state.device_name, state.last_log_file) == ("zspr 052", LOG)
    assert state.findings
    items = [item for item in db.list_state_items(database, conversation) if item.field == "findings"]
    assert all((item.source, item.log) == ("tool", LOG) and item.line for item in items)

    second = ask(conversation, "那 kp 可以調高嗎？")
    assert second[-1].outcome == "ok"
    assert "fetch_log" not in tools_used(second)


def test_a_dropped_log_is_read_and_judged(conversation):
    content = (CHECKOUT / "demo" / "logs" / "zspr_052" / LOG).read_bytes()
    events = ask(conversation, "what is wrong in this log?", attachments=[("dropped.log", content)])
    assert isinstance(events[-1], Done) and events[-1].outcome == "ok"
    assert "diagnose_log" in tools_used(events)
    assert "dropped.log" in events[-1].text


@pytest.mark.parametrize(
    ("correction", "question", "told"),
    [
        (
            "no, kp of channel 2 is 12, not 50",
            "what is kp of channel 2?",
            ["kp 50", "In turn 2 you said `kp 12`"],
        ),
        ("kp 是 12，不是 50", "kp 多少？", ["kp 50", "您在第 2 輪說過 `kp 12`"]),
    ],
)
def test_a_value_the_user_corrected_is_told_beside_that_of_the_log(conversation, correction, question, told):
    ask(conversation, "10.1.1.112 為什麼溫度波動？")
    ask(conversation, correction)
    answer = ask(conversation, question)[-1].text
    assert all(words in answer for words in told), answer


def test_what_only_the_user_can_know_is_told_from_what_the_user_said(conversation):
    ask(conversation, "the work order for zspr 052 is WO-4711")
    for question in (
        "which devices are there?",
        "what was the work order of zspr 052?",
        "052 的工單號碼是？",
    ):
        answer = ask(conversation, question)[-1].text
    assert answer == "您在第 1 輪說過 `work order WO-4711`。"


def test_a_device_is_added_to_a_copy_of_the_inventory_that_we_ship(conversation):
    text = ask(conversation, "what is wrong with zspr 099?")[-1].text
    assert "*Add instrument*" in text and f"a copy of `{CHECKOUT / 'demo' / 'devices.toml'}`" in text


@pytest.mark.parametrize(
    "said, asked, told",
    [
        ("Never touch the gains.", "what is wrong with zspr 053?", "You laid down: `Never touch the gains`"),
        ("", "053 怎麼了？不要更改增益。", "您規定過：`不要更改增益`"),
    ],
)
def test_advice_stands_beside_what_the_user_laid_down(database, conversation, said, asked, told):
    ask(conversation, "zspr 053")
    if said:
        ask(conversation, said)
    ask(conversation, asked)
    assert told in db.list_messages(database, conversation)[-1].content


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "跟 10.1.1.85 比較",
            ["zspr 053 (10.1.1.112) 與 zspr 050 (10.1.1.85) 相比", "只有 zspr 053 有：增益"],
        ),
        (
            "compare with 050",
            ["zspr 053 (10.1.1.112) beside zspr 050 (10.1.1.85)", "Only on zspr 053: Oscill"],
        ),
    ],
)
def test_another_device_is_compared_with_the_one_in_hand_which_stays_in_hand(
    database, conversation, question, told
):
    ask(conversation, "10.1.1.112 為什麼溫度波動？")
    answer = ask(conversation, question)[-1].text
    for words in told:
        assert words in answer
    assert "kp 8.5 → 50" in answer and "zspr%20053/" in answer
    state = DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert (state.device_name, len(state.downloaded_logs)) == ("zspr 053", 1), "050's log is none of 053's"
    kept = {
        row.fact.device: row.fact.value
        for row in db.list_facts(database, conversation)
        if (row.fact.channel, row.fact.parameter) == ("2", "kp")
    }
    assert kept == {"zspr 053": "50"}, "the new value of each line is that of the device in hand"
    assert "kp 50" in ask(conversation, "what are the gains of channel 2?")[-1].text


def test_another_device_can_still_be_compared_with_its_own_last_log(conversation):
    ask(conversation, "10.1.1.112 為什麼溫度波動？")
    answer = ask(conversation, "050 跟上次比有什麼不同？")[-1].text
    assert "zspr 053" not in answer and "處不同" in answer


@pytest.mark.parametrize(
    ("said", "question", "told"),
    [
        (
            ["053 為什麼振盪？", "kp of channel 2 is 12, not 50", "Never restart 053 before Friday."],
            "What do we know so far?",
            [
                "`kp 12`",
                "turn 2",
                "`Never restart 053 before Friday.`",
                "Ruled out:",
                "- No noise: one cycle",
            ],
        ),
        (
            ["why does 053 swing?", "kp 是 12，不是 50", "週五之前不要重啟 053"],
            "目前知道什麼？",
            ["`kp 12`，第 2 輪", "`週五之前不要重啟 053`", "已排除：", "- 不是雜訊"],
        ),
    ],
)
def test_what_the_user_said_and_what_is_out_belong_to_what_is_known(conversation, said, question, told):
    for words in said:
        ask(conversation, words)
    answer = ask(conversation, question)[-1].text
    for words in told:
        assert words in answer


def test_what_was_said_counts_as_known_before_any_log_is_read(conversation):
    ask(conversation, "Never restart an oven before Friday.")
    answer = ask(conversation, "what do we know so far?")[-1].text
    assert "this conversation" in answer and "`Never restart an oven before Friday.`" in answer


def test_what_a_panel_ruled_out_is_no_finding(database, conversation, tmp_path):
    log = written("heater_degradation", tmp_path)
    question = "run.csv: sensor drift or heater loss?"
    ask(conversation, question, mode="panel", attachments=[("run.csv", log.read_bytes())])
    assert "Conclusion" in ask(conversation, "yes", mode="panel")[-1].text
    state = DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    assert not [text for text in state.findings if "uled out" in text]
    out = [entry.text for entry in listing(database, conversation, state).sections["ruled_out"]]
    assert out and all(", L " in text for text in out)


def test_a_ranking_marks_what_is_to_be_done_where_the_user_laid_down_otherwise(conversation):
    ask(conversation, "增益一律不要動。")
    ask(conversation, "比較 053 和 055", mode="investigate")
    answer = ask(conversation, "好", mode="investigate")[-1].text
    assert answer.count("**（暫不執行：與您的規定牴觸。）**") == 1


def test_a_note_that_forbids_something_reaches_the_analyst_as_laid_down(database, conversation):
    db.save_note(database, "gains", "Never touch the gains.", scope="global")
    assert "`Never touch the gains`" in ask(conversation, "052: can kp be raised?")[-1].text


@pytest.mark.parametrize(
    ("question", "head", "tools"),
    [
        ("What happened since yesterday 18:00?", "Shift report since", ["shift_report"]),
        ("昨天18:00之後發生什麼事", "以來的交班報告**", ["shift_report"]),
        ("what happened on 10.1.1.47 since 23:30?", "zspr 052", ["list_logs", "fetch_log", "look_at_time"]),
    ],
)
def test_what_happened_since_a_moment_is_told_of_all_devices_unless_one_is_named(
    conversation, question, head, tools
):
    events = ask(conversation, question)
    assert head in events[-1].text and tools_used(events) == tools


@pytest.mark.parametrize(
    "laid_down, reminder, lifting, told",
    [
        (
            "never touch the gains",
            "don't forget what I said about the gains",
            "you may touch the gains again",
            "No longer in force: `never touch the gains` (turn 2)",
        ),
        ("增益不准動", "別忘了我說過增益不能動", "算了，增益可以動了", "不再有效："),
    ],
)
def test_a_reminder_or_a_remark_lifts_nothing_and_what_is_lifted_is_said(
    database, conversation, laid_down, reminder, lifting, told
):
    def held():
        rows = listing(database, conversation, DiagnosticState()).sections["constraint"]
        return {row.text for row in rows}

    ask(conversation, "is zspr 052 ok?")
    for words in (laid_down, reminder, "the gains are fine", "增益沒問題"):
        ask(conversation, words)
        assert {laid_down, reminder} & held()  # a reminder that says it all takes its place
    before, answer = held(), ask(conversation, lifting)[-1].text
    assert told in answer and held() < before


def test_an_order_leaves_the_value_in_force_that_was_stated(conversation):
    for words in ("what is wrong with zspr 052?", "no, kp is 0.12", "Raise kp to 12"):
        ask(conversation, words)
    assert "In turn 2 you said `kp 0.12`" in ask(conversation, "what is kp of channel 2?")[-1].text


def test_a_root_cause_that_was_worded_on_the_page_stands_beside_the_next_diagnosis(database, conversation):
    ask(conversation, "what is wrong with zspr 053?")
    state = DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    (cause, *_) = listing(database, conversation, state).sections["root_causes"]
    revise(database, conversation, cause.item, "edit", cause.text, "the SSR of channel 2 is shorted")
    answer = ask(conversation, "what is the root cause?")[-1].text
    assert "On record by your word as the root cause: `the SSR of channel 2 is shorted`." in answer


@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("what did I say kp is?", "You corrected it in the memory: `kp 0.12`.", "you said"),
        ("我之前說 kp 是多少？", "您在記憶中更正為 `kp 0.12`。", "說過"),
    ],
)
def test_a_value_that_was_corrected_is_told_as_corrected_and_not_as_said(
    database, conversation, question, told, not_told
):
    ask(conversation, "zspr 052: kp is 0.09")
    revise(database, conversation, Item("zspr 052", "value", "kp"), "correct", "0.09", "0.12")
    answer = ask(conversation, question)[-1].text
    assert told in answer and not_told not in answer
