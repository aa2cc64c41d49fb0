"""The memory inspector shows what the next question would bring along, and where each item came from."""

import pytest
from cases import each
from exchanges import context_of, exchange
from pages import button, page, texts
from streamlit.testing.v1 import AppTest

import db
import memory
from instrumentgpt.agents.events import Done
from instrumentgpt.memory.facts import Fact
from instrumentgpt.memory.revisions import Item
from instrumentgpt.settings import Settings, database_path
from instrumentgpt.storage.export import case_as_markdown
from instrumentgpt.storage.revisions import list_deleted, list_revisions, revise
from instrumentgpt.storage.runs import keep_prompt, live_run, start_run
from instrumentgpt.turn.runs import consume
from instrumentgpt.ui import inspector
from instrumentgpt.ui.inspector import VIEW
from instrumentgpt.ui.inspector.editing import key_of


def sidebar(conversation: str, kinds: tuple[str, ...] = ("markdown", "caption", "code")) -> str:
    shown = page(conversation).sidebar
    return "\n".join(str(element.value) for kind in kinds for element in shown.get(kind))


def with_state(database, state: memory.DiagnosticState, items=()) -> tuple[str, int]:
    conversation = db.create_conversation(database)
    question = db.add_message(database, conversation, "user", "why?")
    db.update_memory(conversation, "", state.serialize(), database)
    db.add_state_items(database, conversation, [item(question) for item in items])
    return conversation, question


def test_every_item_says_who_said_it_in_which_turn_and_which_line_shows_it(database):
    state = memory.DiagnosticState(
        "10.1.1.47", "zspr 052", findings=["pv swings by 3 °C"], root_causes=["kp is 9"]
    )
    conversation, _ = with_state(
        database,
        state,
        [
            lambda message: db.StateItem(
                "zspr 052", "findings", "pv swings by 3 °C", "tool", message, "run.log", 18204
            ),
            lambda message: db.StateItem("zspr 052", "root_causes", "kp is 9", "user", message),
        ],
    )
    shown = sidebar(conversation)
    assert "pv swings by 3 °C" in shown
    assert f"tool · turn 1 · [L 18,204](?conv={conversation}&log=zspr%20052%2Frun.log&line=18204)" in shown
    assert "user · turn 1" in shown


@pytest.mark.parametrize(
    ("status", "causes", "told"),
    [("resolved", ["kp is 9"], "root cause named"), ("investigating", [], "investigating")],
)
def test_the_header_and_the_inspector_say_the_same_of_how_far_it_is(database, status, causes, told):
    state = memory.DiagnosticState("10.1.1.47", "zspr 052", root_causes=causes, status=status)
    at = page(with_state(database, state)[0])
    said = [
        one.value for part in (at.main, at.sidebar) for one in part.markdown if "troubleshoot" in one.value
    ]
    assert len(said) == 2 and said[0] == said[1] and told in said[0]


def edits(conversation: str, view: str = "Edits") -> AppTest:
    at = page(conversation)
    at.session_state[VIEW] = view
    return at.run()


def test_deleted_turns_are_listed_in_the_pages_language_and_restored_or_deleted_for_good(database):
    db.save_setting(database, "language", "zh")
    conversation = db.create_conversation(database)
    for words in ("why does it **swing**?", "為什麼溫度波動？", "and now?"):
        exchange(database, conversation, words)
    messages = db.list_messages(database, conversation)
    for message in messages[:4:2]:
        db.delete_turn(database, message.id)
    at = edits(conversation, "變更")
    shown = "\n".join(str(one.value) for one in at.sidebar.markdown)
    assert "why does it \\*\\*swing\\*\\*?" in shown and "原為第 1 輪" in shown
    assert "為什麼溫度波動？" in shown and "原為第 2 輪" in shown
    first, second = list_deleted(database, conversation)
    labels = {one.key: one.label for one in at.sidebar.button}
    assert (labels[f"restore-{first.id}"], labels[f"restore-{second.id}"]) == ("還原", "還原")
    next(one for one in at.sidebar.button if one.key == f"restore-{first.id}").click().run()
    assert [one.id for one in db.list_messages(database, conversation)] == [
        *[one.id for one in messages[:2]],
        *[one.id for one in messages[4:]],
    ]
    assert at.query_params["msg"] == str(messages[0].id)
    next(one for one in at.sidebar.button if one.key == f"for-good-{second.id}").click().run()
    assert list_deleted(database, conversation) == []
    assert not at.exception


