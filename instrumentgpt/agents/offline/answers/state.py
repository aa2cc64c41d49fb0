"""What was found so far, from the state that the turn hands over."""

from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import device_label
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase, plain_text, quoted

PARTS = (
    ("root_causes", "recall_causes"),
    ("hypotheses", "recall_hypotheses"),
    ("ruled_out", "recall_ruled_out"),
)


def recall(case: Case) -> Iterator[str]:
    """Say what the state holds; nothing is fetched or computed."""
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
        yield from (f"- {plain_text(text)}\n" for text in findings)
        yield "\n"
    for part, sentence in PARTS:
        yield from (
            phrase(sentence, case.language, text=plain_text(text)) + "\n\n" for text in state.get(part) or []
        )
    logs = state.get("downloaded_logs") or [name for name in [state.get("last_log_file")] if name]
    if logs:
        yield phrase("recall_logs", case.language, logs=", ".join(quoted(name) for name in logs))
