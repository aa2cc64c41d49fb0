"""The panel's own words (words.toml) in the language of the question, and what it offers to say next."""

from functools import partial
from pathlib import Path

from instrumentgpt.instruments.language import Language, language_of, phrase
from instrumentgpt.storage.answers import Offer
from instrumentgpt.storage.panels import Panel

TABLE = Path(__file__).with_name("words.toml")
say = partial(phrase, TABLE)


def after_the_end(panel: Panel, saved: bool = False) -> list[Offer]:
    """Return what is of use after the conclusion: the next action, a report, another panel, saving it.

    saved  it is saved already
    """
    language = language_of(panel.question)
    label = str(panel.brief.get("device") or panel.brief["log"])
    offers = [
        Offer(say("offer_next", language), say("ask_next", language), "chat"),
        Offer(say("offer_report", language), say("ask_report", language, label=label), "investigate"),
        Offer(say("offer_again", language), panel.question, "panel"),
    ]
    return offers if saved else [*offers, Offer(say("save", language), say("save", language), "panel")]


def going_on(number: int, language: Language) -> Offer:
    """Return the offer to go on at sub-problem `number`."""
    return Offer(say("go_on", language, number=number), "繼續" if language == "zh" else "continue", "panel")
