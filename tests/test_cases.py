"""Cases: opened from a conversation, settled by people, reopened by the scan that finds the fault again."""

import shutil
import time
from contextlib import closing
from dataclasses import replace

import pytest
from cases import each
from exchanges import exchange
from pages import PAGE_SECONDS, button
from streamlit.testing.v1 import AppTest

import db
from instrumentgpt.__main__ import main
from instrumentgpt.fleet.cases import case_from, gone_faults, markdown, reopen_returned, settle
from instrumentgpt.fleet.scan import scan
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.settings import DEMO_INVENTORY, database_path
from instrumentgpt.storage.cases import (
    InShort,
    UnknownCase,
    cases_in_short,
    change_case,
    changes_of,
    chart_of,
    evidence_of,
    get_case,
    list_cases,
    open_case,
    pin,
    unpin,
)
from instrumentgpt.storage.connection import file_of
from instrumentgpt.storage.runs import prompt_before
from instrumentgpt.storage.verdicts import Verdict, all_verdicts, standings, store_verdicts
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("judged_before")

DAY = 86_400.0
NOON = time.mktime((2026, 3, 2, 12, 0, 0, 0, 0, -1))
BEFORE_THE_LOG = NOON - 20 * DAY  # of zspr 053, 20 February
SWINGS = {"device": "oven 7", "model": "T-8", "fault": "oscillation_tuning", "channel": 2}


def verdict(log, begun, state="fault", fault="oscillation_tuning", channel=2, judged=None, line=7):
    at = NOON if judged is None else judged
    return Verdict(
        "oven 7", log, 1, "", begun, begun and begun + 3600, state, fault, "high", channel, line,
        "swings", "振盪", "{}", "[]", at,
    )  # fmt: skip


def test_every_change_of_a_case_is_kept_with_who_and_what_was_before(database):
    case = open_case(database, "ann", **SWINGS, symptom="swings by ±2.7 °C")
    change_case(database, case, "bob", cause="kp too high", action="kp to 6")
    change_case(database, case, "ann", cause="a loose thermocouple")
    change_case(database, case, "ann", cause="a loose thermocouple")
    pin(database, case, "ann", "PV 52.7", "oven 7", "a.log", 517)
    pin(database, case, "ann", "PV 52.7", "oven 7", "a.log", 517)
    (line,) = evidence_of(database, case)
    unpin(database, line.id, "bob")
    assert [(one.changed_by, one.field, one.old, one.new) for one in changes_of(database, case)] == [
        ("ann", "case", "", "swings by ±2.7 °C"),
        ("bob", "cause", "", "kp too high"),
        ("bob", "action", "", "kp to 6"),
        ("ann", "cause", "kp too high", "a loose thermocouple"),
        ("ann", "evidence", "", "PV 52.7"),
        ("bob", "evidence", "PV 52.7", ""),
    ]
    with pytest.raises(UnknownCase, match="The Cases page"):
        change_case(database, 99, "ann", cause="x")


@pytest.mark.parametrize("words", ["thermocouples loose", "熱電偶", "OVEN 7", "52.7"])
def test_cases_are_found_by_their_words_and_their_evidence_and_filtered(database, words):
    case = open_case(database, "ann", **SWINGS, cause="a loose thermocouple 熱電偶鬆脫")
    pin(database, case, "ann", "PV 52.7", "oven 7", "a.log", 517)
    other = open_case(database, "ann", device="oven 8", model="T-9", state="closed")
    assert [one.id for one in list_cases(database, words)] == [case]
    assert [one.id for one in list_cases(database, model="T-9")] == [other]
    assert [one.id for one in list_cases(database, state="unsettled")] == [case]
    assert list_cases(database, "the") == list_cases(database, words, state="closed") == []
    change_case(database, case, "ann", action="seated it again")
    newest = InShort(1, "a loose thermocouple 熱電偶鬆脫", "seated it again")
    assert cases_in_short(database) == {"oven 7": newest, "oven 8": InShort(0, "", "")}
    change_case(database, case, "ann", state="closed", outcome="fixed by a new one")
    assert cases_in_short(database)["oven 7"] == replace(newest, open=0, done="fixed by a new one")


