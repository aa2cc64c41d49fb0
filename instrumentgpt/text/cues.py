"""What a sentence does in a diagnosis, told by the everyday words for it, in English and Chinese.

A cue is a hint, and nothing is taken for stated by a cue alone: `outdated` asks for what was said before.
"""

import re

from instrumentgpt.text.terms import fold

_OUT = re.compile(  # takes a suspicion off the list
    r"\b(?:(?:rul|exclud|eliminat|exonerat|acquit|dismiss|disprov|refut|falsif|debunk|reject|discard)\w*"
    r"(?: \w+)? out\b|(?:exclud|eliminat|exonerat|acquit|dismiss|disprov|refut|falsif|debunk|reject|discard)\w*"
    r"|(?:cross|scratch|str[iu][kc]k?e?|take|took|rul\w+)(?:ed)? (?:\w+ ){0,3}(?:off|out)\b"
    r"|off (?:the|my|our) (?:hook|list|table)|in the clear|innocent|red herring|dead end|blind alley"
    r"|wrong (?:track|tree|idea|guess)|false (?:trail|alarm|lead)|coincidence|unrelated|nothing to do with"
    r"|(?:can|could|may|let['’]?s|let us|we|you|i) (?:now |safely |also |finally )?(?:drop|forget|scrap|bury|park|let go)"
    r"|let(?:ting)? go of|stop (?:looking|chasing|suspecting|blaming)|out of the question|no (?:longer|more) (?:a )?suspect\w*"
    r"|not (?:the |a |an |our |to )?(?:\w+ )?(?:cause|culprit|reason|problem|issue|blame|suspect|fault|guilty|source|explanation)"
    r"|(?:is|was|are|were)(?:n['’]?t| not) (?:it|them|involved|responsible)|scratch(?:es|ed)?|cleared)\b"
    r"|排除|否定|推翻|不成立|站不住|删掉|删去|划掉|剔除|拿掉|去掉|放下|不追|到此为止|清白|讲不通|说不通|冤枉|无辜|拜拜|掰掰|出局|死心|走不通"
    r"|(?:不|别|甭)(?:用|必|需要?|要|能)?(?:再|去)(?:查|追|看|想|管|怀疑|考虑|提|理)|不可能|不太可能|不是(?:原因|主因|它|凶手|元凶|问题|祸首|根因)|无关|不关"
)
_DENIAL = re.compile(  # or says that something is not so, or well
    r"\b(?:not?|none|never|nothing|neither|nor|without|cannot)\b|n['’]t\b"
    r"|\b(?:fine|healthy|ok|okay|good|sound|clean|honest\w*|normal|intact|tight|dry|within|pass(?:es|ed)?|unlikely|implausible|contradict\w*"
    r"|drop(?:s|ped)?|forget|closed|agree[sd]?)\b"
    r"|不|没|无|非|未|正常|干净|完好|良好|没事|冤|安心|放心|合格|通过|矛盾|一致|乖|通的"
)
_CAUSE = re.compile(  # says what it was
    r"\b(?:root[ -]?cause|explanation|culprit|offender|turn(?:s|ed) out|settles (?:it|that|the)|that['’]?s it|there it is"
    r"|the (?:real |true |actual )?reason|(?:is|was|that['’]?s|which is|this is) why|caus(?:ed|ing|es?)|because|due to|owing to"
    r"|responsible|to blame|guilty|explains?|behind|stems?|stemmed|traced|boils? down|comes? down|came down|found it|verdict|case closed"
    r"|smoking gun|confirm(?:s|ed|ing)?|prove[sdn]?|diagnos\w+|conclu\w+|identified|so it (?:is|was)|it(?: is| was|['’]s) the"
    r"|the fault (?:is|was|lies))\b"
    r"|根因|根本原因|真因|元凶|祸首|凶手|真凶|罪魁|主因|原因|就是(?:它|他|因为|这)|谜底|真相|确认|证实|确定|查出|抓到|找到|害的"
    r"|造成|导致|引起|出在|所致|答案|结论|定案|破案|水落石出|坐实|果然"
)
_VERDICT = re.compile(  # and that this is settled
    r"\b(?:root[ -]?cause|culprit|offender|turn(?:s|ed) out|settles (?:it|that|the)|that['’]?s it|there it is|found it|verdict|case closed"
    r"|smoking gun|confirm(?:s|ed)|prove[sdn]?|mystery|the (?:real|true|actual) (?:reason|cause)|that is your answer)\b"
    r"|根因|根本原因|真因|元凶|祸首|凶手|真凶|罪魁|主因|就是它|谜底|真相|证实|查出|抓到|定案|破案|水落石出|坐实|真正的?原因"
)
_GUESS = re.compile(  # supposes
    r"\b(?:may|might|could|maybe|perhaps|possib\w+|probab\w+|likely|suspect\w*|suspicion\w*|guess\w*|bet|theor(?:y|ies)|hypothes[ei]s"
    r"|candidates?|hunch|ideas?|suppos\w+|assum\w+|either|seems?|appears?|points? (?:to|at)|(?:smells?|sounds?|looks) like|options?"
    r"|think(?:s|ing)?|thought|believ\w+|convinced|claims?|says? (?:that|it)|opinion|blam\w+|reckons?|would (?:explain|fit|be)|can be|often|stories|things that)\b"
    r"|可能|或许|也许|大概|怀疑|猜|推测|假设|假说|疑似|恐怕|八成|说不定|像是|看起来|嫌疑|候选|直觉|觉得|想到|认为|以为|说是|看法|一口咬定|说「|主张|归咎|怪|最像|几条|其[一二三四五]"
)
CUES = (("out", _OUT), ("denial", _DENIAL), ("cause", _CAUSE), ("verdict", _VERDICT), ("guess", _GUESS))


def cues_in(sentence: str) -> list[str]:
    """Return what the sentence may do: of "out", "denial", "cause" and "guess".

    >>> cues_in("We can forget about the pump."), cues_in("是供氣管被壓扁造成的")
    (['out', 'denial'], ['cause'])
    """
    folded = fold(sentence)
    return [name for name, pattern in CUES if pattern.search(folded)]
