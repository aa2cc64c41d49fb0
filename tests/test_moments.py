"""Our own moments are told in the zone that people chose; a log's own clock as the log has it."""

from datetime import UTC, datetime

import psutil
import pytest
from cases import each

from instrumentgpt import moments
from instrumentgpt.turn.close import start_detached

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
    assert psutil.Process(number).environ()[moments.VARIABLE] == EARLY