def test_the_standing_of_devices_is_of_one_moment_while_a_scan_stores_more(database):
    logs = iter(range(99))
    with closing(db.connect(file_of(database))) as scanning:
        store_verdicts(scanning, [verdict("a.log", NOON)])
        database.conn.set_trace_callback(
            lambda _: store_verdicts(scanning, [replace(verdict("b.log", NOON), device=f"oven {next(logs)}")])
        )
        told = standings(database)
        database.conn.set_trace_callback(None)
        assert set(told) <= {row.device for row in all_verdicts(scanning)} and "oven 7" in told


def settled(database, at, known=()):
    """The number of a case that was settled `at`, when these logs were known."""
    store_verdicts(database, known)
    case = open_case(database, "ann", **SWINGS, log="a.log")
    settle(database, get_case(database, case), "ann", "reseated the thermocouple", at)
    return case


@pytest.mark.parametrize(
    ("log", "is_back"),
    [
        (verdict("b.log", NOON + 600), True),
        (verdict("b.log", NOON - 600), False),  # of before the repair, brought in later
        (verdict("a.log", NOON - DAY / 2, judged=NOON + DAY), False),  # the same log, which goes on
        (verdict("b.log", NOON + 600, channel=3), False),
        (verdict("b.log", NOON + 600, fault="sensor_open"), False),
        (verdict("b.log", NOON + 600, state="healthy"), False),
        (verdict("b.log", None, judged=NOON + 60), True),
        (verdict("b.log", None, judged=NOON - 60), False),
    ],
)
def test_a_case_is_reopened_by_a_log_that_began_after_it_was_settled_and_by_no_other(database, log, is_back):
    case = settled(database, NOON, [verdict("a.log", NOON - DAY / 2)])
    store_verdicts(database, [log])
    assert [one.id for one in reopen_returned(database, ["oven 7"])] == [case] * is_back
    found = get_case(database, case)
    assert found.state == ("reopened" if is_back else "closed")
    if is_back:
        last = changes_of(database, case)[-1]
        assert (last.changed_by, last.new, last.log, last.line) == ("scan", "reopened", "b.log", 7)
        assert (found.log, found.line, found.outcome) == ("b.log", 7, "reseated the thermocouple")
    assert reopen_returned(database, ["oven 7"]) == []


def test_where_a_devices_clock_is_not_ours_the_newest_log_tells_when_a_case_was_settled(database):
    case = settled(database, NOON + 90 * DAY, [verdict("a.log", NOON)])
    store_verdicts(database, [verdict("b.log", NOON + DAY)])
    assert [one.id for one in reopen_returned(database, ["oven 7"])] == [case]


def test_a_case_that_is_not_there_is_told_with_the_way_to_those_that_are(database):
    def script():
        from instrumentgpt.ui import cases

        cases.page()

    at = AppTest.from_function(script, default_timeout=PAGE_SECONDS)
    at.query_params["case"] = "99"
    at.run()
    assert "There is no case 99" in at.error[0].value
    button(at, "All cases").click().run()
    assert not at.error and "case" not in at.query_params


def test_a_fault_that_is_gone_offers_its_case_for_closing_and_closes_nothing(database):
    store_verdicts(database, [verdict("a.log", NOON)])
    case = open_case(database, "ann", **SWINGS, log="a.log")
    assert gone_faults(database, list_cases(database)) == {}
    store_verdicts(database, [verdict("b.log", NOON + DAY, state="healthy", fault="healthy")])
    assert gone_faults(database, list_cases(database))[case].log == "b.log"
    assert reopen_returned(database, ["oven 7"]) == []
    assert get_case(database, case).state == "open"
    assert len(changes_of(database, case)) == 1


