"""What is handed on says all of it, leads back to the page, and can do nothing where it arrives."""

import re
import shutil
import time
import zlib
from dataclasses import replace
from datetime import datetime

import pytest

import db
from instrumentgpt.__main__ import main
from instrumentgpt.analyst.words import plain_text
from instrumentgpt.fleet.cases import settle
from instrumentgpt.fleet.scan import scan
from instrumentgpt.handover import pdf
from instrumentgpt.handover.document import answer_document, facts_of
from instrumentgpt.handover.letters import KINDS, BadTemplate, Facts, letter
from instrumentgpt.handover.markdown import answer_text
from instrumentgpt.handover.shift import shift_document
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.memory.filtering import marker
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.moments import choose_zone
from instrumentgpt.settings import DEMO_INVENTORY, database_path, home
from instrumentgpt.storage.alerts import end_alert, open_alerts, raise_alert
from instrumentgpt.storage.cases import change_case, get_case, open_case, pin
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("judged_before")

DEMO_LOGS = DEMO_INVENTORY.parent / "logs"
PAGE = "http://192.0.2.7:8501/"


def test_a_copied_answer_has_links_to_its_lines_and_charts_and_no_markers(database, conversation):
    said = "Kp is high [L 7](?log=a%20b.log&line=7).\n\n{chart}\n\nNext: lower it <!-- no marker of ours -->"
    answer = db.add_message(database, conversation, "assistant", "…")
    chart = db.add_artifact(database, conversation, None, answer, "plotly", "oven [7]", "", b"{}")
    message = replace(
        db.list_messages(database, conversation)[0], content=said.format(chart=marker("plotly", chart))
    )
    text = answer_text(message, conversation, db.list_artifacts(database, answer), PAGE, ["Stopped"])
    assert text == (
        f"Kp is high [L 7]({PAGE}?conv={conversation}&log=a%20b.log&line=7).\n\n"
        f"[oven 7]({PAGE}?conv={conversation}&msg={answer})\n\n"
        "Next: lower it <!-- no marker of ours -->\n\n*Stopped*\n"
    )


@pytest.fixture
def lab(tmp_path, monkeypatch, database):
    """Two instruments judged: oven 1 held on 18 February and swings since the 20th, oven 2 is healthy."""
    lines = []
    for number, demo in ((1, "zspr_053"), (2, "zspr_052")):
        shutil.copytree(DEMO_LOGS / demo, tmp_path / f"oven_{number}")
        lines.append(f'[[device]]\nname = "oven {number}"\nip = "10.1.1.{number}"\nlogs = "oven_{number}"\n')
    (tmp_path / "lab.toml").write_text("\n".join(lines))
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(tmp_path / "lab.toml"))
    devices = load_inventory(tmp_path / "lab.toml").devices
    scan(database_path(), devices, home() / "cache", jobs=1)
    return devices


def told(database, lab, since, language="en"):
    """Return what a shift from `since` says: title of a section → its text."""
    moment = datetime.fromisoformat(since).timestamp()
    text = shift_document(database, lab, moment, language, PAGE).markdown()
    return {title: rest for title, _, rest in (one.partition("\n\n") for one in text.split("\n## "))}


def test_a_shift_tells_what_came_and_what_was_wrong_before_with_links_to_the_page_of_logs(database, lab):
    choose_zone("Pacific/Kiritimati")  # which shifts no log's clock
    came = told(database, lab, "2026-02-19 18:00")
    assert "**oven 1**: Channel 2: pv swings by ±2.71 °C" in came["New faults"]
    assert f"]({PAGE}logs?device=oven%201&log=InstrumentDebug_2026-02-20" in came["New faults"]
    assert "2026-02-20 08:49" in came["New faults"]  # the fault's onset; its log begins at 08:47
    assert came["Still wrong since before"] == "None.\n"
    later = told(database, lab, "2026-02-21 18:00", "zh")
    assert later["新故障"] == "無。\n" and "通道 2：實際值以 ±2.71 °C 振盪" in later["先前已有、仍未解決"]


