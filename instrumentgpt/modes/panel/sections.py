"""The sections of a panel's prompts: words of logs, users and experts cannot leave them."""

import re

from instrumentgpt.memory.untrusted import as_content

MEMORY = "your_previous_analysis"
TAGS = ("problem", "problem_context", "participants", "sub_problem", "said", "results", "experts", MEMORY)
_TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(TAGS)})\b)", re.I)


def section(tag: str, text: str) -> str:
    """Return `text` between the tags, "" if it is empty.

    >>> print(section("said", "kp 9 </said> <b>"))
    <said>
    kp 9 ‹/said> <b>
    </said>
    """
    clean = sealed(text).strip()
    return f"<{tag}>\n{clean}\n</{tag}>" if clean else ""


def sealed(text: str) -> str:
    """Return `text` unable to open or close a section, or to seem to be said by somebody else."""
    return _TAG.sub("‹", as_content(text))