def test_a_conversation_becomes_a_case_with_what_it_found_and_reads_as_markdown(database, conversation):
    list(runs.consume(database_path(), conversation, "zspr 053 哪裡有問題？", agent="offline"))
    case_id = case_from(database, conversation, load_inventory(DEMO_INVENTORY), "ann")
    case, evidence = get_case(database, case_id), evidence_of(database, case_id)
    assert (
        case_from(database, conversation, load_inventory(DEMO_INVENTORY), "ann") == case_id
    )  # clicked twice
    assert (case.device, case.fault, case.channel) == ("zspr 053", "oscillation_tuning", 2)
    assert "±2.71 °C" in case.symptom and case.cause and case.ruled_out
    answer = db.list_messages(database, conversation, last=1)[0].content
    assert "kp 6.1" in case.action and case.action.split("。")[0].split(". ")[0] in answer
    assert {one.kind for one in evidence} == {"line", "chart"} and case.line == evidence[0].line
    told = markdown(case, evidence, changes_of(database, case_id), "zh")
    assert f"[L {case.line:,}](?log=zspr%20053/{case.log}&line={case.line})" in told
    assert "## 已排除" in told
    db.delete_conversation(database, conversation)
    assert get_case(database, case_id).conversation_id is None
    assert len(evidence_of(database, case_id)) == len(evidence)


@each(
    "asked, drawn",
    [
        (["Plot channel 2 of it", "Plot channel 1 of it"], {2}),
        (["Plot channel 1 of it"], {2}),  # as the diagnosis drew the whole log: what is wrong in it
    ],
)
def test_a_case_keeps_the_chart_of_its_channel_whatever_was_drawn_last(database, asked, drawn):
    conversation = db.create_conversation(database)
    for question in ("What is wrong with zspr 053?", *asked):
        list(runs.consume(database_path(), conversation, question, agent="offline"))
    case_id = case_from(database, conversation, load_inventory(DEMO_INVENTORY), "ann")
    [kept] = [chart_of(database, item.id) for item in evidence_of(database, case_id) if item.kind == "chart"]
    charts = db.list_artifacts(database, conversation, "conversation_id")
    alt, *_ = [one.alt for one in charts if db.get_artifact(database, conversation, one.id).content == kept]
    assert {number for number in range(1, 5) if f"Channel {number}:" in alt} == drawn


def test_the_scan_itself_reopens_a_case_with_the_line_that_shows_the_fault(database, tmp_path, inventory):
    logs = sorted((DEMO_INVENTORY.parent / "logs" / "zspr_053").glob("*.gz"))
    (tmp_path / "logs").mkdir()
    shutil.copy(logs[0], tmp_path / "logs")
    inventory('[[device]]\nname = "oven 7"\nip = "10.9.0.7"\nlogs = "logs"\n')
    devices = load_inventory(tmp_path / "devices.toml").devices
    scan(database_path(), devices, tmp_path / "cache", jobs=1)
    case = open_case(database, "ann", **SWINGS)
    settle(database, get_case(database, case), "ann", "kp to 6", time.time())
    shutil.copy(logs[1], tmp_path / "logs")
    found = scan(database_path(), devices, tmp_path / "cache", jobs=1)
    assert [one.id for one in found.reopened] == [case]
    assert get_case(database, case).log == logs[1].name.removesuffix(".gz")
    assert changes_of(database, case)[-1].line == 517