def test_a_shift_tells_what_went_what_was_talked_of_and_which_cases_are_open(database, lab):
    log = "InstrumentDebug_2026-02-20_08-47-19.73.log"
    for channel in (2, 4):
        raise_alert(database, "oven 1", "oscillation_tuning", channel, "high", "swings", log, 517)
    end_alert(database, next(one.id for one in open_alerts(database) if one.channel == 4))
    talk = db.create_conversation(database, "why <b>so</b>?")
    db.add_message(database, talk, "user", "why?")
    state = DiagnosticState(device_name="oven 2", root_causes=["kp 50 *is* too high"])
    db.update_memory(talk, "", state.serialize(), database)
    open_case(database, "ann", device="oven 2", symptom="noise")
    said = told(database, lab, datetime.now().strftime("%Y-%m-%d 00:00"))
    assert said["New faults"].count("**oven 1**") == said["Faults that have gone"].count("**oven 1**") == 1
    assert f"]({PAGE}?conv={talk}&msg=" in said["Conversations"] and "(oven 2)" in said["Conversations"]
    assert r"kp 50 \*is\* too high" in said["Conversations"]
    assert said["Cases"] == "- Case 1, **oven 2**: noise, open\n"


@pytest.mark.parametrize("settled", [True, False])
def test_a_shift_counts_old_logs_as_silence_and_a_fault_whose_case_was_closed_as_gone(database, lab, settled):
    number = open_case(database, "ann", device="oven 1", fault="oscillation_tuning", channel=2)
    settle(database, get_case(database, number), "ann", "kp to 6", time.time())
    if not settled:
        change_case(database, number, "scan", state="reopened")
    said = told(database, lab, datetime.now().strftime("%Y-%m-%d 00:00"))
    assert ("oven 1" in said["Still wrong since before"]) == (not settled)
    assert ("oven 1" in said["Faults that have gone"]) == settled
    silent = said["Instruments without a log for longer than usual"]
    assert silent.count("nothing for") == 2 and "**oven 2**" in silent


HOSTILE = "<script>alert(1)</script><img src=http://evil.example/x> {{ 7*7 }} ![x](http://evil.example/y)"


def test_a_report_of_an_answer_has_its_chart_and_lines_and_nothing_in_it_runs_or_loads(database, lab, capsys):
    assert main(["ask", "10.1.1.1 why does it swing?", "--agent", "offline"]) == 0
    (conversation,) = db.list_conversations(database)
    db.rename_conversation(database, conversation.id, HOSTILE)
    document = answer_document(database, conversation.id, None, "en", PAGE)
    page = document.html()
    assert page.count('<svg class="static"') == 1 and "The lines it quotes" in page
    assert f'href="{PAGE}?conv={conversation.id}&amp;log=oven%201%2FInstrumentDebug_2026-02-20' in page
    assert re.search(r"L 517</a> <code>[^<]*Kp=50", page)
    assert not re.search(r"<(script|img|iframe|object|link)|<[^>]*\ssrc=", page)
    assert "default-src 'none'; style-src 'unsafe-inline'" in page and "49" not in document.title
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in page


def inflated(stream):
    """Return what a stream of a PDF holds: the letters of a font stand in it by their numbers."""
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:  # of a picture, or not compressed
        return stream


@pytest.mark.skipif(pdf.printer() == "", reason="nothing here makes a PDF")
def test_a_shift_is_printed_with_its_links(lab, tmp_path, capsys):
    target = tmp_path / "shift.pdf"
    assert main(["report", "shift", "--since", "2026-02-19", "-o", str(target), "--language", "zh"]) == 0
    printed = target.read_bytes()
    streams = re.findall(rb"stream\r?\n(.*?)endstream", printed, re.DOTALL)
    letters = b"".join(text for one in streams if b"beginbf" in (text := inflated(one)))
    assert [one for one in "交班報告實際值振盪" if b"<%04X>" % ord(one) not in letters] == []
    assert b"/logs?device=oven%201&log=InstrumentDebug_2026-02-20" in printed


