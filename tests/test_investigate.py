"""Investigate with our own analyst: proposed, agreed to, carried out, told, saved only when asked."""

import json
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from exchanges import share_judged

import db
from instrumentgpt.agents.events import Done, Failure, Tool
from instrumentgpt.memory.state import DiagnosticState
from instrumentgpt.storage.artifacts import documents_folder
from instrumentgpt.storage.entities import list_entities
from instrumentgpt.storage.runs import get_prompt, list_prompts, list_runs
from instrumentgpt.turn import runs

pytestmark = pytest.mark.usefixtures("forked")

SIX = "compare the six ovens since Monday and write a report"
DEMO = Path(__file__).parents[1] / "demo"


class Talk:
    """A conversation in Investigate: `say` returns the answer, the rest is as it is stored."""

    def __init__(self, folder: Path, database: Path, conversation: str = "") -> None:
        """Go on in a copy of `database`, with a new conversation if none is named."""
        self.path = folder / "instrumentgpt.db"
        with closing(db.connect(database)) as copied:
            copied.execute("VACUUM INTO ?", (str(self.path),))
        with closing(db.connect(self.path)) as opened:
            self.id = conversation or db.create_conversation(opened)
        self.events: list = []

    def say(self, words: str, mode: str = "investigate", agent: str = "offline", **more) -> str:
        self.events = list(runs.consume(self.path, self.id, words, mode=mode, agent=agent, **more))
        assert isinstance(self.events[-1], Done)
        return self.events[-1].text

    @property
    def tools(self) -> list[str]:
        """The tools that were called, without the steps themselves."""
        ended = [one for one in self.events if isinstance(one, Tool) and one.status != "started"]
        return [one.name for one in ended if one.server]

    @property
    def offers(self) -> list[tuple[str, str]]:
        with closing(db.connect(self.path)) as database:
            last = db.list_messages(database, self.id, last=1)[0]
            return [(one.text, one.mode) for one in db.list_offers(database, last.id)]

    @property
    def entities(self) -> dict:
        with closing(db.connect(self.path)) as database:
            return {one.ref: one for one in list_entities(database, self.id)}

    @property
    def pending(self) -> dict | None:
        with closing(db.connect(self.path)) as database:
            return db.get_mode_state(database, self.id, "investigate").get("pending")

    @property
    def device(self) -> str | None:
        """The device that the conversation is about."""
        with closing(db.connect(self.path)) as database:
            return DiagnosticState.deserialize(db.get_memory(self.id, database)[1]).device_name

    @property
    def documents(self) -> list[db.Document]:
        with closing(db.connect(self.path)) as database:
            return db.list_documents(database, self.id)


@pytest.fixture
def talk(tmp_path, migrated):
    share_judged(tmp_path / "cache")
    return Talk(tmp_path, migrated)


def copied(talk: Talk, folder: Path) -> Talk:
    """Return the conversation as it stands now once more, to go on with."""
    return Talk(folder, talk.path, talk.id)


@pytest.fixture(scope="module")
def stories(tmp_path_factory, migrated):
    """A function: request → its conversation up to the report, and as it was when it was proposed."""

    @cache
    def story(request: str):
        talk = Talk(tmp_path_factory.mktemp("story"), migrated)
        proposal, offers = talk.say(request), talk.offers
        waiting = copied(talk, tmp_path_factory.mktemp("proposed"))
        return talk, proposal, offers, talk.say(offers[0][0]), waiting

    return story


@pytest.fixture
def six(stories):
    """The story of the six ovens up to the report, with what each turn said."""
    return stories(SIX)[:4]


@pytest.fixture
def reported(stories, tmp_path):
    """A conversation of the test's own whose report waits for its saving."""
    return copied(stories(SIX)[0], tmp_path)


@pytest.fixture
def proposed(stories, tmp_path):
    """A conversation of the test's own whose proposal waits for its yes."""
    return copied(stories(SIX)[4], tmp_path)


def test_six_ovens_are_proposed_before_anything_is_done(six):
    _, proposed, offers, _ = six
    assert proposed.count("\n1. ") == 1 and "zspr 055" in proposed and "2026-" in proposed
    assert [mode for _, mode in offers] == ["investigate", "investigate"]


