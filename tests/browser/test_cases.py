"""A fault's day: it becomes a case, is pinned to, settled, and found again by a scan."""

import gzip

import pytest
from driving import ROOT, START_SECONDS, Server, answered, ask, opened, pick, reloaded, with_token
from playwright.sync_api import Page, expect

from instrumentgpt.fleet.inventory_file import put_device
from instrumentgpt.fleet.scan import scan
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.storage.cases import evidence_of, get_case, list_cases

SWINGING = "InstrumentDebug_2026-02-20_08-47-19.73.log"


@pytest.fixture
def lab(server: Server, tmp_path):
    """A function that brings oven 9 the swinging log of a day of February, and scans; done for the 20th."""
    (tmp_path / "logs").mkdir()
    put_device(tmp_path / "lab.toml", {"name": "oven 9", "ip": "10.9.0.9", "logs": "logs", "model": "T-9"})
    server.save({"inventory": str(tmp_path / "lab.toml")})
    lines = gzip.decompress((ROOT / "demo" / "logs" / "zspr_053" / f"{SWINGING}.gz").read_bytes())

    def come(day: str) -> None:
        name = SWINGING.replace("02-20", f"02-{day}")
        (tmp_path / "logs" / name).write_bytes(lines.replace(b"2026-02-20", f"2026-02-{day}".encode()))
        devices = load_inventory(tmp_path / "lab.toml").devices
        scan(server.database_path, devices, server.home / "cache", jobs=1)

    come("20")
    return come


def test_a_fault_becomes_a_case_is_settled_and_comes_back_with_a_later_log(server: Server, page: Page, lab):
    opened(page, server.address())
    ask(page, "What is wrong with oven 9?")
    answered(page, 1)
    page.get_by_role("button", name="Make a case").click()
    link = page.get_by_role("link", name=" · Open")
    expect(link).to_be_visible()
    with server.database() as database:
        (case,) = list_cases(database, device="oven 9")
        pinned = len(evidence_of(database, case.id))
    line = page.get_by_role("menuitem", name="Line ").last
    pick(page, page.get_by_role("button", name=f"Pin to case {case.id}"), line)
    page.get_by_text(f"Pinned to case {case.id}").wait_for()  # it is there for 4 s
    with server.database() as database:
        assert len(evidence_of(database, case.id)) >= pinned

    link.click()
    expect(page.get_by_role("heading", name=f"{case.id} · Oscillation")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Cause").fill("A loose thermocouple")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("A loose thermocouple").first).to_be_visible()
    page.get_by_role("button", name="Confirm outcome and close").click()
    page.get_by_role("textbox", name="What settled it").fill("Reseated the thermocouple of channel 2")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Closed", exact=True)).to_be_visible()

    lab("23")
    reloaded(page)
    expect(page.get_by_text("A scan found the same fault again")).to_be_visible()
    page.get_by_text("History", exact=True).click()
    expect(page.get_by_text("scan · state: Reopened")).to_be_visible()
    line = page.get_by_role("link", name="L 517").last
    pick(
        page, line, page.get_by_role("dialog").get_by_text("517 ▶").first
    )  # a page just loaded may not listen
    with server.database() as database:
        assert get_case(database, case.id).log.endswith("02-23_08-47-19.73.log")

    phone = page.context.browser.new_context(locale="zh-TW", viewport={"width": 390, "height": 844})
    shown = phone.new_page()
    shown.goto(with_token(server.address("", case=case.id)))  # as an answer's link opens in another tab
    expect(shown.get_by_text("結案之後，掃描又發現相同的故障。")).to_be_visible(timeout=START_SECONDS * 1000)
    assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    phone.close()
