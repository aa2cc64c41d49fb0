"""What a request asks for: how much work, since when, of which devices."""

from datetime import date

from cases import SHARE, each, rated

from instrumentgpt.agents.offline.tasks.wishes import wanted_devices, wants_report
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.fleet import devices_meant, speaks_of_several
from instrumentgpt.instruments.since import since
from instrumentgpt.modes.investigate.amending import amends
from instrumentgpt.modes.investigate.effort import STEPS, effort_of
from instrumentgpt.settings import DEMO_INVENTORY

SATURDAY = date(2026, 11, 21)


def test_003_10_the_limits_are_those_of_the_design():
    assert STEPS == {"QUICK": 2, "BENCH": 4, "PLAN": 8, "CREATE": 4}


@rated("effort")
def test_003_10_the_effort_is_chosen_from_the_words(words, effort):
    assert effort_of(words) == effort


def test_003_10_a_setting_overrides_the_choice_and_words_override_the_setting():
    assert effort_of("compare all ovens", "QUICK") == "QUICK"
    assert effort_of("compare all ovens in depth", "QUICK") == "PLAN"
    assert effort_of("why?", "no such effort") == "BENCH"


def test_several_devices_are_worth_a_plan():
    assert effort_of("zspr 052 and 053", devices=["a", "b"]) == "PLAN"


@rated("effort")
def test_since_when_is_read_in_both_languages(words, day):
    assert str(since(words, SATURDAY)) == day


@rated("effort")
def test_where_no_beginning_is_named_there_is_none(words):
    assert since(words, SATURDAY) is None


ALL = "050 051 052 053 054 055"


@each(
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
    SHARE,
)
def test_several_devices_are_meant_by_name_by_number_or_as_all(words, numbers):
    found = devices_meant(words, load_inventory(DEMO_INVENTORY))
    assert " ".join(device.name[-3:] for device in found) == numbers


def test_devices_that_are_spoken_of_but_not_named_are_known_to_be_several():
    assert speaks_of_several("compare the two ovens") and speaks_of_several("兩台的差異")
    assert not speaks_of_several("why does it swing?")


@each(
    "amendments, numbers",
    [
        (["no, only the first two"], "050 051"),
        (["只要前三台"], "050 051 052"),
        (["only zspr 052"], "052"),
        (["only 053", "052 too"], "053 052"),
        (["without the report"], ALL),
    ],
    SHARE,
)
def test_003_11_words_amend_which_devices_are_meant(amendments, numbers):
    found = wanted_devices(
        "compare the six ovens and write a report", amendments, load_inventory(DEMO_INVENTORY)
    )
    assert " ".join(device.name[-3:] for device in found) == numbers


@rated("effort")
def test_whether_a_report_is_wanted_is_what_was_said_last(asked, amendments, wanted):
    assert wants_report(asked, amendments) is wanted


@rated("effort")
def test_003_11_words_that_change_a_proposal_amend_it(words):
    assert amends(words, "proposal")


@each("words", ["why does zspr 053 oscillate?", "10.1.1.47 為什麼溫度波動？", "list devices"])
def test_another_question_does_not_amend_a_proposal(words):
    assert not amends(words, "proposal")
