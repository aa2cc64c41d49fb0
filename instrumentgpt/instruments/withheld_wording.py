"""Verdicts that are not given, as sentences, English and Traditional Chinese, from withheld.toml."""

from collections.abc import Iterable
from pathlib import Path

from instrumentgpt.instruments import wording
from instrumentgpt.instruments.findings import Withheld
from instrumentgpt.instruments.language import Language, phrase, table

SENTENCES = Path(__file__).with_name("withheld.toml")
AND: dict[Language, str] = {"en": " and no ", "zh": "、"}  # the log has no setpoint and no output
THEN: dict[Language, str] = {"en": "; ", "zh": "；"}


def verdict(withheld: Withheld, language: Language) -> str:
    """Return the name of the verdict that is not given.

    >>> verdict(Withheld("healthy", 2), "en")
    'Healthy, channel 2'
    """
    named = wording.title(withheld.fault, language)
    place = {"en": ", channel {}", "zh": "，通道 {}"}[language]
    return named if withheld.channel is None else named + place.format(withheld.channel)


def reason(withheld: Withheld, language: Language) -> str:
    """Return why it is not given; several reasons are joined.

    >>> reason(Withheld("saturation", missing=("setpoint", "output")), "en")
    'the log has no setpoint and no output'
    >>> reason(Withheld("healthy", 1, {"swings": {"swing": 0.5}}), "zh")
    '保溫時波動 ±0.50'
    """
    names = AND[language].join(phrase(SENTENCES, f"names.{name}", language) for name in withheld.missing)
    reasons = [phrase(SENTENCES, "missing", language, names=names)] if names else []
    reasons += [phrase(SENTENCES, key, language, **numbers) for key, numbers in withheld.reasons.items()]
    return THEN[language].join(reasons)


def not_healthy(withheld: Iterable[Withheld], language: Language) -> str:
    """Return that no fault was found, and why each channel is not called healthy; "" where none is so."""
    of_channels = [why for why in withheld if why.fault == "healthy"]
    reasons = THEN[language].join(
        phrase(SENTENCES, "of_channel", language, channel=why.channel, reason=reason(why, language))
        for why in of_channels
    )
    return phrase(SENTENCES, "not_healthy", language, reasons=reasons) if reasons else ""


def remedy(withheld: Withheld, language: Language) -> str:
    """Return what helps on the command line, "" if nothing does."""
    remedies = table(SENTENCES)["remedies"]
    return "".join(remedies[name][language] for name in withheld.missing if name in remedies)
