"""Which language a text is written in."""

import re
import unicodedata
from typing import Literal

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
WORDS_PER_HAN = 1.5  # a Chinese word is about 1.5 characters long
_QUOTED = re.compile(r"`[^`]*`|[\"“「『《][^\"”」』》\n]*[\"”」』》]")
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_ASKS = re.compile(  # what only a Chinese sentence asks by
    r"[為为]何|[為为]什[麼么]|[什甚][麼么]|怎[麼么樣样]|如何|[嗎吗呢]|多少|[幾几][個个次度點点]|哪[個个些一裡里台]?|是否|可否"
    r"|能否|[是能會会有要可對对]不[是能會会可對对]|有[沒没]有|[還还]是"
)
_GRAMMAR = re.compile(  # particles, pronouns, prepositions and verbs that make a sentence Chinese
    r"的|了|[這这那]|是|在|[請请]|[幫帮]|[跟與与和]|[沒没]|不|[會会]|可以|[應应][該该]|但|如果|因[為为]|所以|[從从]|[給给把被讓让]"
    r"|我|你|您|它|一下|看|[說说]|已[經经]?|[還还]|都|也|就|要|用|有|中|裡|里"
)
_FUNCTION = re.compile(  # what makes a sentence English
    r"\b(?:why|what|how|when|where|which|who|is|are|was|were|does|do|did|can|could|should|would|will|has|have"
    r"|the|an?|of|in|on|at|to|for|from|with|and|or|but|it|its|this|that|these|there|my|we|you|i|please|not"
    r"|if|than|after|before)\b",
    re.IGNORECASE,
)


def language_of(text: str) -> Language:
    """Return "zh" if the sentences of `text` are Chinese, else "en"; what is quoted in them does not count.

    Names, units and messages are Latin in both languages, so the words that make a sentence decide, however
    few: a Chinese question word, or Chinese particles that are no fewer than English ones. Other text
    goes by its share of Chinese words.

    >>> language_of("10.1.1.47 為什麼溫度波動？"), language_of("那 kp 可以調高嗎？"), language_of("why?")
    ('zh', 'zh', 'en')
    >>> language_of("InstrumentDebug log setpoint overshoot settling time kp ki kd margin 怎麼看")
    'zh'
    >>> language_of("why does the log of 溫控 say heater timeout on channel 3")
    'en'
    """
    plain = unicodedata.normalize("NFKC", text)
    said = _QUOTED.sub(" ", _CODE.sub(" ", plain))
    own = said if _HAN.search(said) or _LATIN_WORD.search(said) else plain
    if not _HAN.search(own):
        return "en"
    if _ASKS.search(own):
        return "zh"
    particles, functions = len(_GRAMMAR.findall(own)), len(_FUNCTION.findall(own))
    if particles and particles >= functions:
        return "zh"
    least = 1.0 if functions else 0.4  # share that a sentence with English words, or mere names, must have
    return "zh" if len(_HAN.findall(own)) / WORDS_PER_HAN >= least * len(_LATIN_WORD.findall(own)) else "en"
