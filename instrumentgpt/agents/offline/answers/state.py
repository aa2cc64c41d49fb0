"""What is known so far: from the state that the turn hands over, and from what the user said."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from instrumentgpt.agents.offline.answers.done import done_to_it
from instrumentgpt.agents.offline.answers.report import faults_of
from instrumentgpt.agents.offline.answers.stated import values_and_constraints
from instrumentgpt.agents.offline.answers.subject import bare, device_label, dropped_logs, remembered_in
from instrumentgpt.agents.offline.case import Case, Result, ToolFailed
from instrumentgpt.agents.offline.earlier import states_left
from instrumentgpt.agents.offline.phrases import phrase, plain_text, quoted
from instrumentgpt.instruments.language import Language
from instrumentgpt.memory.reading.statements import same

MOST_LOGS = 3  # read again: the findings of others are told as they are remembered
MOST_RULED_OUT = 6
PARTS = (("root_causes", "recall_causes"), ("hypotheses", "recall_hypotheses"))


@dataclass
class _Anew:
    """What the logs say when they are read again.

    told       what is remembered → the same in the language of the question
    ruled_out  what the checks of the faults found ruled out
    """

    told: dict[str, str] = field(default_factory=dict)
    ruled_out: list[str] = field(default_factory=list)

    def of(self, text: str) -> str:
        return self.told.get(same(text), text)


def recall(case: Case) -> Iterator[str]:
    """Say what was found, what the user said of it, what is open and what is out; nothing is fetched."""
    state = case.task.state
    label = device_label(case) or case.known("last_log_file")
    findings, said = state.get("findings") or [], values_and_constraints(case)
    out = list(case.task.ruled_out)
    if not (label or findings or said or out):
        yield phrase("recall_nothing", case.language)
        return
    about = plain_text(label) or phrase("noted_all", case.language)
    status = phrase(f"status_{state.get('status') or 'idle'}", case.language)
    yield phrase("recall_title", case.language, label=about, status=status) + "\n\n"
    anew = _read_again(case) if findings else _Anew()
    yield from _listed(case, "key_findings", [anew.of(text) for text in findings])
    for part, sentence in PARTS:
        for text in state.get(part) or []:
            yield phrase(sentence, case.language, text=plain_text(anew.of(text))) + "\n\n"
    yield from _listed(case, "ruled_out", _ruled_out(out, anew))
    yield from _listed(case, "recall_done", done_to_it(case), quoting=True)
    yield from _listed(case, "recall_said", said, quoting=True)
    logs = state.get("downloaded_logs") or [name for name in [state.get("last_log_file")] if name]
    if logs:
        yield phrase("recall_logs", case.language, logs=", ".join(quoted(name) for name in logs)) + "\n\n"
    yield from _listed(case, "recall_others", _others(case))


def _others(case: Case) -> list[str]:
    """Return for each other device of the conversation its first root cause, else its first finding."""
    if len(case.task.devices) == 1:
        return []
    return [
        f"{device}: {told[0]}"
        for device, state in states_left(case.task).items()
        if (told := [*(state.get("root_causes") or []), *(state.get("findings") or [])])
    ]


def _listed(case: Case, title: str, texts: list[str], quoting: bool = False) -> Iterator[str]:
    """Yield a list under its title, nothing for an empty one; what is quoted within is left as it stands."""
    if texts:
        yield phrase(title, case.language) + "\n\n"
        yield from (f"- {text if quoting else plain_text(text)}\n" for text in texts)
        yield "\n"


def _ruled_out(remembered: list[str], anew: _Anew) -> list[str]:
    """Return what is out, once each: by the checks, then by agents, panels and people, the newest last."""
    others = [text for text in remembered if same(text) not in anew.told]
    kept = {same(text): text for text in (*anew.ruled_out, *others)}
    return list(kept.values())[-MOST_RULED_OUT:]


def _read_again(case: Case) -> _Anew:
    """Return what the newest logs read say in the language of the question."""
    found, before = _Anew(), remembered_in(case)
    logs = case.task.state.get("downloaded_logs") or []
    for log in dict.fromkeys([*logs[-MOST_LOGS:], case.known("last_log_file")]):
        with suppress(ToolFailed):  # a log that is gone is told as it was remembered
            now = _diagnosed(case, bare(log), case.language)
            then = now if before == case.language else _diagnosed(case, bare(log), before)
            pairs = zip(_sentences(then), _sentences(now), strict=True)
            found.told |= {same(old): new for old, new in pairs}
            found.ruled_out += [reason for one in faults_of(now) for reason in one["ruled_out"]]
    return found


def _diagnosed(case: Case, log: str, language: Language) -> Result:
    """Return the diagnosis of a log told in `language`; empty for no log."""
    if not log:
        return {"findings": []}
    device = "" if log in dropped_logs(case) else case.known("device_name", "device_ip")
    return case.tool("diagnose_log", log=log, device=device, language=language, record=remembered_in(case))


def _sentences(found: Result) -> Iterator[str]:
    for one in found["findings"]:
        yield from (one["summary"], one["cause"], *one["ruled_out"])
