"""How sentences say that a value holds, held before, or does not hold: in English and Chinese."""

import re

REACH_CHARS = 200  # before a value, to what says that it does not hold
NEAR_CHARS = 40  # to what says that it is new or old
UNREAL = re.compile(  # what is proposed or supposed, for the rest of the sentence
    r"\b(?:if|would|i'd|we'd|should|ought|could|might|may|suggest\w*|recommend\w*|propos\w*|try"
    r"|consider|assum\w*"
    r"|suppose|expect\w*|predict\w*|estimat\w*|goal|e\.g|example|wrong|incorrect|mistake|typo|ignore"
    r"|need(?:s|ed)? to|drop it to|lower it to"
    r"|raise it to)\b"
    r"|如果|假如|若|建議|建议|應該|应该|可以|可能|試|试|假設|假设|例如|錯|错|要不要|想要?|打算|預期|预期|預計|预计|估計|估计|估",
    re.I,
)
CORRECTED = re.compile(  # right before a value: "kp is wrong, it should be", 「不對，應該是」
    r"(?:\b(?:wrong|incorrect|mistaken|a mistake|a typo|not right)|不對|不对|錯了?|错了?|有誤|有误|不正確"
    r"|不正确|不是\s?[-+]?[\d.]+)[\s,，;；:：.。]*(?:(?:it|that|this)\s)?"
    r"(?:(?:should|must|has to|ought to) (?:be|read)|[應应][該该]?[是為为]?)\s*$",
    re.I,
)
NOT_OWN = re.compile(  # what is so elsewhere, for the rest of the clause
    r"\b(?:typical(?:ly)?|usual(?:ly)?|normal(?:ly)?|ideal(?:ly)?|datasheet|data sheet|spec|nominal"
    r"|rated|healthy"
    r"|required|requires|allowed|allows|advertised|default|at least|at most|less than|more than|up to"
    r"|below|above"
    r"|under|over|within|beyond|exceed(?:s|ed)?|not beyond|between|until|unless|every|per)\b|[<>≤≥]"
    r"|(?:\bby|變|变)\s*$"
    r"|通常|一般|理想|規格|规格|額定|额定|標稱|标称|正常|要求|允許|允许|預設|预设|出廠|出厂|至少|最多|低於|低于|高於|高于"
    r"|不超過|不超过|超過|超过|小於|小于|大於|大于|以內|以内|正負|正负|限制|限在|每(?!次|回|分|小時|秒)",
    re.I,
)
NOT_OWN_AFTER = re.compile(
    r"^\s*(?:increments?|steps?\b|more|less|higher|lower|warmer|colder|faster|slower|below|above|over"
    r"|under|too|short"
    r"|off\b|apart|of a\b|per cent of|margin|\s*[到至]\s*[-−]?\d"
    r"|之間|之间|上下"
    r"|以上|以下|以內|以内|以外|左右的誤差|的誤差|的误差|時(?!間)|时(?!间)|的時候|的时候)",
    re.I,
)
PIECE = re.compile(r"[,，、；;(（]")
OLD = re.compile(
    r"(?:\bnot|n't(?: be)?|\bnever|\bfrom|\binstead of|\brather than|\bprevious(?:ly)?|\bformer(?:ly)?"
    r"|\bwas|\bwere"
    r"|\breplac(?:es|ed|ing)|\bin place of|\bagainst|\bold|\bused to be|\bno longer|\bbefore|\bearlier"
    r"|不是|並非|并非|而非|非|從|从|由"
    r"|原本|原來|原来|原先|原|之前|先前|舊|旧|本來|本来|不再是?|取代|代替"
    r"|上次|以前|剛才|刚才|當時|当时|那時|那时|昨天|前面)"
    r"(?:\s+(?:the|a|an|at|it|its|of|original|old|default))*[\s:：=是為为的,，]*(?:value|值|設定|设定)?\s*$",
    re.I,
)
OLD_AFTER = re.compile(
    r"^\s*[)）]?\s*(?:before(?!hand)|earlier|previously|until (?:now|today)"
    r"|作廢|作废|不要用|是錯的|是错的|已過期|已过期)",
    re.I,
)
NEW = re.compile(
    r"(?:\bto|\bnow|\bnew|\bcurrently|→|->|=>|改為|改为|改成|改|調到|调到|調成|调成|調為|调为|降到|升到|降至|升至|換成|换成"
    r"|變成|变成|現在是?|现在是?|目前是?|而是|應為|应为|更正為|更正为|更新為|更新为)(?:每次|約|约)?[\s:：=是為为]*$",
    re.I,
)
LINK = re.compile(
    r"\b(?:is|are|was|were|be|reads?|reading|equals?|at|of|to|set|now|stands|sits|shows?|measur\w*"
    r"|runs?|running|gives?"
    r"|has|down|up|about|around|averages?|says?|keeps?|holds?|remains?|stays?|went|goes|came|comes"
    r"|dropped|fell|rose)\b"
    r"|[=:：≈~→]|->|為|为|是|設|设|約|约|目前|現在|现在|(?<!直)到|成|改|讀|读|有|在|值|達|达|等於|等于|調|调|換|换|至|只|剩|寫|写",
    re.I,
)
DENIED = re.compile(  # before a name: there is none of it, or what follows is how far something is from it
    r"(?:\bno|\bwithout(?: any)?|\b(?:deviat\w*|depart\w*|differ\w*) from(?: the| its)?"
    r"|沒有|没有|無|无|偏離|偏离)\s*$",
    re.I,
)
NOT_NAME = re.compile(  # before the name that a colon follows: "not its temperature: 5 jumps"
    r"(?:\b(?:not|never|neither|nor|rather than)|n't|不是|並非|并非|而非|無關|无关)"
    r"(?:\s+(?:the|a|an|its|our|your|that|this|of))*\s*(?:它的|其|那個|那个)?$",
    re.I,
)
YES = re.compile(
    r"^\W*(?:yes|yep|yeah|correct|right|indeed|exactly|是|對|对|沒錯|没错|正確|正确|嗯)(?![a-z])", re.I
)
QUESTION_END = re.compile(r"(?:了?[嗎吗呢]|[?？\s])+$")
COMPOUND = re.compile(  # with one of these behind it, a quantity is part of another one's name
    r"[\s_\-]+(?:trip|limit|alarm|threshold|sensor|meter|gauge|valve|pump|controller|test|curve|ripple"
    r"|error|switch"
    r"|regulator|transmitter|probe|drop|rise|offset|range|band|swing|supply|line|hose|factor|constant"
    r"|sweep|window"
    r"|step|margin|log|trace|reading|warning|fault|ceiling|filter|head|lag|interval|peak"
    r"|excursion)s?(?![a-z])"
    r"|(?:上限|下限|警報|警报|門檻|门槛|感測器|传感器|計|计|閥|阀|誤差|误差|偏移|範圍|范围|差|波動|波动|曲線|曲线|零點|零点|測試|测试)",
    re.I,
)
HAN = re.compile(r"[\u3400-\u9fff]")


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether the name at start:end is said not to be it, and what a colon begins explains that."""
    return bool(text[end:].lstrip().startswith((":", "：")) and NOT_NAME.search(text[:start]))


def is_unreal(before: str) -> bool:
    """Return whether what stands before a value in its sentence says that it does not hold."""
    told = before[-REACH_CHARS:]
    if CORRECTED.search(told):
        return False
    return bool(UNREAL.search(told) or NOT_OWN.search(PIECE.split(told)[-1]))


def is_old(before: str) -> bool:
    """Return whether what stands before a value says that it held once: "not", "instead of the", 原本."""
    return bool(OLD.search(before[-NEAR_CHARS:]))


def is_new(before: str) -> bool:
    """Return whether what stands before a value says that it holds from now on: "to", 改成."""
    return bool(NEW.search(before[-NEAR_CHARS:]))


def is_out(after: str) -> bool:
    """Return whether what stands behind a value says that it is none in force: "before", "too low", 作廢."""
    return bool(OLD_AFTER.match(after) or NOT_OWN_AFTER.match(after))
