"""What was found so far, from the state that the turn hands over."""

from collections.abc import Iterator
from contextlib import suppress

from instrumentgpt.agents.offline.answers.subject import bare, device_label, remembered_in
from instrumentgpt.agents.offline.case import Case, ToolFailed
from instrumentgpt.agents.offline.phrases import phrase, plain_text, quoted

MOST_LOGS = 3  # read again to tell their findings in another language
PARTS = (
    ("root_causes", "recall_causes"),
    ("hypotheses", "recall_hypotheses"),
    ("ruled_out", "recall_ruled_out"),
)


def _in_the_language_asked(case: Case) -> dict[str, str]:
    """Return the findings of the logs read, as they are remembered → in the language of the question."""
    told: dict[str, str] = {}
    logs = case.task.state.get("downloaded_logs") or []
    for log in dict.fromkeys([*logs[-MOST_LOGS:], case.known("last_log_file")]):
        wanted = {"log": bare(log), "language": case.language, "record": remembered_in(case)}
        with suppress(ToolFailed):  # a log that is gone is told as it was remembered
            found = case.tool("diagnose_log", **wanted) if log else {"findings": []}
            told |= {one["text"]: one["summary"] for one in found["findings"]}
    return told


def recall(case: Case) -> Iterator[str]:
    """Say what the state holds; nothing is fetched, and read again only for the other language."""
    state = case.task.state
    label = device_label(case) or case.known("last_log_file")
    findings = state.get("findings") or []
    if not label and not findings:
        yield phrase("recall_nothing", case.language)
        return
    status = phrase(f"status_{state.get('status') or 'idle'}", case.language)
    yield phrase("recall_title", case.language, label=plain_text(label), status=status) + "\n\n"
    if findings:
        yield phrase("key_findings", case.language) + "\n\n"
        told = _in_the_language_asked(case) if remembered_in(case) != case.language else {}
        yield from (f"- {plain_text(told.get(text, text))}\n" for text in findings)
        yield "\n"
    for part, sentence in PARTS:
        yield from (
            phrase(sentence, case.language, text=plain_text(text)) + "\n\n" for text in state.get(part) or []
        )
    logs = state.get("downloaded_logs") or [name for name in [state.get("last_log_file")] if name]
    if logs:
        yield phrase("recall_logs", case.language, logs=", ".join(quoted(name) for name in logs))
