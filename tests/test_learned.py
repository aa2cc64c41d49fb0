"""What a turn learns belongs to the device it was read from, whichever the question named."""

from dataclasses import replace
from pathlib import Path

from cases import each

from instrumentgpt.instruments.devices import Device, Inventory
from instrumentgpt.turn.record import states_after
from memory import DiagnosticState, begin_question

A, B, C = (Device(f"oven {n}", f"10.9.0.{n}", "file:///logs") for n in (1, 2, 3))
INVENTORY = Inventory(Path(), (A, B, C))


def diagnosed(device, text, log="x.log"):
    finding = {"text": text, "evidence": [{"line": 7}]}
    return "diagnose_log", {"device": device, "log": log, "findings": [finding], "root_causes": [finding]}


def about(device):
    return begin_question(DiagnosticState(), device.ip, device.name)


def test_a_finding_of_the_device_asked_about_is_its_own():
    after = states_after(about(A), [diagnosed("oven 1", "it swings")], "", INVENTORY, {})
    assert after.state.findings == ["it swings"] and after.filed == {}
    assert [(item.device, item.line) for item in after.items if item.field == "findings"] == [("oven 1", 7)]


@each("inventory", [INVENTORY, Inventory(Path(), tuple(replace(oven, ip="") for oven in (A, B, C)))])
def test_findings_of_several_devices_are_filed_each_under_its_own(inventory):
    results = [diagnosed(f"oven {n}", f"finding {n}") for n in (1, 2, 3)]
    after = states_after(about(inventory.devices[0]), results, "", inventory, {})
    assert after.state.findings == ["finding 1"]
    filed = {name: DiagnosticState.deserialize(text) for name, text in after.filed.items()}
    assert {name: state.findings for name, state in filed.items()} == {
        "oven 2": ["finding 2"],
        "oven 3": ["finding 3"],
    }
    assert filed["oven 2"].device_ip == (inventory.devices[1].ip or None)


def test_without_a_device_in_question_nothing_of_several_is_mixed():
    after = states_after(
        DiagnosticState(), [diagnosed("oven 1", "one"), diagnosed("oven 2", "two")], "", INVENTORY, {}
    )
    assert after.state.findings == [] and set(after.filed) == {"oven 1", "oven 2"}


def test_the_only_device_that_was_looked_at_becomes_the_one_in_question():
    after = states_after(DiagnosticState(), [diagnosed("oven 2", "it drifts")], "", INVENTORY, {})
    assert after.state.device_name == "oven 2" and after.state.findings == ["it drifts"]
    assert after.filed == {}


def test_what_was_filed_of_another_device_goes_on():
    before = about(B)
    before.findings = ["older"]
    after = states_after(
        about(A), [diagnosed("oven 2", "newer")], "", INVENTORY, {"oven 2": before.serialize()}
    )
    assert DiagnosticState.deserialize(after.filed["oven 2"]).findings == ["older", "newer"]


@each("device", ["", None, "oven 9", 3])
def test_a_dropped_file_belongs_to_the_question(device):
    after = states_after(DiagnosticState(), [diagnosed(device, "it spikes")], "", INVENTORY, {})
    assert after.state.findings == ["it spikes"] and after.filed == {}


def test_words_about_several_devices_are_nobodys():
    results = [diagnosed("oven 1", "one"), diagnosed("oven 2", "two")]
    words = "**Hypothesis**: the room is cold."
    assert states_after(about(A), results, words, INVENTORY, {}).state.hypotheses == []
    assert states_after(about(A), results[:1], words, INVENTORY, {}).state.hypotheses != []


def test_the_order_of_the_results_does_not_matter():
    results = [diagnosed(f"oven {n}", f"finding {n}") for n in (1, 2, 3)]
    forwards = states_after(about(A), results, "", INVENTORY, {})
    backwards = states_after(about(A), results[::-1], "", INVENTORY, {})
    assert forwards.state == backwards.state and forwards.filed == dict(backwards.filed)


def test_a_log_that_was_fetched_of_another_device_and_told_of_is_not_that_of_the_device_in_question():
    fetched = "fetch_log", {"device": "oven 2", "log": "other.log"}
    own = "fetch_log", {"device": "oven 1", "log": "own.log"}
    after = states_after(about(A), [own, fetched], "Compared own.log and other.log.", INVENTORY, {})
    assert after.state.downloaded_logs == ["own.log"] and after.filed == {}


@each(
    "results",
    [
        [("advise_gains", {"device": "oven 1", "log": "new.log"})],
        [("list_logs", {"device": "oven 1", "logs": [{"name": "old.log"}]})],
        [("survey_devices", {"devices": [{"device": "oven 2", "log": "old.log"}]})],
    ],
)
def test_a_log_that_the_answer_only_names_was_not_read(results):
    before = about(A)
    before.downloaded_logs, before.last_log_file = ["new.log"], "new.log"
    after = states_after(before, results, "Ask by `old.log`, which is not analysed yet.", INVENTORY, {})
    assert (after.state.downloaded_logs, after.state.last_log_file) == (["new.log"], "new.log")


def test_a_log_that_an_agent_read_by_itself_is_known_from_its_words():
    after = states_after(about(A), [], "In old.log the fan stops.", INVENTORY, {})
    assert after.state.last_log_file == "old.log"
