"""Our own moments are told in the zone that people chose; a log's own clock as the log has it."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import psutil
import pytest
import streamlit as st
from cases import each
from pages import PAGE_SECONDS, button
from streamlit.testing.v1 import AppTest
from waiting import wait_for

import db
from instrumentgpt import moments
from instrumentgpt.fleet.cases import end_of
from instrumentgpt.settings import database_path
from instrumentgpt.storage.cases import open_case
from instrumentgpt.turn.close import start_detached
from instrumentgpt.ui.logs.place import LOG
from instrumentgpt.ui.session import ZONE

EARLY, LATE = "Pacific/Kiritimati", "Pacific/Pago_Pago"  # a day and an hour apart


@pytest.fixture(autouse=True)
def machines_zone():
    yield
    moments.choose_zone()


@each("zone, told", [(EARLY, "2026-11-25 00:30"), (LATE, "2026-11-23 23:30")])
def test_a_moment_is_told_in_the_zone_that_was_chosen_and_a_log_s_clock_is_not_shifted(zone, told):
    logged = datetime(2026, 2, 20, 8, 47).timestamp()
    moments.choose_zone("auto", zone)
    assert moments.moment(datetime(2026, 11, 24, 10, 30, tzinfo=UTC).timestamp()) == told
    assert moments.log_moment(logged) == "2026-02-20 08:47"


def test_a_run_that_a_page_starts_counts_days_in_the_zone_of_its_reader(tmp_path):
    moments.choose_zone(EARLY)
    with (tmp_path / "log").open("wb") as log:
        number = start_detached(tmp_path / "none.db", "a-run", log)
    started = psutil.Process(number)
    assert wait_for(started.environ)[moments.VARIABLE] == EARLY  # none until the kernel has laid it out


def test_a_file_that_another_thread_makes_tells_moments_in_the_zone_of_its_page(monkeypatch):
    made = []
    monkeypatch.setattr(st, "download_button", lambda label, make, *rest, **looks: made.append(make))

    def script():
        import streamlit as st

        from instrumentgpt import moments
        from instrumentgpt.ui import controls, session

        def content():
            with session.opened():
                return moments.moment(1_800_000_000.0)

        st.session_state[session.ZONE] = "Pacific/Kiritimati"
        controls.download("File", content, "file.txt", "text/plain")

    assert not AppTest.from_function(script, default_timeout=PAGE_SECONDS).run().exception
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(made[0]).result() == "2027-01-15 22:00"


@each("zone", [EARLY, LATE])
def test_a_case_is_settled_on_a_day_of_the_reader_s_zone_which_ends_there(zone):
    def script():
        from instrumentgpt.ui import cases

        cases.page()

    with closing(db.connect(database_path())) as database:
        number = open_case(database, "ann", device="oven 7")
    at = AppTest.from_function(script, default_timeout=PAGE_SECONDS)
    at.session_state[ZONE], at.query_params["case"] = zone, str(number)
    button(at.run(), "Confirm outcome and close").click().run()
    assert at.date_input[0].value == datetime.now(ZoneInfo(zone)).date()
    moments.choose_zone(zone)
    assert end_of(date(2026, 3, 2)) == datetime(2026, 3, 3, tzinfo=ZoneInfo(zone)).timestamp()


def test_the_list_of_logs_tells_when_a_file_was_written_in_the_zone_of_the_page(tmp_path, inventory):
    def script():
        from instrumentgpt.ui.logs import page

        page.page()

    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "run.log").write_text("one line\n")
    os.utime(tmp_path / "logs" / "run.log", (datetime(2026, 3, 2, 20, 30, tzinfo=UTC).timestamp(),) * 2)
    inventory('[[device]]\nname = "oven 7"\nip = "10.9.0.7"\nlogs = "logs"\n')
    at = AppTest.from_function(script, default_timeout=PAGE_SECONDS)
    at.session_state[ZONE] = EARLY
    assert "2026-03-03 10:30" in at.run().selectbox(key=LOG).options[0]
