"""What a request asks for: how much work, since when, of which devices."""

from datetime import date

from cases import SHARE, each, rated

from bench import plans
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.fleet import choose, devices_meant, speaks_of_several
from instrumentgpt.instruments.since import since
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
    "words, numbers",
    [
        ("no, only the first two", "050 051"),
        ("只要前三台", "050 051 052"),
        ("all except 050", "051 052 053 054 055"),
        ("不要 052，改成 055", "050 051 053 054 055"),
        ("without the report", ALL),
    ],
    SHARE,
)
def test_003_11_14_words_change_which_devices_are_meant(words, numbers):
    inventory = load_inventory(DEMO_INVENTORY)
    found = choose(words, inventory, inventory.devices)
    assert " ".join(device.name[-3:] for device in found.devices) == numbers


def test_whether_a_report_is_wanted_is_what_was_said_last():
    inventory = load_inventory(DEMO_INVENTORY)
    told = {words: choose(words, inventory).report for words in ("write a report", "no report", "why?")}
    assert told == {"write a report": True, "no report": False, "why?": None}


def test_003_14_a_plan_is_changed_as_people_say_it_and_never_carried_out_on_what_they_took_out():
    """On 30 phrasings by somebody who had read none of the code; half of them were never looked at."""
    counts, _ = plans.scored()
    assert counts["devices"] >= 0.8 * counts["all"] and counts["does"] >= 0.8 * counts["all"]
    assert counts["carried out wrongly"] == 0
