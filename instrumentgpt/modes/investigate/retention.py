"""Which things stay in the prompt beyond the recent turns, and why."""

import re
from collections.abc import Mapping, Sequence

from instrumentgpt.modes.investigate.kept import Pending
from instrumentgpt.storage.entities import Entity
from instrumentgpt.turn.entities import refs_in

ASKED_FOR = "kept on the user's request"
IN_VIEW = "the device in view"
LAST_LOG = "the log last read"
WAITS = "waits for the user's answer"
_KEEP = r"\b(?:keep|remember|retain|hold on to|don'?t forget)\b|記住|记住|保留|記得|记得|別忘|别忘"
_LET_GO = r"(?<!don't )(?<!dont )\b(?:forget|drop|release|let go of)\b|(?<!別)(?<!别)忘掉|忘了|不用保留|放掉"


def reasons(
    entities: Sequence[Entity], said: str, pending: Pending | None, state: Mapping[str, object]
) -> dict[str, str]:
    """Return ref → why it is kept, of the `entities` that are.

    said   the question: "keep log_1 in mind" keeps it until "forget log_1"
    state  of the diagnosis: `device_name`, `last_log_file`
    """
    named = set(refs_in(said))
    kept = {one.ref for one in entities if one.retained == ASKED_FOR}
    if re.search(_LET_GO, said.casefold()):
        kept -= named
    elif re.search(_KEEP, said.casefold()):
        kept |= named
    found: dict[str, str] = {}
    waiting = set(refs_in(f"{pending.message}\n{pending.ref}")) if pending else set()
    for one in entities:
        if one.ref in kept:
            found[one.ref] = ASKED_FOR
        elif one.ref in waiting:
            found[one.ref] = WAITS
        elif one.type == "device" and one.link["device"] == state.get("device_name"):
            found[one.ref] = IN_VIEW
        elif one.type == "log" and one.link["log"] == state.get("last_log_file"):
            found[one.ref] = LAST_LOG
    return found