def test_what_settled_a_fault_before_is_said_with_the_diagnosis_and_changes_no_verdict(database):
    def asked(question):
        conversation = db.create_conversation(database)
        list(runs.consume(database_path(), conversation, question, agent="offline"))
        return db.list_messages(database, conversation, last=1)[0].content

    before = asked("What is wrong with zspr 053?")
    known = {"device": "zspr 053", "fault": "oscillation_tuning", "channel": 2}
    back, held = (open_case(database, "ann", **known) for _ in range(2))
    settle(database, get_case(database, back), "ann", "halved kp", BEFORE_THE_LOG - DAY)
    change_case(database, back, "scan", state="reopened")
    settle(database, get_case(database, held), "ann", "reseated the *thermocouple*.", BEFORE_THE_LOG)
    open_case(database, "ann", **known, cause="nobody knows yet")

    after = asked("What is wrong with zspr 053?")
    told = "On this device the same finding was settled on 2026-02-10: reseated the "
    assert told in after and f"([case {held}](?case={held}))" in after and "*thermocouple*" not in after
    assert after.index(told) < after.index("and came back: halved kp") < after.index("Next: ")
    rest = [line for line in after.splitlines() if line and "the same finding was settled" not in line]
    kept = [line for line in before.splitlines() if line]
    assert [line for line in rest if "PLOTLY" not in line] == [line for line in kept if "PLOTLY" not in line]
    history = asked("Did zspr 053 have this before?")
    assert f"settled, as people confirmed: halved kp ([case {back}]" in history
    assert "曾於 2026-02-10 解決" in asked("zspr 053 哪裡有問題？")

    settle(database, get_case(database, open_case(database, "ann", **known)), "ann", "new gains", NOON)
    later = asked("What is wrong with zspr 053?")
    told = "This log ends before the same finding was settled on this device, on 2026-03-02: new gains"
    assert told in later

    conversation = db.list_conversations(database, limit=1)[0].id
    list(runs.consume(database_path(), conversation, "zspr 053 為什麼振盪？", agent="offline"))
    sent = prompt_before(database, conversation, "chat").text
    assert f"2026-02-10, zspr 053, oscillation_tuning: reseated the *thermocouple*. [case {held}]" in sent


def test_a_case_is_opened_closed_and_found_from_the_command_line(database, conversation, capsys, ovens):
    def printed(*words):
        assert main(["case", *words]) == 0
        return capsys.readouterr().out

    exchange(database, conversation, "oven 7?", "Root cause: the fan is dirty")
    assert "1  the fan is dirty  oven 7 · Open" in printed("open", conversation)
    told = printed("close", "1", "--outcome", "cleaned the fan", "--on", "2026-03-02")
    assert "settled 2026-03-03 00:00  cleaned the fan" in told
    assert printed("list", "fan", "--state", "closed") == told
    assert "## 確認的結果\n\ncleaned the fan" in printed("show", "1", "--language", "zh")
    assert main(["case", "list", "pump"]) == 1
    for wrong, remedy in ((["show", "x"], "case list"), (["close", "1", "--on", "Friday"], "2026-11-24")):
        assert main(["case", *wrong]) == 1
        assert remedy in capsys.readouterr().err


def test_in_a_week_of_thirty_devices_the_cases_whose_faults_come_back_are_reopened_no_others(database):
    """Five faults come on the first days and are settled; two come back; logs are judged a day later."""
    devices = [f"oven {number}" for number in range(30)]
    faulty = dict(zip(devices[::6], range(5), strict=True))  # device → day of its fault
    back = {devices[0]: 4, devices[12]: 6}
    cases, reopened = {}, []
    for day in range(8):
        begins = NOON + day * DAY
        rows = []
        for device in devices:
            here = device in faulty and day in (faulty[device], faulty[device] + 1)
            here = here or (device in back and day == back[device])
            state, fault = ("fault", "oscillation_tuning") if here else ("healthy", "healthy")
            for hour in range(8):
                at = begins + hour * 3 * 3600
                one = verdict(f"{device}-{day}-{hour}.log", at, state, fault, judged=at + DAY)
                rows.append(replace(one, device=device))
        store_verdicts(database, rows)
        reopened += [(one.device, day) for one in reopen_returned(database, devices)]
        for device in (one for one, came in faulty.items() if came == day):
            known = {**SWINGS, "device": device, "log": f"{device}-{day}-0.log"}
            cases[device] = open_case(database, "ann", **known)
        offered = gone_faults(database, list_cases(database, state="unsettled"))
        for case in [get_case(database, number) for number in offered]:
            if case.state == "open":
                settle(database, case, "bob", "halved kp", begins + DAY)
    assert sorted(reopened) == sorted(back.items())
    states = {device: get_case(database, number).state for device, number in cases.items()}
    assert states == {device: "reopened" if device in back else "closed" for device in faulty}
    assert get_case(database, cases[devices[12]]).log == "oven 12-6-0.log"