def test_the_newest_change_is_undone_from_the_state_view_be_it_a_deletion(database):
    conversation = db.create_conversation(database)
    exchange(database, conversation, "why?")
    db.delete_turn(database, db.list_messages(database, conversation)[0].id)
    at = page(conversation)
    undo = next(one for one in at.sidebar.button if one.key == "undo-last")
    assert undo.label == "Undo: Delete “why?”"
    undo.click().run()
    assert db.count_messages(database, conversation) == 2


def test_an_item_whose_origin_nobody_recorded_says_so(database):
    conversation, _ = with_state(database, memory.DiagnosticState(findings=["from an old database"]))
    assert "origin not recorded" in sidebar(conversation)


def test_the_state_cannot_format_the_sidebar(database):
    conversation, _ = with_state(database, memory.DiagnosticState(findings=[":red[x] **b** $y$ <i> :smile:"]))
    shown = sidebar(conversation, ("markdown",))
    assert ":red[x]" not in shown.replace("\\:", "")
    assert "**b**" not in shown
    assert ":smile:" not in shown


def test_every_section_has_its_number_and_a_word_beside_its_colour(database):
    conversation, _ = with_state(
        database, memory.DiagnosticState(device_name="zspr 052", findings=["a finding"])
    )
    shown = sidebar(conversation)
    assert "of 8k tokens" in shown
    for name in ("request", "state", "recent"):
        assert f"}} {name} " in shown


@pytest.mark.parametrize("question", ["那 kp 可以調高嗎？", "10.1.1.47 why?", "zspr 050 怎麼了？"])
def test_the_preview_is_exactly_what_a_turn_would_send(database, monkeypatch, tmp_path, question):
    prompt_file = tmp_path / "prompt.txt"
    agent = tmp_path / "agent"
    agent.write_text(
        f"#!/bin/sh\ncat > {prompt_file}\n"
        'echo \'{"type": "result", "subtype": "success", "is_error": false, "result": "ok"}\'\n'
    )
    agent.chmod(0o755)
    monkeypatch.setenv("INSTRUMENTGPT_AGENT_PATH", str(agent))
    state = memory.DiagnosticState("10.1.1.47", "zspr 052", findings=["pv swings"], status="resolved")
    conversation, _ = with_state(database, state)
    db.add_message(database, conversation, "assistant", "because")
    preview, _ = inspector.next_prompt(database, conversation, question, Settings(agent_path=str(agent)))
    *_, last = consume(database_path(), conversation, question, agent="cursor")
    assert isinstance(last, Done)
    assert prompt_file.read_text() == preview.text


def test_the_preview_stores_nothing(database):
    conversation, _ = with_state(
        database, memory.DiagnosticState(device_name="zspr 052", device_ip="10.1.1.47")
    )
    before = db.get_memory(conversation, database)
    inspector.next_prompt(database, conversation, "zspr 050?", Settings())
    assert db.get_memory(conversation, database) == before
    assert db.device_states(database, conversation) == {}


@each("parts", [[], [("#000000", 0)], [("#000000", 9000), ("#111111", 4000)]])
def test_the_bar_never_overflows(parts):
    widths = [float(piece.split("%")[0]) for piece in inspector.bar(parts, 8000).split("width:")[1:]]
    assert sum(widths) <= 100.1


def shown_in(at: AppTest) -> str:
    return "\n".join(
        str(one.value) for kind in ("markdown", "caption", "code") for one in at.sidebar.get(kind)
    )


def menu_of(at: AppTest, item: Item):
    return at.sidebar.menu_button(f"item-{key_of(item)}")


FINDING = Item("zspr 052", "findings", "pv swings")
KNOWN = memory.DiagnosticState("10.1.1.47", "zspr 052", findings=["pv swings", "the fan is dirty"])


def test_a_finding_is_pinned_first_and_says_so(database):
    conversation, _ = with_state(database, KNOWN)
    at = page(conversation)
    item = Item("zspr 052", "findings", "the fan is dirty")
    menu_of(at, item).click("pin").run()
    shown = shown_in(at)
    assert ":material/keep: the fan is dirty" in shown
    assert shown.index("the fan is dirty") < shown.index("pv swings")
    assert ":material/keep_off: Unpin" in menu_of(at, item).options
    assert "  - finding: the fan is dirty" in next_text(database, conversation)


def next_text(database, conversation: str) -> str:
    return inspector.next_prompt(database, conversation, "why?", Settings())[0].text


def test_a_value_is_corrected_in_a_dialog_and_later_prompts_say_it(database):
    conversation, question = with_state(database, KNOWN)
    facts = [Fact("zspr 052", "", "kp", "0.09")]
    db.store_facts(database, conversation, question, "agent", facts)
    at = page(conversation)
    menu_of(at, Item("zspr 052", "value", "kp")).click("edit").run()
    box = next(one for one in at.text_input if one.label == "What is true")
    assert box.value == "0.09"
    box.set_value("0.12")
    next(one for one in at.button if one.label == "Save").click().run()
    assert not at.exception
    assert "**0\\.12**" in shown_in(at)
    assert "was “0\\.09”" in shown_in(at)
    assert "kp, zspr 052\\: 0\\.09" in at.sidebar.button("undo-last").label
    assert "0.12 (turn 1, corrected by the user; previously 0.09 in turn 1)" in next_text(
        database, conversation
    )


