"""Search over all conversations: both languages, other names, findings, logs; best first, the hit marked."""

import json

import pytest
from cases import each
from spent import pieces

import db
from instrumentgpt.__main__ import main
from instrumentgpt.instruments.devices import load_inventory, spoken_names
from instrumentgpt.memory.terms import marked, search_terms
from instrumentgpt.settings import DEMO_INVENTORY

LOG = "InstrumentDebug_2026-02-19_23-24-45.39.log"


def asked(database, question, answer="I see."):
    conversation = db.create_conversation(database)
    db.add_message(database, conversation, "user", question)
    db.add_message(database, conversation, "assistant", answer)
    return conversation


def found(database, query, aliases=()):
    return [hit.text for hit in db.search(database, query, aliases)]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("oscillating", "Channel 1 shows an oscillation of 0.4 °C."),
        ("加熱器", "加热器在通道 3 开路。"),
        ("加热器", "加熱器在通道 3 開路。"),
        ("比例增益", "kp is a third too high"),
        ("kp", "比例增益太高"),
        ("溫度波動", "溫度有明顯的波動"),
        ("為什麼溫度波動？", "溫度的波動來自門"),
        ("ＫＰ", "kp is a third too high"),
        ("突波", "Channel 1: a spike of 4 °C."),
        ("drifting", "通道 2 的讀值漂移。"),
        ("hing", "the hinge of the door"),
        ("WO-30629", "as work order WO-30629 says"),
        ("InstrumentDebug_2026-02-19", f"I fetched {LOG}."),
        ("0.12", "kp is 0.12 now"),
    ],
)
def test_words_are_found_in_other_forms_languages_and_scripts(database, query, text):
    asked(database, "hello", text)
    asked(database, "something else", "of another thing")
    (hit,) = db.search(database, query)
    assert hit.text == text
    assert any(is_hit for _, is_hit in hit.pieces)


def test_what_holds_all_words_comes_before_what_holds_some(database):
    asked(database, "the heater of the lid")
    asked(database, "the heater is open")
    asked(database, "the lid is open")
    assert found(database, "heater lid")[0] == "the heater of the lid"
    assert len(found(database, "heater lid")) == 3


def test_a_rare_word_counts_where_not_all_are_found(database):
    for number in range(30):
        asked(database, f"kp of channel {number}")
    asked(database, "valve V-17 leaks")
    assert "valve V-17 leaks" in found(database, "V-17 kp")


def test_a_device_is_found_by_its_address_name_and_number(database):
    names = spoken_names(load_inventory(DEMO_INVENTORY))
    asked(database, "10.1.1.47 為什麼溫度波動？")
    asked(database, "10.1.1.46 why?")
    for query in ("zspr 052", "10.1.1.47", "052"):
        assert found(database, query, names) == ["10.1.1.47 為什麼溫度波動？"]


def test_findings_and_logs_are_found_with_their_device(database):
    conversation = asked(database, "why?", "See below.")
    message = db.list_messages(database, conversation)[-1].id
    items = [
        db.StateItem("zspr 052", "root_causes", "the door seal leaks", "tool", message),
        db.StateItem("zspr 052", "downloaded_logs", LOG, "tool", message),
    ]
    db.add_state_items(database, conversation, items)
    (hit,) = db.search(database, "052 seal")
    assert (hit.kind, hit.device, hit.message_id, hit.text) == (
        "root_causes", "zspr 052", message, "the door seal leaks",
    )  # fmt: skip
    assert [one.kind for one in db.search(database, LOG)] == ["downloaded_logs"]


def test_a_message_says_which_device_it_was_about(database):
    conversation = asked(database, "why does it swing?", "the damper")
    first, second = db.list_messages(database, conversation)
    db.add_state_items(database, conversation, [db.StateItem("zspr 053", "findings", "x", "tool", second.id)])
    (hit,) = db.search(database, "swing")
    assert (hit.message_id, hit.device, hit.kind) == (first.id, "zspr 053", "question")


def test_a_deleted_turn_and_its_findings_are_not_found(database):
    conversation = asked(database, "the flange", "It leaks.")
    message = db.list_messages(database, conversation)[-1].id
    db.add_state_items(
        database, conversation, [db.StateItem("d", "findings", "flange loose", "tool", message)]
    )
    assert len(db.search(database, "flange")) == 2
    db.delete_turn(database, message)
    assert db.search(database, "flange") == []


@pytest.mark.parametrize(
    "query", ["", "  ", "?", "the", "為什麼", '"', "NEAR(", "a* OR -b", "terms : x", "'; --"]
)
def test_any_query_is_words_and_never_a_command(database, query):
    asked(database, "hello", "world")
    assert db.search(database, query) == []


def test_a_hit_deep_in_a_pasted_log_is_shown_in_its_context(database):
    lines = [f"[2026-02-19 23:24:{n % 60:02d}] reading {n}" for n in range(60_000)]
    lines[40_000] = "[2026-02-19 23:24:01] turbopump overspeed"
    asked(database, "\n".join(lines))
    (hit,) = db.search(database, "turbopump")
    assert "turbopump overspeed" in hit.text and len(hit.text) < 500


@each(
    "text, query, hits",
    [
        ("Heaters and a heater.", "heater", ["Heaters", "heater"]),
        ("加熱功率太高", "加热功率", ["加熱功率"]),
        ("run_052.log is here", "run_05", ["run_052.log"]),
        ("kp, KP and Kp/ki", "kp", ["kp", "KP", "Kp"]),
        ("nothing", "kp", []),
    ],
)
def test_the_hit_is_marked_as_it_is_written(text, query, hits):
    pieces = marked(text, search_terms(query))
    assert [piece for piece, is_hit in pieces if is_hit] == hits
    assert "".join(piece for piece, _ in pieces) == text


@pytest.mark.soak
def test_twenty_thousand_messages_are_searched_in_a_blink(database):
    words = [
        "oscillation",
        "setpoint",
        "kp",
        "heater",
        "sensor",
        "channel",
        "valve",
        "溫度",
        "波動",
        "加熱器",
    ]
    with db.transaction(database):
        for conversation in [db.create_conversation(database) for _ in range(100)]:
            for number in range(200):
                text = " ".join(words[(number * step) % len(words)] for step in range(1, 40))
                db.add_message(database, conversation, "user" if number % 2 else "assistant", text)
    queries = iter(["oscillation kp", "溫度波動", "heater of channel sensor"])  # every message fits each
    hits = []
    assert pieces(lambda: hits.append(db.search(database, next(queries)))) < 30
    assert [len(found) for found in hits] == [20, 20, 20]


def test_the_command_prints_the_hit_with_its_address(database, capsys):
    conversation = asked(database, "the flange \x1b[2J leaks")
    message = db.list_messages(database, conversation)[0].id
    assert main(["search", "flange"]) == 0
    printed = capsys.readouterr().out
    assert f"?conv={conversation}&msg={message}" in printed and "\x1b" not in printed
    assert main(["search", "--json", "flange"]) == 0
    assert json.loads(capsys.readouterr().out)["message_id"] == message
    assert main(["search", "nothing"]) == 1
