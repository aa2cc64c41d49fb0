"""What a panel that is done, or was stopped, offers to say next."""

from instrumentgpt.instruments.language import Language, language_of
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.conversations import Offer
from instrumentgpt.storage.panels import Panel


def after_the_end(known: Panel, saved: bool = False) -> list[Offer]:
    """Return what is of use after the conclusion: the next action, a report, another panel, saving it.

    saved  it is saved already
    """
    language = language_of(known.question)
    label = str(known.brief.get("device") or known.brief["log"])
    offers = [
        Offer(say("offer_next", language), say("ask_next", language), "chat"),
        Offer(say("offer_report", language), say("ask_report", language, label=label), "investigate"),
        Offer(say("offer_again", language), known.question, "panel"),
    ]
    return offers if saved else [*offers, Offer(say("save", language), say("save", language), "panel")]


def going_on(number: int, language: Language) -> Offer:
    """Return the offer to go on at sub-problem `number`."""
    return Offer(say("go_on", language, number=number), "繼續" if language == "zh" else "continue", "panel")