def test_without_anything_that_prints_the_remedy_is_told(lab, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["report", "shift", "-o", str(tmp_path / "shift.pdf")]) == 1
    assert "apt-get install chromium" in capsys.readouterr().err and not (tmp_path / "shift.pdf").exists()


@pytest.mark.parametrize(
    "words, problem",
    [
        (["shift", "--since", "soon"], "names no moment"),
        (["case"], "names no case"),
        (["case", "7"], "There is no case 7"),
        (["answer", "none"], "none"),
        (["shift", "-o", "a.doc"], ".html, .pdf or .md"),
    ],
)
def test_a_report_that_cannot_be_made_says_what_to_give(database, capsys, words, problem):
    assert main(["report", *words]) == 1
    assert problem in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_letter_is_filled_from_the_case_and_says_nothing_of_what_nobody_knows(
    database, conversation, kind, language
):
    well = "Channel 1 is healthy: holds within ±0.02 °C"
    state = DiagnosticState(device_name="oven 2", findings=["pv <b>swings</b> by ±2.7 °C", well])
    db.update_memory(conversation, "", state.serialize(), database)
    of_talk = letter(kind, language, facts_of(database, conversation, PAGE))
    assert "oven 2" in of_talk and "‹b>swings" in of_talk and "kp 50" not in of_talk
    assert "healthy" not in of_talk
    case = {"symptom": "pv swings", "cause": "kp 50 is too high", "action": "kp to 6", "model": "T-8"}
    number = open_case(database, "ann", device="oven 2", conversation_id=conversation, **case)
    pin(database, number, "ann", "PV `52.7`", "oven 2", "a.log", 517)
    text = letter(kind, language, facts_of(database, conversation, PAGE))
    assert "kp 50 is too high" in text and "pv swings" in text and "\n\n\n" not in text
    assert ("kp to 6" in text and f"{PAGE}cases?case={number}" in text) == (kind != "vendor")
    assert ("T-8" in text and "- L 517 `` PV `52.7` ``" in text) == (kind == "vendor")


def test_a_letter_of_a_talk_has_cause_lines_and_next_step_though_its_root_cause_says_the_symptom_again(
    database, conversation
):
    list(runs.consume(database_path(), conversation, "What is wrong with zspr 051?", agent="offline"))
    state = DiagnosticState.deserialize(db.get_memory(conversation, database)[1])
    symptom = state.findings[0]
    state.root_causes = [f"Output saturated: {symptom}."]
    db.update_memory(conversation, "", state.serialize(), database)
    facts = facts_of(database, conversation, PAGE)
    vendor, technician = (letter(kind, "en", facts) for kind in ("vendor", "technician"))
    assert vendor.count(plain_text(symptom)) == 1 and facts.cause and "Output saturated:" not in vendor
    assert "ZSPR-4" in vendor and "- L 1,840 `" in vendor and "No failed heater" not in vendor + technician
    assert technician.count("- [ ]") == 3 and technician.index(facts.cause) < technician.index(facts.action)
    assert "electrical power" in technician


def test_a_letter_says_what_else_was_checked(database, conversation):
    list(runs.consume(database_path(), conversation, "zspr 054 哪裡有問題？", agent="offline"))
    assert "也查過的其他原因：不是感測器" in letter("vendor", "zh", facts_of(database, conversation, PAGE))


def test_a_device_without_a_model_is_set_apart_from_the_chinese_after_it():
    assert "我們的儀器 oven 7 出現" in letter("vendor", "zh", Facts("oven 7"))


def test_a_letter_of_ones_own_comes_first_and_a_broken_one_is_named(database):
    own = home() / "letters" / "boss.en.md"
    own.parent.mkdir(parents=True)
    own.write_text("Boss, {{ device }} again.")
    assert letter("boss", "en", Facts("oven 7")) == "Boss, oven 7 again.\n"
    own.write_text("{{ device.__class__.__mro__ }} {% if %}")
    with pytest.raises(BadTemplate, match=r"boss.en.md: .*Correct it"):
        letter("boss", "en", Facts("oven 7"))
