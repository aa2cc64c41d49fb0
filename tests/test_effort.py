"""What a request asks for: how much work, since when, of which devices."""

from datetime import date

import pytest

from instrumentgpt.agents.offline.tasks.wishes import wanted_devices, wants_report
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.fleet import devices_meant, speaks_of_several
from instrumentgpt.modes.investigate.amending import amends
from instrumentgpt.modes.investigate.effort import STEPS, effort_of
from instrumentgpt.settings import DEMO_INVENTORY
from instrumentgpt.text.since import since

SATURDAY = date(2026, 11, 21)


def test_003_10_the_limits_are_those_of_the_design():
    assert STEPS == {"QUICK": 2, "BENCH": 4, "PLAN": 8, "CREATE": 4}


@pytest.mark.parametrize(
    "words, effort",
    [
        ("what is the setpoint of zspr 052?", "QUICK"),
        ("通道 2 的設定值是多少？", "QUICK"),
        ("10.1.1.47 為什麼溫度波動？", "BENCH"),
        ("why does zspr 052 drift", "BENCH"),
        ("compare the six ovens", "PLAN"),
        ("比較六台烤箱", "PLAN"),
        ("what happened since Monday?", "PLAN"),
        ("compare the six ovens since Monday and write a report", "CREATE"),
        ("寫一份 052 的報告", "CREATE"),
        ("quick look at all ovens", "QUICK"),
        ("快速看一下 052", "QUICK"),
        ("look into 052 in depth", "PLAN"),
        ("徹底檢查 052", "PLAN"),
        ("effort: create. why does it drift?", "CREATE"),
        ("effort bench compare all", "BENCH"),
    ],
)
def test_003_10_the_effort_is_chosen_from_the_words(words, effort):
    assert effort_of(words) == effort


def test_003_10_a_setting_overrides_the_choice_and_words_override_the_setting():
    assert effort_of("compare all ovens", "QUICK") == "QUICK"
    assert effort_of("compare all ovens in depth", "QUICK") == "PLAN"
    assert effort_of("why?", "no such effort") == "BENCH"


def test_several_devices_are_worth_a_plan():
    assert effort_of("zspr 052 and 053", devices=["a", "b"]) == "PLAN"


@pytest.mark.parametrize(
    "words, day",
    [
        ("since Monday", "2026-11-16"),
        ("compare them since last friday", "2026-11-20"),
        ("since Saturday", "2026-11-21"),
        ("自週一以來", "2026-11-16"),
        ("從星期三開始的記錄", "2026-11-18"),
        ("自从礼拜五", "2026-11-20"),
        ("since 2026-11-03", "2026-11-03"),
        ("從 2026年2月18日 的記錄", "2026-02-18"),
        ("since 02-18", "2026-02-18"),
        ("since 12-24", "2025-12-24"),
        ("the last 3 days", "2026-11-18"),
        ("past two weeks", "2026-11-07"),
        ("最近三天", "2026-11-18"),
        ("過去兩週", "2026-11-07"),
        ("since yesterday", "2026-11-20"),
        ("昨天以來", "2026-11-20"),
        ("this week", "2026-11-16"),
        ("本週的溫度", "2026-11-16"),
        ("since last week", "2026-11-09"),
        ("since this morning", "2026-11-21"),
    ],
)
def test_since_when_is_read_in_both_languages(words, day):
    assert str(since(words, SATURDAY)) == day


@pytest.mark.parametrize(
    "words", ["why?", "on Monday it was fine", "since the door opened", "52 °C", "since 13-45", ""]
)
def test_where_no_beginning_is_named_there_is_none(words):
    assert since(words, SATURDAY) is None


ALL = "050 051 052 053 054 055"


@pytest.mark.parametrize(
    "words, numbers",
    [
        ("compare the six ovens", ALL),
        ("比較這六台烤箱", ALL),
        ("all devices", ALL),
        ("every oven", ALL),
        ("所有設備", ALL),
        ("把全部比較一下", ALL),
        ("the 6 instruments", ALL),
        ("zspr 052 and 053", "052 053"),
        ("all loops of 10.1.1.47", "052"),
        ("compare the two ovens", ""),
        ("which oven is worst?", ""),
        ("六個通道", ""),
        ("why?", ""),
    ],
)
def test_several_devices_are_meant_by_name_by_number_or_as_all(words, numbers):
    found = devices_meant(words, load_inventory(DEMO_INVENTORY))
    assert " ".join(device.name[-3:] for device in found) == numbers


def test_devices_that_are_spoken_of_but_not_named_are_known_to_be_several():
    assert speaks_of_several("compare the two ovens") and speaks_of_several("兩台的差異")
    assert not speaks_of_several("why does it swing?")


@pytest.mark.parametrize(
    "amendments, numbers",
    [
        (["no, only the first two"], "050 051"),
        (["只要前三台"], "050 051 052"),
        (["only zspr 052"], "052"),
        (["only 053", "052 too"], "053 052"),
        (["without the report"], ALL),
    ],
)
def test_003_11_words_amend_which_devices_are_meant(amendments, numbers):
    found = wanted_devices(
        "compare the six ovens and write a report", amendments, load_inventory(DEMO_INVENTORY)
    )
    assert " ".join(device.name[-3:] for device in found) == numbers


@pytest.mark.parametrize(
    "asked, amendments, wanted",
    [
        ("write a report", [], True),
        ("比較並寫報告", [], True),
        ("compare", [], False),
        ("compare, no report", [], False),
        ("write a report", ["不要報告"], False),
        ("compare", ["and write a report"], True),
    ],
)
def test_whether_a_report_is_wanted_is_what_was_said_last(asked, amendments, wanted):
    assert wants_report(asked, amendments) is wanted


@pytest.mark.parametrize(
    "words", ["no, only the first two", "只要前兩台", "also 053", "改成 053", "without the report"]
)
def test_003_11_words_that_change_a_proposal_amend_it(words):
    assert amends(words, "proposal")


@pytest.mark.parametrize(
    "words", ["why does zspr 053 oscillate?", "10.1.1.47 為什麼溫度波動？", "list devices"]
)
def test_another_question_does_not_amend_a_proposal(words):
    assert not amends(words, "proposal")
