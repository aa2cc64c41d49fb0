"""A report is one HTML file that needs nothing else, says all that was found, and lets no log write in it."""

import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from faulty_logs import log_of, samples_of

from demo.simulate import demo_scenarios, write_log
from instrumentgpt.__main__ import main
from instrumentgpt.files import whole
from instrumentgpt.instruments import wording
from instrumentgpt.instruments.charts import CHARTS, text_alternative
from instrumentgpt.instruments.charts.static import static_svg
from instrumentgpt.instruments.checks import CHECKS
from instrumentgpt.instruments.diagnosis import Diagnosis, diagnose
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.report import FIGURES, report, word

DEMO = Path(__file__).parents[1] / "demo" / "logs"
DOOR = DEMO / "zspr_050" / "InstrumentDebug_2026-02-20_14-05-31.64.log.gz"
HOSTILE = "</script><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)> {{ 7*7 }}"
VOID = {"meta", "br", "img", "link", "input"}


class Page(HTMLParser):
    """What a page holds: its elements, its scripts, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, words):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += words
        elif not self.open or self.open[-1] != "style":
            self.text += words

    def having(self, attribute):
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]


@pytest.fixture(scope="module")
def door(judged) -> Diagnosis:
    judged.mkdir(exist_ok=True)  # the models of its channels are searched once for all reports
    return diagnose(read_log(DOOR, cache=judged))


@pytest.fixture(scope="module")
def oscillating(tmp_path_factory, judged) -> Diagnosis:
    scenario = next(one for one in demo_scenarios().values() if "oscillates" in one.condition)
    path = write_log(tmp_path_factory.mktemp("zspr_053") / "run.log.gz", scenario)
    judged.mkdir(exist_ok=True)
    return diagnose(read_log(path, cache=judged))


@pytest.fixture(scope="module")
def page_of(door, oscillating):
    """A function: "door" or "oscillating", and a language → the page of its report, made once."""
    diagnoses = {"door": door, "oscillating": oscillating}
    return cache(lambda name, language: Page(report([diagnoses[name]], language)))


@pytest.fixture
def english(page_of) -> Page:
    return page_of("door", "en")


def test_every_element_that_is_opened_is_closed(english):
    assert english.open == []


def test_a_page_loads_nothing_from_anywhere(english):
    assert english.having("src") == []
    assert all(str(target).startswith("#") for target in english.having("href"))
    (policy,) = [a["content"] for _, a in english.elements if a.get("http-equiv")]
    assert policy.startswith("default-src 'none'") and "http" not in policy
    assert "http" not in english.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_finding_stands_with_its_evidence_cause_and_action(door, oscillating, page_of, language):
    for name, diagnosis in (("door", door), ("oscillating", oscillating)):
        page = page_of(name, language)
        faults = [one for one in diagnosis.findings if one.severity != "none"]
        assert page.having("data-fault") == [one.fault for one in faults]
        for one in faults:
            said = [wording.summary(one, language), wording.action(one, language)]
            said += [wording.cause(one, language), *wording.ruled_out(one, language)]
            said += [f"{item.line:,}" for item in one.evidence]
            assert [words for words in said if words not in page.text] == []
        for one in diagnosis.findings:
            assert wording.summary(one, language) in page.text


def test_evidence_holds_the_line_as_it_stands_in_the_log(english):
    assert "[2026-02-20 14:33:30.752][debug] [Thermo] T1=58.400/60.00 (56.8%)" in english.text


def test_events_are_grouped_with_counts_and_first_and_last_line(english):
    assert "DoorTimeout: open for … ms, limit … ms" in english.text
    assert "1,273" in english.text and "2,372" in english.text


def test_every_check_and_every_figure_is_listed(english):
    assert english.having("data-check") == list(CHECKS)
    labels = [word(name, "en", unit="°C") for name in FIGURES]
    assert [label for label in labels if label not in english.text] == []


def test_a_report_says_from_which_bytes_and_with_what_it_was_made(english):
    assert hashlib.sha256(DOOR.read_bytes()).hexdigest() in english.text
    assert f"{DOOR.stat().st_size:,} bytes" in english.text
    assert re.search(r"InstrumentGPT \S+ · Python 3\.\d+", english.text)


def test_gains_are_advised_where_the_plant_is_known_and_an_experiment_is_named_elsewhere(page_of):
    text = page_of("oscillating", "en").text
    assert "Channel 2: no, kp should not go from 50 to 65" in text
    assert "better gains are kp" in text
    assert "What would prove it: a log of a setpoint step" in text


def test_what_a_log_lacks_is_named_with_the_checks_that_are_withheld(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("time,pv\n" + "".join(f"{i},{40 + i % 3}\n" for i in range(900)), encoding="utf-8")
    diagnosis = diagnose(read_log(path))
    assert "withheld: the log has no setpoint and no output" in Page(report([diagnosis], "en")).text
    assert "不判斷：記錄沒有設定值、輸出" in Page(report([diagnosis], "zh")).text


def test_no_text_of_a_log_becomes_markup(tmp_path):
    lines = [
        f"[2026-02-20 08:{i // 60:02d}:{i % 60:02d}.000][debug] [TempCtrl] id=1 sp=60.00 pv={60 - i / 40:.3f}"
        " out=100.0 p=1.00 i=2.00 d=0.00\n"
        for i in range(600)
    ]
    lines.insert(300, f"[2026-02-20 08:05:00.000][error] [Net] {HOSTILE}\n")
    path = tmp_path / "<b>run.log"
    path.write_text("".join(lines), encoding="utf-8")
    log = read_log(path)
    named = replace(log, channel_names={1: HOSTILE})
    page = Page(report([diagnose(named)], "en"))
    assert page.having("onerror") == [] and "img" not in [tag for tag, _ in page.elements]
    assert [script for script in page.scripts if "alert(" in script and not script.startswith("{")] == []
    assert "b" not in [tag for tag, _ in page.elements if tag == "title"]
    assert HOSTILE in page.text and "<b>run.log" in page.text


def test_a_chart_is_there_for_the_screen_and_for_paper(english, door):
    (name,) = english.having("data-chart")
    assert name in english.having("id")
    (spec,) = [script for script in english.scripts if script.startswith('{"data"')]
    assert {"data", "layout"} == set(json.loads(spec))
    assert [tag for tag, _ in english.elements].count("svg") == 1
    assert text_alternative(door.log, door.findings, "en", excursions=door.excursions) in english.having(
        "aria-label"
    )


def test_many_channels_are_cut_into_charts_and_tables_that_fit_a_sheet(door):
    log = replace(log_of(*(samples_of(channel) for channel in range(1, 10))), path=door.log.path)
    page = Page(report([diagnose(log)], "en"))
    assert len(page.having("data-chart")) == 3
    assert "channel 9" in page.text


def test_several_logs_are_sections_of_one_report_with_an_overview(door, oscillating):
    page = Page(report([door, oscillating], "zh"))
    assert {"log-1", "log-2"} <= set(page.having("id"))
    assert {"#log-1", "#log-2"} == set(page.having("href"))
    assert sum("Plotly" in script for script in page.scripts) == 2  # the library once, and its use


def test_the_language_of_a_report_is_said(page_of):
    assert page_of("door", "zh").having("lang") == ["zh-Hant"]


def test_a_report_is_written_whole_or_not_at_all(tmp_path, door):
    target = tmp_path / "out.html"
    target.write_text("before", encoding="utf-8")
    broken = replace(door, log=replace(door.log, path=tmp_path / "gone.log"))
    page = report([door]).encode()
    with pytest.raises(OSError), whole(target) as file:
        file.write(page[:1000])
        file.write(report([broken]).encode())
    assert target.read_text(encoding="utf-8") == "before"
    with whole(target) as file:
        file.write(page)
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]


def test_diagnose_writes_a_report_beside_its_output(tmp_path, capsys):
    target = tmp_path / "out.html"
    assert main(["diagnose", str(DOOR), "--report", str(target), "--language", "zh"]) == 0
    assert "環境干擾" in Page(target.read_text(encoding="utf-8")).text
    out, err = capsys.readouterr()
    assert "ambient_disturbance" in out and str(target) in err


def test_a_report_that_cannot_be_written_is_an_error_with_the_remedy(tmp_path, capsys):
    assert main(["diagnose", str(DOOR), "--report", str(tmp_path / "none" / "out.html")]) == 1
    assert "Give another path to --report" in capsys.readouterr().err


@pytest.mark.parametrize("chart", CHARTS)
def test_every_chart_can_be_drawn_without_script(door, chart):
    figure = CHARTS[chart](door.log, door.findings)
    page = Page(static_svg(figure, 'words "and" <signs>'))
    assert page.open == [] and page.having("aria-label") == ['words "and" <signs>']
    paths = [attributes["d"] for tag, attributes in page.elements if tag == "path"]
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert not lines or "2026-02-20" in page.text, "a month is named in English"
    looks = [f"stroke: {trace.line.color.lower()}; stroke-width: {trace.line.width:g}" for trace in lines]
    styles = [str(attributes.get("style")) for tag, attributes in page.elements if tag == "path"]
    legend = sum(trace.showlegend is not False for trace in lines)
    assert sum(any(look in style for look in looks) for style in styles) == len(lines) + legend
    assert all("nan" not in str(path) and str(path).startswith("M") for path in paths)
    assert all(trace.name in page.text for trace in figure.data if trace.showlegend is not False)


def test_a_log_without_samples_gives_an_empty_chart(door):
    empty = replace(door.log, samples=door.log.samples.iloc[:0])
    assert static_svg(CHARTS["loop"](empty), "nothing").startswith("<svg")


def test_an_oscillation_is_drawn_where_it_is(oscillating):
    figure = CHARTS["loop"](oscillating.log, oscillating.findings, window=(0.0, 100.0))
    assert static_svg(figure, "x").count("opacity: ") == 2
