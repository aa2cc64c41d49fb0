"""The Instruments page as a lab's engineer opens it: who is worst, since when, what next, and what is new."""

import re
import shutil
import time

from driving import ROOT, START_SECONDS, Server, Visitor, expect, reloaded, settled, until, with_token
from playwright.sync_api import Page

from instrumentgpt.fleet.standing import WARNING, WORDS, compare_with_alerts
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.storage.alerts import open_alerts
from instrumentgpt.storage.verdicts import standings

WORST_FIRST = [WORDS["fault"], WARNING, WORDS["healthy"]]


def test_the_worst_device_leads_to_its_history_its_log_and_a_question(server: Server, visitor: Visitor):
    page, say = visitor.page, visitor.say
    page.goto(with_token(server.address("instruments")))
    expect(page.get_by_role("heading", name=say("Instruments"))).to_be_visible(timeout=START_SECONDS * 1000)
    expect(page.get_by_text("zspr 051 (10.1.1.46)").first).to_be_attached()
    expect(page.get_by_test_id("stAlert")).to_have_count(0, timeout=START_SECONDS * 1000)  # all are judged
    words = [word["en" if visitor.is_english else "zh"] for word in WORST_FIRST]
    until(page, lambda: {*cells(page, 1)} == {*words})  # a drawn table's words come a little later
    states = cells(page, 1)
    assert states == sorted(states, key=words.index)
    visitor.look("1-instruments")
    found = page.get_by_label(say("Name, model, room or fault"), exact=True)
    for wanted, devices in (("10.1.1.112", ["zspr 053 (10.1.1.112)"]), ("no such", []), ("", None)):
        found.fill(wanted)
        found.press("Enter")
        until(
            page,
            lambda devices=devices: (
                len(cells(page, 2)) == 6 if devices is None else cells(page, 2) == devices
            ),
        )
    select_worst(page)
    visitor.look("1-history")
    page.get_by_role("link", name=say("Open the newest log")).click()
    expect(page.locator(".lines .row.picked")).to_be_visible()
    expect(page.get_by_text(say("what is ready is shown below"))).to_have_count(0)
    visitor.look("1-log")
    page.go_back()
    select_worst(page)
    page.get_by_role("button", name=say("Ask what is wrong")).click()
    asked = say("What is wrong with {name}?", name="zspr 051")
    expect(page.get_by_test_id("stChatInputTextArea")).to_have_value(asked)


def cells(page: Page, column: int) -> list[str]:
    return page.locator(f"canvas [role=gridcell][aria-colindex='{column}']").all_text_contents()


def select_worst(page: Page) -> None:
    expect(page.get_by_text("zspr 051 (10.1.1.46)").first).to_be_attached()
    settled(page)
    table = page.get_by_test_id("stDataFrame").first.bounding_box()
    page.mouse.click(table["x"] + 12, table["y"] + 35 + 17)  # the box of the first row, drawn on a canvas
    expect(page.get_by_role("heading", name="zspr 051 (10.1.1.46)")).to_be_visible()
    expect(page.locator(".xtick text").first).to_contain_text(re.compile("2026-02-1[78]"))


def test_an_instrument_is_tried_added_judged_and_its_alert_seen(server: Server, visitor: Visitor, tmp_path):
    page, say = visitor.page, visitor.say
    for number in ("053", "055"):
        (tmp_path / number).mkdir()
        for log in (ROOT / "demo" / "logs" / f"zspr_{number}").glob("*.gz"):
            shutil.copy(log, tmp_path / number)
    inventory = tmp_path / "lab.toml"
    inventory.write_text(f'[[device]]\nname = "oven 5"\nip = "10.9.0.5"\nlogs = "{tmp_path}/055"\n')
    server.save({"inventory": str(inventory)})
    page.goto(with_token(server.address("instruments")))
    page.get_by_role("button", name=say("Add instrument")).click(timeout=START_SECONDS * 1000)
    dialog = page.get_by_role("dialog")
    folder = dialog.get_by_label(say("Folder of its logs"), exact=True)
    dialog.get_by_label(say("Name"), exact=True).fill("oven 7")
    folder.fill(str(tmp_path / "no"))
    dialog.get_by_role("button", name=say("Look into the folder")).click()
    expect(
        dialog.get_by_text(re.compile("Correct its entry in the inventory|請修正裝置清單中的項目"))
    ).to_be_visible()
    visitor.look("2-no-folder")
    folder.fill(str(tmp_path / "053"))
    dialog.get_by_role("button", name=say("Look into the folder")).click()
    expect(
        dialog.get_by_text(say("{count} {count:?log|logs}, the newest: {newest}", count=2, newest=""))
    ).to_be_visible()
    dialog.get_by_role("button", name=say("Save")).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("oven 7").first).to_be_attached()
    until(page, lambda: states_of(server) == {"oven 5": "fault", "oven 7": "fault"})
    with server.database() as database:
        compare_with_alerts(database, load_inventory(inventory).devices, time.time())  # as a watch does
    reloaded(page)
    alerts = page.get_by_role("button", name=say("Seen"))
    expect(alerts).to_have_count(2)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    visitor.look("2-alerts")
    alerts.first.click()
    expect(alerts).to_have_count(1)
    page.get_by_role("button", name=say("False alarm")).click()
    expect(alerts).to_have_count(0)
    visitor.look("2-seen")
    with server.database() as database:
        left = {alert.device: alert.verdict for alert in open_alerts(database)}
    [false] = [device for device, verdict in left.items() if verdict == "false"]
    assert sorted(left.values()) == ["false", "real"]
    expect(
        page.get_by_text(say("False alarms in the last seven days: {devices}", devices=f"{false} ×1"))
    ).to_be_visible()


def states_of(server: Server) -> dict[str, str]:
    with server.database() as database:
        return {
            name: one.verdict.state for name, one in standings(database).items() if name.startswith("oven")
        }