def test_an_edit_that_is_refused_says_why_and_changes_nothing(database):
    conversation, _ = with_state(database, KNOWN)
    at = page(conversation)
    menu_of(at, FINDING).click("edit").run()
    next(one for one in at.button if one.label == "Save").click().run()
    assert any("the old one" in warning.value for warning in at.warning)
    assert list_revisions(database, conversation) == []


def test_every_change_is_listed_with_who_and_can_be_undone_and_done_again(database):
    conversation, _ = with_state(database, KNOWN)
    made = revise(database, conversation, FINDING, "edit", "pv swings", "pv swings at night", "Ana")
    at = page(conversation)
    at.session_state[VIEW] = "Edits"
    at.run()
    assert "Edit “pv swings” → “pv swings at night”" in shown_in(at)
    assert "· Ana · turn 1" in shown_in(at)
    at.sidebar.button(f"undo-{made}").click().run()
    assert "undone" in shown_in(at)
    at.sidebar.button(f"redo-{made}").click().run()
    assert "pv swings at night" in next_text(database, conversation)


def test_a_past_prompt_is_shown_as_it_was_sent_and_held_against_the_one_before(database):
    conversation, question = with_state(database, KNOWN)
    for text in ("kp is 0.09, <b>why</b>?", "kp is 0.12, <b>why</b>?"):
        told = {"run_id": "r", "task": "chat", "agent": "offline", "budget": 8000}
        last = keep_prompt(database, conversation, question, text, **told)
    at = page(conversation)
    at.session_state[VIEW] = "Prompt"
    at.run()
    at.sidebar.selectbox[0].set_value(last).run()
    assert [code.value for code in at.sidebar.code] == ["kp is 0.12, <b>why</b>?"]
    at.sidebar.segmented_control[0].set_value("difference").run()
    assert [code.value for code in at.sidebar.code] == [
        "- kp is 0.09, <b>why</b>?\n+ kp is 0.12, <b>why</b>?"
    ]


def test_an_older_message_shows_what_remains_of_it_and_is_put_back(database):
    conversation = db.create_conversation(database)
    for n in range(6):
        exchange(database, conversation, f"question {n}?", f"The seal of door {n} is worn. " * 30)
    at = page(conversation)
    at.session_state[VIEW] = "Older"
    at.run()
    assert "What remains:** User: question 2?" in shown_in(at).replace("\\", "")
    first = db.list_messages(database, conversation)[1].id
    at.sidebar.button(f"put-back-{first}").click().run()
    assert "in the prompt again" in shown_in(at)
    recalled = next_text(database, conversation).partition("<recalled_turns>")[2]
    assert "[turn 1] Assistant: The seal of door 0 is worn." in recalled and recalled.count("door 0") > 20
    at.sidebar.button(f"take-out-{first}").click().run()
    recalled = next_text(database, conversation).partition("<recalled_turns>")[2]
    assert recalled.count("door 0") < 20  # a few words, as there is room


def test_a_summary_that_is_being_written_is_shown_and_can_be_stopped(database):
    conversation = db.create_conversation(database)
    for n in range(6):
        exchange(database, conversation, f"question {n}?", f"The seal of door {n} is worn. " * 30)
    run_id = start_run(database, conversation, "cursor", "", kind="summary")
    at = page(conversation)
    at.session_state[VIEW] = "Older"
    at.run()
    assert "Summary by the agent: waiting for other answers to end" in shown_in(at)
    at.sidebar.button(f"stop-{run_id}").click().run()
    assert "Summary by the agent: stopped" in shown_in(at)
    assert live_run(database, conversation, "summary") is None


def test_what_remains_of_a_message_is_what_any_layer_of_the_prompt_tells(database):
    conversation = db.create_conversation(database)
    for n in range(6):
        exchange(database, conversation, f"question {n}?", f"The seal of door {n} is worn. " * 30)
    at = page(conversation)
    at.session_state[VIEW] = "Older"
    at.run()
    assert "What remains:** User: question 2?" in shown_in(at).replace("\\", "")


