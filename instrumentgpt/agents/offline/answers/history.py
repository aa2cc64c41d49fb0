"""Has this happened before, on this device or on others of its model?"""

from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import NothingToRead, ask_for_log
from instrumentgpt.agents.offline.case import Case, Result
from instrumentgpt.agents.offline.phrases import conversation_link, phrase, plain_text

KEYS = {"root_causes": "history_root_cause", "findings": "history_finding"}


def history(case: Case) -> Iterator[str]:
    """Say what other conversations found, dated, with links; what it is about comes first, else all of it."""
    if not case.device:
        raise NothingToRead(ask_for_log(case))
    about = "\n".join(map(str, [case.question.text, *(case.task.state.get("findings") or [])[-1:]]))
    found = case.tool("device_history", device=case.device, query=about)
    if not found["earlier"]:
        found = case.tool("device_history", device=case.device)
    if not found["earlier"]:
        yield phrase("history_none", case.language, label=found["label"], siblings=found["siblings"])
        return
    yield phrase("history_title", case.language, label=found["label"], count=len(found["earlier"])) + "\n\n"
    for one in found["earlier"]:
        yield f"- {_line(case, one)}\n"


def _line(case: Case, one: Result) -> str:
    device = one["device"]
    if one["sibling"]:
        device = phrase("history_sibling", case.language, device=device)
    link = conversation_link(one["conversation"], one["conversation_id"], one["message_id"])
    told = {"date": one["date"], "device": device, "text": plain_text(one["text"]), "link": link}
    return phrase(KEYS[one["kind"]], case.language, **told)
