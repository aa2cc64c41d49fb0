"""Which suspects a user rules out in his own words: "it is not the heater", 「不是加熱器」.

What is asked, supposed, quoted or told of others' opinions rules nothing out, nor does what names no suspect.
"""

import re

from instrumentgpt.text.asked import is_asked
from instrumentgpt.text.said.layout import own_lines
from instrumentgpt.text.statements import STATEMENT_CHARS, statements
from instrumentgpt.text.summary import shorten
from instrumentgpt.text.terms import fold

LINE_CHARS = 1000  # a longer line is data
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；?!])|\n")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』|«[^»]*»|(?<!\w)\'[^\']+\'(?!\w)')
_UNCERTAIN = re.compile(  # supposed, asked within a sentence, wished, or somebody else's opinion; folded
    r"(?<![a-z])(?:if|whether|unless|suppose|assuming|maybe|perhaps|possibly|probably|might|may|could|would"
    r"|should|hope|wish|guess|think|thinks|thought|believe\w*|suspect\w*|doubt|wonder|seems?"
    r"|apparently|likely"
    r"|says?|said|claims?|claimed|told|insist\w*|asks?|asked|why|not sure|sure that|convinced|prove"
    r"|make sure)(?![a-z])"
    r"|如果|假如|假设|要是|若|是否|是不是|会不会|会不会是|难道|该不会|也许|可能|或许|大概|应该|好像|似乎|猜|觉得|认为|以为"
    r"|怀疑|希望|听说|据说|[他她](?:们)?说|说是|坚持|问(?!题)|为什么|不一定|未必|不确定|确认|不是不|不是没"
)
_NO_SUSPECT = (
    r"(?:\w+ )?(?:first|last|second|third|only|same|other|right|wrong|best|worst|point|case|time"
    r"|way|question|idea"
    r"|answer|problem|issue|matter|end|thing|one|ones|device|machine|instrument|unit|oven|furnace|channel|log"
    r"|file|line|value|number|reading|figure|day|year|month|week|version|name|word|kind|sort|reason|cause"
    r"|culprit|fault|explanation|story|job|default|weekend|moment|place|big|good|bad|new|old|usual|normal)s?(?![a-z])"
)
_EDGE = (
    r"(?=\s*(?:[,.;:!()–—-]|$|(?:because|since|as|but|so|either|anymore|any more|after|we|i"
    r"|this time)(?![a-z])))"
)
_THING = (
    rf"(?:the|our|its|my|your) (?!{_NO_SUSPECT})[^\W\d_][\w'/-]*(?: (?!(?:that|which|who|i|we"
    rf"|you)(?![a-z]))[^\W\d_][\w'/-]*){{0,3}}?{_EDGE}"
)
_SURELY = r"(?: (?:definitely|certainly|clearly|surely|actually|really|at all))*"
_NOT = rf"(?:(?: is|'s| was){_SURELY} not|\s?(?:isn't|wasn't)|\s?(?:can't|cannot|can not) be)"
_CAUSE = (
    r"(?:(?:root |real |actual )?(?:cause|culprit|offender|reason|one to blame)|to blame"
    r"|at fault|guilty|responsible|involved)"
)
_ENGLISH = re.compile(
    rf"(?<![a-z'])(?:it|this|that){_NOT}{_SURELY} (?:due to |because of |caused by |from )?{_THING}"
    rf"|(?<![a-z])not (?:the |a |our )?{_CAUSE}(?![a-z]| that| of)"
    rf"|(?<![a-z])(?:isn't|wasn't|aren't|weren't|can't be|cannot be) (?:the |a )?{_CAUSE}(?![a-z]| that| of)"
    r"|[a-z]{3,} (?:has|have|had) nothing to do with (?:it|this|that)(?![a-z])"
)
_NAMED = r"[^\W\d_a-z是的了不没会个在有为吗呢吧我你他她它这那很太说想要能]"
_BEGUN = r"(?:^|[,，;；:：、]|(?:问题|原因|故障|毛病)|[这那](?:个|次)?|绝对|肯定|确定|一定|并|也|都)\s*"
_NO_SUSPECT_HAN = (
    r"(?!意思|问题|时候|第|每|所有|全部|全|今|昨|明|现|一|二|三|两|原因|重点|故意|开玩笑"
    r"|只|同|更|最|真|好|坏|必|随便|单|普通|本|特别|常|正常|预设|默认|设定)"
)
_CHINESE = re.compile(
    rf"{_BEGUN}(?:不是|并非|不在|不出在|不关){_NO_SUSPECT_HAN}(?:由|因为)?{_NAMED}{{2,12}}(?:的(?:问题|关系|错|锅"
    rf"|事))?(?=[,，。.;；!！:：(（\s]|$)"
    rf"|{_NAMED}{{2,12}}(?:并|也|都|绝对|肯定)?不是(?:主要)?(?:原因|主因|根因|真因|元凶|祸首|凶手|问题所在)"
    rf"|(?:跟|和|与){_NAMED}{{2,12}}(?:并|也|完全|都)?(?:无关|没有?关系|不相干)"
    rf"|{_NAMED}{{2,12}}(?:跟|和|与)(?:这|此|它|这件事|这个)?(?:并|也|完全|都)?(?:无关|没有?关系|不相干)"
)


def dismissed_in(text: str) -> list[str]:
    """Return the sentences of a user's `text` that rule a suspect out, each once, shortened to one line.

    >>> dismissed_in("The heater is fine, we swapped it: not the cause. Is it not the fan?")
    ['The heater is fine, we swapped it: not the cause.']
    >>> dismissed_in("不是加熱器，換過了。也許不是風扇。")
    ['不是加熱器，換過了。']
    """
    found: dict[str, None] = {}
    for line in own_lines(text):
        for sentence in _SENTENCE.split(line[:LINE_CHARS]):
            told = " ".join(sentence.split())
            if told and _rules_out(told):
                found[shorten(told, STATEMENT_CHARS)] = None
    return list(found)


def _rules_out(sentence: str) -> bool:
    own = fold(_QUOTED.sub(" ", sentence)).replace("’", "'")
    if is_asked(sentence) or _UNCERTAIN.search(own):
        return False
    return bool(_ENGLISH.search(own) or _CHINESE.search(own)) or any(
        one.kind == "ruled_out" for one in statements(_QUOTED.sub(" ", sentence))
    )