def test_003_11_a_yes_carries_the_proposal_out(six):
    talk, _, _, answer = six
    assert talk.tools.count("fetch_log") == talk.tools.count("diagnose_log") == 6
    assert talk.tools.count("write_report") == talk.tools.count("plot_log") == 1
    assert talk.events[-1].outcome == "ok"
    for number in range(50, 56):
        assert f"zspr 0{number}" in answer


def test_the_answer_ranks_with_links_and_says_what_to_do(six):
    *_, answer = six
    assert answer.index("1. zspr 051") < answer.index("6. zspr 052")
    assert answer.count("](?log=zspr%20") >= 5 and "gen_report_1" in answer
    assert "channel 2**" in answer  # a blank before ** would undo the bold
    assert "PLOTLY_CHART" in answer


def test_003_09_groups_run_in_order_and_a_group_side_by_side(six):
    talk, *_ = six
    shown = [one for one in talk.events if isinstance(one, Tool)]
    last_fetch = max(place for place, one in enumerate(shown) if one.name == "fetch_log")
    first_diagnosis = min(place for place, one in enumerate(shown) if one.name == "diagnose_log")
    last_diagnosis = max(place for place, one in enumerate(shown) if one.name == "diagnose_log")
    first_report = min(place for place, one in enumerate(shown) if one.name == "write_report")
    assert last_fetch < first_diagnosis and last_diagnosis < first_report
    sessions = {one.call_id.rpartition("-")[0] for one in shown if one.name == "diagnose_log"}
    assert len(sessions) == 3  # as many processes as may run at once


