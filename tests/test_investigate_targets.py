"""What a step works on, read from its words and from what is here by then."""

from datetime import date

from cases import each

from instrumentgpt.analyst.case import Subject
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.modes.investigate.decisions import ThinkStep
from instrumentgpt.modes.investigate.execution import Scene, period_of, targets_of
from instrumentgpt.settings import DEMO_INVENTORY
from instrumentgpt.storage.entities import Entity

A, B = "a_2026-02-20_08-00-00.log", "b_2026-02-19_08-00-00.log"


def entity(ref, last, **link):
    return Entity(ref, ref.rpartition("_")[0], ref, "", 1, last, "", link)


KNOWN = [
    entity("device_1", 9, device="zspr 052"),
    entity("log_1", 3, device="zspr 052", log=B),
    entity("log_2", 9, device="zspr 052", log=A),
    entity("loop_1", 9, device="zspr 053", log="", channel=2),
    entity("log_3", 1, device="", log="dropped.csv"),
]


def fetched(device, log):
    return "fetch_log", {"device": device, "log": log}


def diagnosed(device, log, severity, error):
    found = [{"class": "x", "severity": severity}] if severity != "none" else [{"class": "healthy"}]
    return "diagnose_log", {
        "device": device,
        "log": log,
        "findings": found,
        "channels": [{"iae_per_hour": error, "in_band": None}],
    }


def scene(request="why?", **more):
    told = {"entities": KNOWN, "request": request, "today": date(2026, 11, 21), **more}
    return Scene(load_inventory(DEMO_INVENTORY), **told)


def step(description, kind="analyze", subdomain="logs"):
    return ThinkStep(description=description, step_type=kind, subdomain=subdomain, group=0)


def works_on(description, *, kind="analyze", **more):
    return targets_of(step(description, kind), scene(**more))


def test_a_ref_stands_for_what_it_is():
    assert works_on("Diagnose log_1") == [Subject(B, "zspr 052")]
    assert works_on("compare log_1 與 log_3") == [Subject(B, "zspr 052"), Subject("dropped.csv", "")]
    assert works_on("Look at loop_1") == [Subject("", "zspr 053", channel=2)]


def test_a_device_brings_the_log_of_this_plan_else_its_latest_else_none():
    assert works_on("Diagnose zspr 052", results=[fetched("zspr 052", "new.log")]) == [
        Subject("new.log", "zspr 052")
    ]
    assert works_on("Diagnose zspr 052") == works_on("Diagnose device_1") == [Subject(A, "zspr 052")]
    assert works_on("診斷 zspr 054") == [Subject("", "zspr 054")]


def test_a_step_that_names_nothing_works_on_what_the_plan_fetched():
    results = [fetched("zspr 052", A), fetched("zspr 053", "c.log")]
    assert works_on("Analyze the fetched logs", results=results) == [
        Subject(A, "zspr 052"),
        Subject("c.log", "zspr 053"),
    ]


def test_else_on_what_the_request_names_else_on_what_is_in_view():
    assert works_on("Analyze it", request="why does zspr 055 swing?") == [Subject("", "zspr 055")]
    assert works_on("Analyze it", device="zspr 052", log=A) == [Subject(A, "zspr 052")]
    assert works_on("Analyze it", dropped=["mine.csv"]) == [Subject("mine.csv", "")]
    assert works_on("Analyze it") == []


def test_reading_logs_is_of_devices_and_all_means_all():
    found = works_on("Fetch the newest log of each oven", kind="read")
    assert [one.device[-3:] for one in found] == ["050", "051", "052", "053", "054", "055"]
    assert {one.log for one in found} == {""}
    assert works_on("Fetch log_1 again", kind="read") == [Subject(B, "zspr 052")]
    assert works_on("Fetch log_3", kind="read") == []


@each("words", ["Draw the worst of zspr 052, zspr 053", "畫出 zspr 052、zspr 053 中最糟的一台"])
@each(
    "of_052, of_053, worst",
    [
        (("high", 1.0), ("medium", 9.0), "zspr 052"),
        (("none", 9.0), ("low", 0.1), "zspr 053"),
        (("high", 1.0), ("high", 2.0), "zspr 053"),
    ],
)
def test_the_worst_is_the_one_with_the_gravest_finding(words, of_052, of_053, worst):
    results = [
        fetched("zspr 052", A),
        fetched("zspr 053", B),
        diagnosed("zspr 052", A, *of_052),
        diagnosed("zspr 053", B, *of_053),
    ]
    assert [one.device for one in works_on(words, results=results)] == [worst]


def test_since_when_is_read_from_the_step_else_from_the_request():
    assert period_of(step("Fetch since 2026-11-02"), scene("since Monday")) == "2026-11-02"
    assert period_of(step("Fetch the logs"), scene("compare since Monday")) == "2026-11-16"
    assert period_of(step("Fetch the logs"), scene()) == ""


@each("words", ["../../etc/passwd", "log_99", "gen_report_1", "zspr 099", "", "🔥"])
def test_words_that_name_nothing_lead_nowhere(words):
    assert works_on(words or "x") == []
