"""Whether words answer what waits, or ask for something else."""

import re

_CHANGES = (
    r"^\W*(?:no|yes|ok|okay|but|only|just|also|and|instead|rather|without|skip|leave|except|add|plus|use|first)\b"
    r"|\b(?:only|instead|without|as well|except|leave out|too)\b"
    r"|^(?:不|只|但|也|還|还|加|改|換|换|除了|先|好|可以|別|别|另外|再)|不要|只要|改成|換成|换成|加上|去掉"
)
_SHORT = 12  # words: a longer text is a request of its own, unless it says what to change


def amends(said: str, kind: str) -> bool:
    """Return whether `said` answers a question, or changes a proposal.

    >>> amends("no, only the first two", "proposal"), amends("why does 053 oscillate?", "proposal")
    (True, False)
    >>> amends("zspr 052, since Monday", "question")
    True
    """
    if kind == "question":
        return True
    return bool(re.search(_CHANGES, said.casefold().strip())) and len(said.split()) <= 4 * _SHORT