def test_the_steps_are_shown_as_they_begin_and_end(six):
    talk, *_ = six
    steps = [(one.name, one.status) for one in talk.events if isinstance(one, Tool) and not one.server]
    assert [steps.count((f"step_{number}", "ok")) for number in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert steps.index(("step_1", "ok")) < steps.index(("step_2", "started"))


def test_003_12_the_report_is_there_and_not_saved(six):
    talk, *_ = six
    report = talk.entities["gen_report_1"]
    assert report.flag == "unsaved" and talk.documents == []
    with closing(db.connect(talk.path)) as database:
        made = db.get_artifact(database, talk.id, report.link["artifact"])
        assert not documents_folder(database).exists()
    page = made.content.decode()
    assert made.kind == "html" and all(f"zspr_0{number}" in page for number in range(50, 56))
    assert talk.offers[0][0].endswith("gen_report_1")


def test_what_the_steps_touched_has_refs(six):
    talk, *_ = six
    kinds = [one.type for one in talk.entities.values()]
    assert kinds.count("device") == kinds.count("log") == 6
    assert kinds.count("finding") >= 5 and kinds.count("chart") == kinds.count("report") == 1


@pytest.mark.parametrize(
    "words, saved",
    [
        ("yes", True),
        ("儲存 gen_report_1", True),
        ("save the report please", True),
        ("don't save gen_report_1", False),
        ("不要儲存", False),
    ],
)
def test_003_12_only_the_users_word_saves(reported, words, saved):
    answer = reported.say(words)
    assert [one.ref for one in reported.documents] == (["gen_report_1"] if saved else [])
    assert reported.entities["gen_report_1"].flag == ("created" if saved else "unsaved")
    assert "gen_report_1" in answer


def test_003_06_what_is_saved_keeps_its_name_and_is_saved_once(reported):
    reported.say("save gen_report_1")
    (document,) = reported.documents
    assert (reported.path.parent / "documents" / document.file).read_text().startswith("<!DOCTYPE html>")
    assert "was saved before" in reported.say("save gen_report_1")
    assert len(reported.documents) == 1


@pytest.mark.parametrize("words, said", [("yes", "Nothing waits"), ("好", "沒有等待")])
def test_a_yes_to_nothing_carries_nothing_out(talk, words, said):
    talk.say("what is wrong with zspr 052?")
    assert said in talk.say(words)
    assert talk.tools == []


def test_what_does_not_exist_cannot_be_saved(reported):
    answer = reported.say("save gen_report_7")
    assert "no unsaved `gen_report_7`" in answer and "`gen_report_1`" in answer
    assert reported.documents == []


def test_one_device_is_looked_into_at_once(talk):
    answer = talk.say("10.1.1.112 為什麼溫度波動？")
    assert talk.tools == ["fetch_log", "diagnose_log", "plot_log", "advise_gains"]
    assert "通道 2 增益造成的振盪" in answer and "](?log=zspr%20053/" in answer
    assert talk.pending is None and talk.offers == []
    answer = talk.say("那 kp 可以調高嗎？")
    assert "fetch_log" not in talk.tools and "advise_gains" in talk.tools
    assert "kp" in answer


def test_what_cannot_be_known_is_asked_and_the_answer_settles_it(talk):
    answer = talk.say("why does it swing?")
    assert "zspr 053 (10.1.1.112)" in answer and talk.tools == []
    assert talk.offers == [("why does it swing?", mode) for mode in ("interview", "panel")]
    assert talk.pending["kind"] == "question"
    assert "zspr 053" in talk.say("zspr 053") and "diagnose_log" in talk.tools


def test_two_ovens_of_six_must_be_named(talk):
    assert "Which devices do you mean?" in talk.say("compare the two ovens")
    assert "1. Fetch the newest log of zspr 052, zspr 053" in talk.say("052 and 053")


@pytest.mark.parametrize("words", ["不要", "cancel"])
def test_003_11_a_no_drops_the_proposal(proposed, words):
    assert "nothing was carried out" in proposed.say(words)
    assert proposed.tools == [] and proposed.pending is None


@pytest.mark.parametrize("words", ["yesterday it was fine", "yes?"])
def test_003_11_what_is_no_yes_carries_nothing_out(proposed, words):
    proposed.say(words)
    assert "write_report" not in proposed.tools


def test_003_11_other_words_amend_the_proposal(proposed):
    talk = proposed
    answer = talk.say("no, only the first two, and no report")
    assert "zspr 051" in answer and "zspr 052" not in answer and "report" not in answer
    answer = talk.say("ok")
    assert talk.tools.count("diagnose_log") == 2 and "write_report" not in talk.tools


def test_003_10_a_plan_over_the_limit_is_proposed(talk):
    talk.say("effort quick. compare 052 and 053 and write a report")
    assert talk.pending["kind"] == "proposal"
    answer = talk.say("yes")
    assert talk.tools.count("fetch_log") == 2 and "write_report" not in talk.tools
    assert "2 steps are left" in answer and talk.pending["steps"]
    talk.say("yes")
    assert "write_report" in talk.tools and talk.entities["gen_report_1"].flag == "unsaved"


def test_a_device_whose_logs_cannot_be_had_is_told_and_the_rest_goes_on(talk, tmp_path, monkeypatch):
    inventory = tmp_path / "devices.toml"
    lost = f'[[device]]\nname = "lost 1"\nip = "10.1.1.9"\nlogs = "{tmp_path}/nowhere"\n'
    here = f'[[device]]\nname = "zspr 053"\nip = "10.1.1.112"\nlogs = "{DEMO}/logs/zspr_053"\n'
    inventory.write_text(lost + here)
    monkeypatch.setenv("INSTRUMENTGPT_INVENTORY", str(inventory))
    talk.say("compare lost 1 and zspr 053 and write a report")
    answer = talk.say("yes")
    failed = [one for one in talk.events if isinstance(one, Tool) and one.status == "failed"]
    assert {one.name for one in failed} >= {"fetch_log"} and "nowhere" in answer
    assert talk.tools.count("write_report") == 1 and talk.entities["gen_report_1"].flag == "unsaved"
    assert "Not everything was done" in answer and talk.events[-1].outcome == "ok"


def test_a_device_nobody_knows_is_said_and_nothing_is_asked(talk):
    answer = talk.say("compare 10.9.9.9 with itself")
    assert "10.9.9.9" in answer and "*Add instrument*" in answer and talk.tools == []


def test_a_log_that_was_fetched_in_ask_is_not_fetched_again(talk):
    talk.say("zspr 053 為什麼振盪？", mode="chat")
    talk.say("look into log_1 again")
    assert "fetch_log" not in talk.tools and "diagnose_log" in talk.tools


def test_a_dropped_file_is_looked_into(talk):
    content = (DEMO / "logs" / "zspr_052" / "InstrumentDebug_2026-02-18_22-10-07.51.log").read_bytes()
    answer = talk.say("what is wrong here?", attachments=[("oven.log", content)])
    assert "diagnose_log" in talk.tools and "fetch_log" not in talk.tools and "`oven.log`" in answer
    assert [one.label for one in talk.entities.values() if one.type == "log"] == ["oven.log"]


def test_a_stop_ends_the_steps_and_keeps_what_was_told(proposed):
    talk, begun = proposed, []

    def stopped() -> bool:
        return bool(begun)

    events = []
    for event in runs.consume(
        talk.path, talk.id, "yes", mode="investigate", agent="offline", stopped=stopped
    ):
        events.append(event)
        if isinstance(event, Tool) and event.name == "fetch_log" and event.status == "ok":
            begun.append(True)
    assert events[-1].outcome == "cancelled"
    assert not [one for one in events if isinstance(one, Tool) and one.name == "write_report"]
    with closing(db.connect(talk.path)) as database:
        assert list_runs(database, talk.id)[0].status != "running"


def test_step_results_stay_out_of_later_prompts(six):
    talk, *_ = six
    with closing(db.connect(talk.path)) as database:
        sent = [row[0] for row in list_prompts(database, talk.id) if row[2] == "think"]
        texts = [get_prompt(database, talk.id, number).text for number in sent]
    assert texts and not [text for text in texts if "half_peak_to_peak" in text]
    assert not [one for one in talk.events if isinstance(one, Failure)]


def test_003_14_what_is_not_understood_is_asked_and_a_question_leaves_the_plan_waiting(proposed):
    before = proposed.pending["devices"]
    assert "I did not understand" in proposed.say("without the two upstairs")
    assert "Nothing has been carried out yet" in proposed.say("what will that report contain?")
    assert proposed.tools == [] and proposed.pending["devices"] == before
    assert [text for text, _ in proposed.offers] == ["Yes, go ahead", "No"]


def test_003_14_what_was_taken_out_is_never_worked_on(proposed):
    assert "zspr 050" not in proposed.say("all except 050, without the report")
    assert proposed.tools == []
    answer = proposed.say("yes")
    fetched = [json.loads(one.result)["device"] for one in proposed.events if _is_fetch(one)]
    assert sorted(fetched) == [f"zspr 05{number}" for number in range(1, 6)] and "zspr 050" not in answer
    assert "write_report" not in proposed.tools


def _is_fetch(event) -> bool:
    return isinstance(event, Tool) and event.name == "fetch_log" and event.status == "ok"


def test_the_page_sends_devices_and_steps_as_they_were_ticked_and_put_in_order(proposed):
    answer = proposed.say("devices: zspr 052, zspr 053\nsteps: 1, 2")
    assert "1. Fetch the logs of zspr 052, zspr 053" in answer and "3. " not in answer
    assert proposed.pending["devices"] == ["zspr 052", "zspr 053"] and proposed.tools == []


def test_a_report_is_called_by_its_devices_and_day_and_not_by_the_question(six):
    talk, *_ = six
    title = talk.entities["gen_report_1"].label
    assert title == "zspr 050, zspr 051, zspr 052, zspr 053 and 2 more, 2026-02-19 – 2026-02-20"


@pytest.mark.parametrize(
    "words, turned_to", [("without 052", "zspr 055"), ("only 053", "zspr 053"), ("052 拿掉", "zspr 055")]
)
def test_what_was_taken_out_is_not_the_device_in_question_and_the_worst_that_was_read_is(
    talk, words, turned_to
):
    talk.say("compare 052 and 055 and 053")
    assert talk.device == "zspr 052"
    talk.say(words)
    assert talk.device == turned_to
    talk.say("yes")
    assert talk.device == "zspr 053"


def test_an_excluded_device_of_a_new_request_leaves_the_conversation_where_it_was(talk):
    talk.say("restart 053", mode="chat")
    talk.say("compare all ovens except 052")
    assert talk.device == "zspr 053"


@pytest.mark.parametrize("words", ["restart 053", "please restart zspr 053", "重啟 053"])
def test_an_order_is_answered_in_the_words_of_ask_and_reads_nothing(talk, words):
    answer = talk.say(words)
    assert talk.tools == [] and talk.pending is None
    assert answer == talk.say(words, mode="chat")
