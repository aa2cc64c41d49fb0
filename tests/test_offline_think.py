"""Thinking without a model: every kind of question comes to a decision that fits the contract."""

from cases import each

from bench.questions import questions
from instrumentgpt.agents.offline.think import think
from instrumentgpt.analyst.case import Task
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.fleet import choose
from instrumentgpt.modes.contracts import read_reply
from instrumentgpt.modes.investigate.decisions import ThinkOutput
from instrumentgpt.settings import DEMO_INVENTORY

IN_VIEW = {
    "device_name": "zspr 052",
    "device_ip": "10.1.1.47",
    "last_log_file": "a.log",
    "downloaded_logs": ["a.log"],
}


def decided(question, *, state=None, attachments=(), **given):
    choice = choose(question, load_inventory(DEMO_INVENTORY))
    devices = [device.name for device in choice.devices]
    told = {"asked": question, "devices": devices, "report": choice.report, "today": "2026-11-21", **given}
    task = Task(
        question,
        "think",
        inventory=str(DEMO_INVENTORY),
        state=state or {},
        attachments=attachments,
        given=told,
    )
    return read_reply("".join(think(task, load_inventory(DEMO_INVENTORY))), ThinkOutput, "decision")


def steps(plan):
    return [(one.group, one.step_type, one.subdomain) for one in plan.steps]


@each("row", questions("open"))
def test_003_08_every_question_fits_the_contract(row):
    for state in ({}, IN_VIEW):
        assert decided(row["text"], state=state).goal


@each("question", ["why does it swing?", "為什麼溫度波動？", "plot it", "compare the two ovens"])
def test_without_a_device_or_a_log_it_asks(question):
    plan = decided(question)
    assert plan.decision == "clarify" and "zspr 052" in plan.clarification_questions[0]


@each("question", ["list devices", "which oven is worst?", "有哪些設備？", "what did we find so far?"])
def test_what_needs_no_device_is_not_asked_for_one(question):
    assert decided(question).decision == "plan_direct"


@each(
    "question, state, found",
    [
        ("why does zspr 052 swing?", {}, [(0, "read", "logs"), (1, "analyze", "logs")]),
        ("why does it swing?", IN_VIEW, [(1, "analyze", "logs")]),
        ("那 kp 可以調高嗎？", IN_VIEW, [(1, "analyze", "loops")]),
        ("what is the setpoint of channel 2?", IN_VIEW, [(1, "read", "loops")]),
        ("調查 052：溫度從上午開始偏差兩度", {}, [(0, "read", "logs"), (1, "analyze", "logs")]),
        ("the temperature of zspr 052 is off by 2 K", {}, [(0, "read", "logs"), (1, "analyze", "logs")]),
        ("畫出溫度曲線", IN_VIEW, [(1, "generate", "loops")]),
        ("any errors in the log?", IN_VIEW, [(1, "analyze", "findings")]),
        ("compare with the last log", IN_VIEW, [(0, "read", "logs"), (1, "analyze", "findings")]),
        ("list logs of zspr 052", {}, [(0, "read", "devices")]),
        ("which oven is worst?", {}, [(0, "analyze", "devices")]),
        ("fetch the newest log of zspr 052", {}, [(0, "read", "logs")]),
    ],
)
def test_003_09_what_is_planned_for_one_device(question, state, found):
    assert steps(decided(question, state=state)) == found


def test_a_report_on_several_is_fetched_judged_drawn_and_written_in_order():
    plan = decided("compare the six ovens since Monday and write a report")
    assert steps(plan) == [
        (0, "read", "logs"),
        (1, "analyze", "logs"),
        (2, "generate", "loops"),
        (2, "generate", "reports"),
    ]
    assert "since 2026-11-16" in plan.steps[0].description


def test_a_dropped_log_needs_no_device():
    plan = decided("what is wrong?", attachments=("/tmp/oven.csv",))
    assert steps(plan) == [(1, "analyze", "logs")] and "oven.csv" in plan.steps[0].description


def test_what_was_changed_by_the_user_is_what_is_planned():
    asked = "compare the six ovens and write a report"
    plan = decided(asked, amendments=["only 052 and 053"], devices=["zspr 052", "zspr 053"], report=False)
    assert ("generate", "reports") not in [one[1:] for one in steps(plan)]
    assert plan.steps[0].description == "Fetch the newest log of zspr 052, zspr 053"
