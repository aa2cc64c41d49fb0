"""What a case finds on the machine: an inventory, the logs of its devices, the files that are dropped."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from demo.simulate import Line, Scenario, demo_scenarios, write_log
from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.evals.cases import FOLDER, REAL, Case, File, Windows, instruments
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.record import UnreadableLog

SEED_STEP = 100_000  # between two seeds of a case: its scenarios' own are far nearer


class NotThere(InstrumentGPTError, LookupError):
    """A real log that this machine does not have: the case is skipped."""


@dataclass(frozen=True)
class Fixture:
    """What was laid out: the inventory, the files of the first question, and every log by its name."""

    inventory: Path
    files: tuple[Path, ...]
    logs: Mapping[str, Path]
    windows: tuple[tuple[int, int], ...]  # lines, first and last, in which evidence lies


def lay_out(case: Case, folder: Path) -> Fixture:
    """Write what `case` needs into `folder`; raise NotThere for a real log that is not on this machine."""
    files = tuple(_file(case, file, folder / "files") for file in case.attach)
    logs = {path.name: path for path in files}
    entries = []
    for device in case.devices:
        home = folder / "logs" / device.replace(" ", "_")
        for scenario in _scenarios(case, device):
            path = write_log(home / scenario.file_name, scenario, scenario.seed + SEED_STEP * case.seed)
            logs[path.name] = path
        row = {"name": case.names.get(device, device), "ip": instruments()[device]["ip"], "logs": str(home)}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in row.items()]
        entries.append("\n".join(["[[device]]", *lines]))
    inventory = folder / "devices.toml"
    inventory.write_text("\n\n".join(entries), encoding="utf-8")
    log = log_of(case, logs)
    return Fixture(inventory, files, logs, case.lines_at or _lines(case.seconds, log))  # type: ignore[arg-type]


def log_of(case: Case, logs: Mapping[str, Path]) -> Path | None:
    """Return the log that the case is about: that of `of`, else the only one."""
    dropped = [file.name for file in case.attach if file.of and file.of == case.of]
    name = dropped[0] if dropped else _scenario(case, case.of).file_name if case.of else next(iter(logs), "")
    return logs.get(name) if case.of or len(logs) == 1 else None


def _scenarios(case: Case, device: str) -> list[Scenario]:
    added = tuple(Line(**line) for line in case.lines)
    scenarios = demo_scenarios(FOLDER / "instruments.toml").values()
    return [replace(run, lines=(*run.lines, *added)) for run in scenarios if run.device == device]


def _scenario(case: Case, log: str) -> Scenario:
    device, _, number = log.rpartition("/")
    return _scenarios(case, device)[int(number) - 1]


def _file(case: Case, file: File, folder: Path) -> Path:
    if file.real:
        path = REAL / file.real
        if not path.is_file():
            raise NotThere(f"{path} is not on this machine")
        return path
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file.name
    if not file.of:
        path.write_text(file.text, encoding="utf-8")
        return path
    scenario = _scenario(case, file.of)
    raw = folder / "raw" / scenario.file_name if file.columns else path
    write_log(raw, scenario, scenario.seed + SEED_STEP * case.seed)
    if file.columns:
        table = read_log(raw).samples
        first = table[table["channel"] == table["channel"].min()]  # a table of one loop
        first[list(file.columns)].round(4).to_csv(path, index=False)
    return path


def _lines(seconds: Windows, log: Path | None) -> tuple[tuple[int, int], ...]:
    """Return the lines of the samples in the windows `seconds`, which count from the log's first line."""
    if not seconds or log is None:
        return ()
    try:
        samples = read_log(log).samples
    except UnreadableLog:
        return ()
    inside = [samples.loc[samples["time"].between(*window), "line"] for window in seconds]
    return tuple((int(lines.min()), int(lines.max())) for lines in inside if len(lines))
