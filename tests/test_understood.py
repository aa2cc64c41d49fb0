"""What a log was understood as is told on the page as on the command line."""

from pages import PAGE_SECONDS
from streamlit.testing.v1 import AppTest

from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.understood import account
from instrumentgpt.settings import home


def looked_into(folder):
    from instrumentgpt.ui import device_form

    device_form._draw_logs({"name": "oven 9", "ip": "", "logs": folder, "model": ""})


def test_the_page_that_looks_into_a_folder_tells_what_its_newest_log_was_understood_as(tmp_path):
    rows = (f"{row},{40 + row % 7 / 10},{row % 2}" for row in range(30))
    (tmp_path / "run.csv").write_text("\n".join(["time (s),Bath Temp (C),Lid", *rows]), encoding="utf-8")
    home().mkdir(parents=True, exist_ok=True)
    page = AppTest.from_function(looked_into, args=(str(tmp_path),), default_timeout=PAGE_SECONDS).run()
    shown = " ".join(caption.value for caption in page.caption).replace("\\", "")  # as Markdown
    assert not page.exception
    for part in (
        "30 rows, one each 1 s",
        "Bath Temp (C)",
        "no setpoint",
        "Lid",
        "on the page Logs, under Columns",
    ):
        assert part in shown
    in_chinese = " ".join(account(read_log(tmp_path / "run.csv"), "zh"))
    assert "實際值 “Bath Temp (C)” (°C), 沒有 設定值" in in_chinese
    assert "30 列" in in_chinese and "哪一欄是設定值" in in_chinese and "「記錄」頁" in in_chinese


def test_rows_of_a_zone_each_have_the_heads_of_their_columns(tmp_path):
    rows = (
        f"{row},{zone},{40 + row % 7 / 10 + 9 * at},{40 + 9 * at}"
        for row in range(30)
        for at, zone in enumerate("AB")
    )
    (tmp_path / "run.csv").write_text("\n".join(["time (s),zone,PV (C),SP (C)", *rows]), encoding="utf-8")
    lines = [*account(read_log(tmp_path / "run.csv"), "en")]
    assert "channel 1 “A”: pv “PV (C)” (°C), setpoint “SP (C)” (°C), no output" in lines
    assert "channel 2 “B”: pv “PV (C)” (°C), setpoint “SP (C)” (°C), no output" in lines
    assert not any("kept beside" in line for line in lines)