def test_a_nickname_says_which_device_it_is_and_forgetting_it_can_be_undone(database):
    conversation = db.create_conversation(database)
    exchange(database, conversation, "thanks for taking over")
    exchange(database, conversation, "zspr 053 我們叫「北極」")
    at = page(conversation)
    assert "**北極** is zspr 053" in shown_in(at) and "user · turn 2" in shown_in(at)
    assert "- zspr 053 is called 北極" in case_as_markdown(database, conversation)
    at.sidebar.button(f"nickname-{key_of(Item('zspr 053', 'nickname', '北極'))}").click().run()
    assert "**北極** is zspr 053" not in shown_in(at)
    assert "Forget “北極 as a name of zspr 053”" in at.sidebar.button("undo-last").label
    at.sidebar.button("undo-last").click().run()
    assert "**北極** is zspr 053" in shown_in(at)


def test_notes_stand_where_they_count_and_forgetting_one_can_be_undone(database):
    conversation, _ = with_state(database, KNOWN)
    db.save_note(database, "valve", "Meier decides on the valve", "deferred", conversation)
    db.save_note(database, "seal", "Its seal is new", scope="zspr 052")
    db.save_note(database, "other", "of another device", scope="zspr 050")
    at = page(conversation)
    shown = shown_in(at)
    assert (
        shown.index("For a person to decide") < shown.index("Meier decides") < shown.index("Its seal is new")
    )
    assert "of another device" not in shown
    at.sidebar.button(f"note-{key_of(Item(conversation, 'note', 'valve'))}").click().run()
    assert "Meier decides on the valve  " not in shown_in(at)
    at.sidebar.button("undo-last").click().run()
    assert "Meier decides on the valve" in shown_in(at)


def test_what_was_said_of_another_device_stands_under_its_name(database):
    conversation = db.create_conversation(database)
    exchange(database, conversation, "053 怎麼了？", "已排除：\n\n- 不是致動器：擺幅 ±50 %")
    exchange(database, conversation, "What is wrong with 052?", "Ruled out: the sensor of channel 1")
    shown = sidebar(conversation, ("markdown",))
    own, others = shown.index("**Ruled out**"), shown.index("**Ruled out of zspr 053**")
    assert own < shown.index("the sensor of channel 1") < others < shown.index("不是致動器")


def test_a_person_lays_down_lifts_confirms_names_and_takes_back_what_was_misread(database):
    conversation = db.create_conversation(database)
    exchange(database, conversation, "zspr 052: kp is 9", "Hypothesis: the fan is dirty")
    at = page(conversation)
    assert {":material/task_alt: Confirm", ":material/remove_done: Rule out"} <= set(
        menu_of(at, Item("zspr 052", "hypotheses", "the fan is dirty")).options
    )
    menu_of(at, Item("zspr 052", "hypotheses", "the fan is dirty")).click("confirm").run()
    assert "Root causes:\n  - the fan is dirty" in next_text(database, conversation)
    assert ":material/block: Not so" in menu_of(at, Item("zspr 052", "value", "kp")).options
    menu_of(at, Item("zspr 052", "value", "kp")).click("forget").run()
    next(one for one in at.text_input if one.label == "Lay down a constraint").set_value("never **open** it")
    next(one for one in at.button if one.proto.help == "Lay it down").click().run()
    assert "  - never **open** it (turn 1)" in next_text(database, conversation)
    menu_of(at, Item("zspr 052", "constraint", "never **open** it")).click("lift").run()
    assert "never **open** it" not in next_text(database, conversation)
    assert "Lift “never" in at.sidebar.button("undo-last").label
    next(one for one in at.text_input if one.label == "Call zspr 052").set_value("Tallinn").run()
    assert "**Tallinn** is zspr 052" in shown_in(at)
    done = [one.action for one in list_revisions(database, conversation)]
    assert done == ["confirm", "forget", "lay_down", "lift", "name"] and not at.exception


def test_a_sentence_that_may_lay_down_or_lift_is_asked_about_and_answered_by_a_click(database):
    conversation = db.create_conversation(database)
    held, over = "Nobody opens it before the leak test is signed.", "The leak test ran this morning."
    exchange(database, conversation, f"052 為什麼溫度波動？ {held}")
    exchange(database, conversation, f"{over} 風扇轉速照原廠的。")
    at = page(conversation)
    assert "what of “Nobody opens it" in texts(at)
    button(at, "Lifted").click().run()
    assert "Lifted" not in [one.label for one in at.button]
    assert held not in context_of(next_text(database, conversation))
    button(at, "保留").click().run()
    assert "保留" not in [one.label for one in at.button]
    assert "風扇轉速照原廠的" in context_of(next_text(database, conversation))
    assert at.sidebar.button("undo-last").label.startswith("Undo: Lay down")
    at.sidebar.button("undo-last").click().run()
    assert "保留" in [one.label for one in at.button] and not at.exception
