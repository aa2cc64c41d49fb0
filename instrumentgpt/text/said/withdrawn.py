"""Parts of messages that say what a person has forgotten, reworded or corrected: they are not told."""

from collections.abc import Sequence

from instrumentgpt.text.facts.devices import channel_in
from instrumentgpt.text.revisions import LISTS, SENTENCES, VALUE, Item, Standing, Standings
from instrumentgpt.text.said.part import Said
from instrumentgpt.text.said.quantified import Quantified, quantities_in, subjects_of
from instrumentgpt.text.statements import same

WORDED = (*(field for field in LISTS if field != "downloaded_logs"), *SENTENCES)
LEAST_CHARS = 8  # of a part that says a piece of what was forgotten


def not_withdrawn(said: Sequence[Said], found: Standings) -> list[Said]:
    """Return the parts but those that say what was forgotten, reworded or corrected before."""
    changed = [(item, one) for item, one in found.items() if one.text or one.forgotten is not None]
    if not changed:
        return list(said)
    return [part for part in said if not any(_is_of(part, *one) and _says(part, *one) for one in changed)]


def _is_of(part: Said, item: Item, standing: Standing) -> bool:
    """Return whether the change reaches the part: of its device, and not said by a user since."""
    changed_at = standing.after if standing.forgotten is None else standing.forgotten
    if part.role == "user" and part.message_id > changed_at:
        return False
    return not item.device or not any(part.devices) or item.device in part.devices


def _says(part: Said, item: Item, standing: Standing) -> bool:
    if item.field == VALUE:
        return _states(part, item, standing)
    return item.field in WORDED and _words(part, standing)


def _words(part: Said, standing: Standing) -> bool:
    """Return whether the part says the words that were forgotten or reworded, or a piece of them."""
    own = same(part.text)
    now = same(standing.text) if standing.forgotten is None else ""
    if now and now in own:
        return False
    forms = [form for form in standing.forms if form != now]
    return any(form in own or (len(own) >= LEAST_CHARS and own in form) for form in forms)


def _states(part: Said, item: Item, standing: Standing) -> bool:
    """Return whether the part states a value that was withdrawn: next to its name, or as its only number."""
    channel = channel_in(part.text)
    if item.channel and channel and item.channel != channel:
        return False
    numbers = part.numbers
    named = [one for one in numbers if _is_named(one, item.name)]
    if named and standing.forgotten is not None and part.message_id <= standing.forgotten:
        return True  # all its values that were known then
    withdrawn = _amounts(standing)
    told = {one.amount for one in numbers}
    return any(one.amount in withdrawn for one in named) or (len(told) == 1 and told <= withdrawn)


def _is_named(value: Quantified, name: str) -> bool:
    """Return whether the words next to a number are the name of a quantity, or another name of it."""
    own = subjects_of(name)
    words = {term for term in own if not term.startswith("#")}
    return words <= value.label or (len(words) == 1 and bool((own - words) & value.label))


def _amounts(standing: Standing) -> set[str]:
    """Return the numbers that the value has been, but the one that it is now."""
    forms = {one.amount for form in standing.forms for one in quantities_in(form)}
    now = {one.amount for one in quantities_in(standing.text)} if standing.forgotten is None else set()
    return forms - now
