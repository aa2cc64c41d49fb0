"""A fault's day: it becomes a case, is pinned to, settled, and found again by a scan."""

import gzip

import pytest
from driving import ROOT, Server, Visitor, answered, ask, expect, opened, pick, reloaded

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


def test_a_fault_becomes_a_case_is_settled_cited_and_comes_back_with_a_later_log(
    server: Server, visitor: Visitor, lab
):
    page, say = visitor.page, visitor.say
    question = say("What is wrong with {name}?", name="oven 9")
    cause, outcome = (
        ("A loose thermocouple", "Reseated the thermocouple of channel 2")
        if visitor.is_english
        else ("熱電偶鬆脫", "重新插好通道 2 的熱電偶")
    )
    opened(page, server.address())
    ask(page, question)
    answered(page, 1)
    page.get_by_role("button", name=say("Make a case")).click()
    link = page.get_by_role("link", name=f" · {visitor.of_case('open')}")
    expect(link).to_be_visible()
    visitor.look("3-answer")
    with server.database() as database:
        (case,) = list_cases(database, device="oven 9")
        pinned = len(evidence_of(database, case.id))
    line = page.get_by_role("menuitem").filter(has_text=SWINGING).last
    pick(page, page.get_by_role("button", name=say("Pin to case {number}", number=case.id)), line)
    page.get_by_text(say("Pinned to case {number}", number=case.id)).wait_for()  # it is there for 4 s
    with server.database() as database:
        assert len(evidence_of(database, case.id)) >= pinned

    link.click()
    title = "Oscillation" if visitor.is_english else "增益造成的振盪"
    expect(page.get_by_role("heading", name=f"{case.id} · {title}")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    visitor.look("3-case")
    dialog, save = (
        page.get_by_role("dialog"),
        page.get_by_role("dialog").get_by_role("button", name=say("Save")),
    )
    page.get_by_role("button", name=say("Edit"), exact=True).click()
    dialog.get_by_role("textbox", name=visitor.of_case("cause")).fill(cause)
    visitor.look("3-edit")
    save.click()
    expect(page.get_by_text(cause).first).to_be_visible()
    page.get_by_role("button", name=say("Confirm outcome and close")).click()
    dialog.get_by_role("textbox", name=say("What settled it")).fill(outcome)
    visitor.look("3-settle")
    save.click()
    expect(page.get_by_text(visitor.of_case("closed"), exact=True)).to_be_visible()

    lab("23")
    reloaded(page)
    expect(
        page.get_by_text(say("A scan found the same fault again after this case was settled."))
    ).to_be_visible()
    page.get_by_text(visitor.of_case("history"), exact=True).click()
    reopened = f"{visitor.of_case('scan')} · {visitor.of_case('state')}: {visitor.of_case('reopened')}"
    expect(page.get_by_text(reopened)).to_be_visible()
    visitor.look("3-back")
    line = page.get_by_role("link", name="L 517").last
    pick(page, line, dialog.get_by_text("517 ▶").first)  # a page just loaded may not listen
    with server.database() as database:
        assert get_case(database, case.id).log.endswith("02-23_08-47-19.73.log")
    page.goto(server.address("cases"))
    expect(page.get_by_role("button", name=f"{case.id} · oven 9")).to_be_visible()
    visitor.look("3-cases")
    opened(page, server.address())
    ask(page, question)
    expect(answered(page, 1)).to_contain_text(outcome)
