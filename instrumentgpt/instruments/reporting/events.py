"""What a report tells of event lines: how often each kind comes, and where first and last."""

from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.messages import TROUBLE, Group, group_messages
from instrumentgpt.instruments.reporting.words import Row

MOST_GROUPS = 30  # kinds of events listed


def event_table(log: Log, language: Language) -> Row:
    """Return the kinds of event lines: warnings and errors first, then the rarest."""
    groups = group_messages(log.events)
    trouble = [group for group in groups if group.level in TROUBLE]
    usual = sorted((group for group in groups if group.level not in TROUBLE), key=lambda g: len(g.messages))
    shown = (trouble + usual)[:MOST_GROUPS]
    return {
        "count": f"{len(log.events):,}",
        "kinds": len(groups),
        "rows": [_event_row(log, group) for group in shown],
        "more": len(groups) - len(shown),
    }


def _event_row(log: Log, group: Group) -> Row:
    first, last = group.messages[0], group.messages[-1]
    return {
        "level": group.level,
        "source": group.source,
        "template": group.template,
        "count": f"{len(group.messages):,}",
        "first": (f"{first.line:,}", log.clock(first.time)),
        "last": (f"{last.line:,}", log.clock(last.time)),
    }
