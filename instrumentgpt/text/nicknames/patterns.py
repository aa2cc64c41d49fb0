"""How people name a device, in two languages, as patterns over sentences with marks for devices.

In a sentence as these see it each device is one character of DEVICE, and each quoted name one of QUOTE.
"""

import re
import tomllib
from pathlib import Path

from instrumentgpt.text.terms import fold

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
DEVICE, QUOTE = "[\ue000-\ue0ff]", "[\ue200-\ue2ff]"
FIRST_DEVICE, FIRST_QUOTE = 0xE000, 0xE200
SENTENCE = re.compile(r"(?<=[.!?])(?<![\s.(][A-Za-z]\.)\s+|(?<=[。！？；;])")  # where one ends

_TOLD = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
EQUIPMENT = frozenset(fold(str(_TOLD["equipment"])).split())
EQUIPMENT_HAN = tuple(sorted(fold(str(_TOLD["equipment_han"])).split(), key=len, reverse=True))
PASSING = frozenset(fold(str(_TOLD["passing"])).split())
MAKERS = frozenset(fold(f"{_TOLD['makers']} {_TOLD['makers_han']}").split())
NEVER = frozenset(fold(str(_TOLD["never"])).split())

# --- names
_WORD = r"[A-Za-zÀ-ÿ0-9_\-]"
_CAPITAL = rf"[A-ZÀ-Þ](?:{_WORD}|&)*"
_CAPITALS = rf"{_CAPITAL}(?:\s{_CAPITAL}){{0,2}}"
_END = (
    r"(?=\s*(?:$|[.,;:!?()，。；：、！？（）—–]|-\s)"
    r"|\s+(?i:from\s(?:now|here)\son|in\s|for\sshort|by\sthe\sway|btw|here|please|and|but|because|since|so|now)\b)"
)
_HAN_END = (
    r"(?=$|[\s.,;:!?()，。；：、！？（）\ue000-\ue2ff]|(?:好了|[了吧喔哦啦囉啊呀])+(?:$|[\s,，。；！]))"
)
_DESCRIBED = rf"(?i:the|our|my)\s+(?P<the>(?:{_WORD}+\s+){{1,4}}?(?i:{'|'.join(sorted(EQUIPMENT))}))\b"
_HAN_NAME = rf"[A-Z]?[{HAN}][{HAN}\w]{{1,7}}?"
_NAME = rf"(?P<quoted>{QUOTE})|{_DESCRIBED}|(?P<capital>{_CAPITALS})|(?P<han>{_HAN_NAME})"
_NICKNAME = "暱稱|昵称|外號|外号|綽號|绰号|別名|别名|代號|代号|小名"
AFTER_VERB = re.compile(
    rf"\s*(?:(?P<quoted>{QUOTE})|(?i:the|our)\s+(?P<the>{_WORD}+(?:\s+{_WORD}+){{0,2}}?){_END}"
    rf"|(?P<capital>{_CAPITALS})|(?P<low>[a-z]{_WORD}{{2,}}){_END}|(?P<han>{_HAN_NAME}){_HAN_END})"
)

# --- verbs and nouns of naming
VERB = re.compile(
    r"(?i:\b(?P<passive>known(?:\s(?:here|locally|internally|to\sus|around\shere|in\s(?:the|our)\s\w+))?\sas"
    r"|referred\sto\sas|a\.?k\.?a\b\.?|alias|go(?:es)?\sby(?:\sthe\sname(?:\sof)?)?|nick(?:name)?\sis|name\sis)(?!\w)"
    r"|\b(?P<active>call(?:s|ed|ing)?|nickname[ds]?|names?|named|dub(?:s|bed)?|christened|refers?\sto|says?)\b)"
    rf"|(?P<noun>{_NICKNAME}|名字|名稱|名称)(?:\s*(?:就?是|為|为|叫做?|:|：))?"
    r"|(?P<strong>[叫喊](?:做|作)|[俗簡简別别統统又]?[稱称](?:做|作|為|为|之為|之为)|俗[稱称]|簡稱|简称|別稱|别称"
    r"|(?:取|命|改|更)名(?:做|作|為|为|叫)?|又[叫名]|改[叫稱称])"
    r"|(?P<bare>[叫喊]|(?<![對对名宣職职])[稱称])"
)
PARTICIPLES = ("called", "named", "nicknamed", "dubbed", "christened")
OBJECT = re.compile(
    rf"\s*(?:(?P<pronoun>(?i:it|this\sone|that\sone|him|her|them)\b|它|他|她|牠)|(?P<device>{DEVICE}))?"
    r"\s*(?:(?i:as|just|simply|:)\s|為|为|做|作|成|是|就是|:|：)?"
)
_GROUP_HAN = (
    r"(?:[^\s,，。；;()（）的\ue000-\ue2ff]{0,5}?"
    r"(?:們|们|家|伙|夥|事|仁|場|场|線|线|房|內|内|務|务|司|部|課|课|組|组|室|邊|边|我)"
    r"|都|就|也|才|又|則|则|以[後后]|之[後后]|今[後后]|從現在起|从现在起|現在|现在|目前|統一|统一|一律|習慣|习惯|通常|平常|一般"
    r"|私下|一直|QC|以下|\s)"
)
GROUP = re.compile(rf"{_GROUP_HAN}+")
GROUP_CHARS = 12  # before a verb
_ADVERB = (
    r"(?:all|just|here|also|always|usually|often|simply|still|now|have|generally|locally|internally|then)"
)
_ADVERBS = rf"(?:{_ADVERB}\s)*"
_WE = (
    r"(?:we|everyone|everybody|people|they|folks|operators|most\sof\sus|you\scan|i|(?:the|our|my)\s\w+(?:\s\w+)?)"
    rf"(?:['’](?:ll|ve))?\s(?:here\s)?{_ADVERBS}"
)
_BESIDE = r"[^,，;；()（）\ue000-\ue0ff]"  # neither a device nor the end of a clause
_DESCRIPTION = (  # "is the bigger furnace, " or 是 A 區的冰箱， and nothing that brings in another thing
    r"(?:(?i:\bis\b|['’]s\b|\bwas\b)|就?是|為|为)\s*"
    rf"(?:(?!(?i:\b(?:with|next|beside|behind|near|whose|running|has|not)\b)){_BESIDE}){{1,60}}?"
    r"[,，;；(（—–]"
)
_APPOSITION = rf"[,，]\s*(?i:the|our|an?)\s(?:(?!(?i:\b(?:with|of|on)\b)){_BESIDE}){{1,40}}[,，]"
_LED = rf"(?:\s*[那這这][台部臺])?[\s,，(（:：—–]*(?:{_DESCRIPTION}|{_APPOSITION})?[\s,，(（:：—–]*"
_ANOTHER = rf"{_BESIDE}*(?:旁|隔壁|另|其他|其它|那[台部臺]|(?i:\b(?:next\sto|beside|behind|other|another)\b))"
ACTIVE_TAIL = re.compile(rf"{_LED}(?i:(?:which|that|and|so|but|where)\s)?(?i:{_WE})?")
SAY_TAIL = re.compile(
    rf"[\s,，]*{_DESCRIPTION}\s*(?i:(?:everyone|everybody|people|folks|we\sall)\s(?:just\s|here\s)?)"
)
PASSIVE_TAIL = re.compile(
    rf"{_LED}(?i:['’]s\s)?(?i:(?:which|that|and|or)\s)?"
    rf"(?i:(?:is|was|are|has\sbeen|have\sbeen|to\sbe|will\sbe)\s)?(?i:{_ADVERBS}(?:also|otherwise|better|affectionately)?\s*)"
)
HAN_TAIL = re.compile(rf"{_LED}(?P<subject>[^，。；,;()（）的\ue000-\ue2ff]{{0,12}})")
DEVICE_LAST = re.compile(rf"{DEVICE}(?:\s*[那這这][台部臺])?\s*$")
NOUN_TAIL = re.compile(  # of what is described another clause may tell more
    rf"(?:\s*的\s*|{_LED}|[\s,，(（]*{_DESCRIPTION}\s*(?!{_ANOTHER}){_BESIDE}{{1,40}}[,，]\s*)"
)
_AND = r"(?i:\band\b)|和|與|与|跟|及"
JOINED = re.compile(rf"{DEVICE}\s*(?:,|、|，|/|&|{_AND})\s*$")
RESPECTIVELY = re.compile(r"(?i:\brespectively\b)|分別|分别")
LISTED = re.compile(rf"\s*(?:,|、|，|{_AND})\s*")
GOES_ON = re.compile(
    rf"\s*(?:,|，|、|(?i:\band\b)|和|,\s*(?i:and\b))\s*(?P<device>{DEVICE})(?:\s+(?=[A-Z])|\s*(?={QUOTE}))"
)
OF_ANOTHER = re.compile(  # before a device that only says where something is, or whose: the operator for 052
    r"\b(?i:of|on|in|from|near|with|behind|by|to|beside|at|under|above|inside|(?<!name )for)\s+"
    r"(?i:the\s|our\s)?$"
)
DENIED = re.compile(
    r"(?i:\b(?:not|never|no\slonger|nobody|no\sone|don['’]?t|doesn['’]?t|didn['’]?t|isn['’]?t|stop|stopped|used\sto\sbe"
    r"|formerly|previously)\b)(?P<rest>[^,，;；]{0,25})$|(?:不再|不會|不会|不|沒有|没有|沒|没|別再|别再|別|别|勿|莫)(?P<han>\s*)$"
)

# --- "X is 052", "052 is X", X (052), 052 ("X")
_STARTS = (
    r"(?:^|[,，;；:：.。!！（(—–]|\s-\s"
    r"|\b(?i:and|but|so|that|call|chat|thread|conversation|know|note|btw|remember|way)\s)\s*"
)
_IS = (
    r"\s*(?:(?P<no>(?i:\bis\s(?:not|no\slonger|never)|\bisn['’]t|['’]s\snot)\b|不再是|已不是|並不是|并不是|不是)"
    r"|(?P<same>就是|即是|即為|指的是|是指|指|即|[=＝])|(?P<is>(?i:\bis\b|['’]s\b|\bmeans\b|\bstands\sfor\b)|是))\s*(?P<now>(?i:now|actually|still|also)\s)?\s*"
)
_DEVICE_ENDS = (
    r"(?=\s*(?:$|[.,;:!?()，。；：、！（）—–]|-\s|[也和跟啦喔哦吧呀啊囉了])"
    r"|\s+(?i:and|but|now|from|which|whereas|while|on|in|at|not|here|btw|instead|again)\b)"
)
IS_DEVICE = re.compile(
    rf"{_STARTS}(?:{_NAME}){_IS}"
    rf"(?i:(?:device|unit|number|no\.)\s)?(?P<device>{DEVICE}){_DEVICE_ENDS}"
)
DEVICE_IS = re.compile(rf"(?P<device>{DEVICE}){_IS}(?:{_NAME}{_HAN_END}){_END}")
BRACKETED = re.compile(rf"(?P<device>{DEVICE})\s*[（(]\s*(?P<quoted>{QUOTE})\s*[)）]")
BRACKETED_BARE = re.compile(rf"(?P<device>{DEVICE})\s*[（(]\s*(?P<capital>[A-ZÀ-Þ][a-zà-ÿ]{{2,}})\s*[)）]")
DEVICE_BRACKETED = re.compile(
    rf"(?:(?P<quoted>{QUOTE})|(?:^|\W){_DESCRIBED})\s*[（(]\s*(?P<device>{DEVICE})\s*[)）,，]"
)
WHAT_WE_CALL = re.compile(
    rf"(?:(?P<quoted>{QUOTE})|{_STARTS}(?:(?i:the|our)\s+(?P<the>{_WORD}+(?:\s{_WORD}+){{0,2}})|(?P<capital>{_CAPITALS})"
    rf"|(?P<han>{_HAN_NAME})))\s*(?:(?i:is|was)\s(?:(?i:what\s(?:{_WE})calls?)|(?i:our|the|a|my|its)\s(?i:nick)?(?i:name\s(?:of|for)))\s*"
    rf"(?P<device>{DEVICE})|就?是\s*(?P<of>{DEVICE})\s*的\s*(?:{_NICKNAME}))"
)
ALIKE = (  # said of another device in a message that names one with a verb
    re.compile(
        rf"(?P<device>{DEVICE})\s*(?:(?:(?i:\bis\b)|是){_BESIDE}{{1,60}}?)?"
        rf"[（(]\s*(?:(?P<quoted>{QUOTE})|(?P<capital>{_CAPITALS}))\s*[)）]"
    ),
    re.compile(
        rf"(?P<device>{DEVICE})\s*(?:(?i:\bis\b)|是){_BESIDE}{{1,60}}[,，]\s*(?P<quoted>{QUOTE})(?=\s*(?:$|[.,;!，。；]))"
    ),
)
INSTEAD = re.compile(rf"\s*[,，]?\s*(?:(?i:but|it\sis|it['’]s)|而?是)\s*(?P<device>{DEVICE})")
NOT_ANOTHER = re.compile(
    rf"\s*[,，]?\s*(?:(?i:and\s)?(?i:not|no\slonger|instead\sof|rather\sthan)|而?不是|而非)\s*{DEVICE}"
)

# --- what a sentence says beside
ANEW = re.compile(
    r"(?i:\bfrom\s(?:now|here)\son\b|\bnow\b|\binstead\b|\bhenceforth\b|\brenamed?\b|\bactually\b|\bcorrection\b)"
    r"|以[後后]|今[後后]|從現在|从现在|現在|现在|改叫|改[稱称]|改名|其實|其实|更正|才[叫是]"
)
DOUBT = re.compile(
    r"(?i:\b(?:if|whether|suppose|supposing|assume|assuming|maybe|perhaps|might|may\sbe|could\sbe|would\sbe|probably|possibly"
    r"|not\ssure|wish|or)\b)"
    r"|如果|假如|假設|假设|要是|倘若|是不是|是否|可能|也許|也许|或許|或许|大概|好像|似乎|還是|还是|哪|誰|谁|什麼|什么|甚麼|怎|為何|为何|嗎|吗"
)
ASKS = re.compile(
    r"^[^\w\ue000-\ue2ff]*(?i:what|why|how|which|who|whose|where|when|is|are|was|does|did|do|can|could|would|should)\b|[嗎吗呢][。.]?\s*$"
)
REQUEST = re.compile(
    r"\W*(?i:can|could|would|will)\s(?i:you|we)\s(?i:please\s)?(?i:call|name|refer\sto|nickname)\b"
)
PLAIN_NOUNS = ("代號", "代号", "名字", "名稱", "名称")  # an identifier, unless 是 or 叫 follows
ASKED_BACK = re.compile(
    r"\W*(?i:right|correct|yes|no|is\sit|isn['’]t\sit|ok|okay|or\b.*)|\W*(?:對|对|是|沒錯|没错|好|不).{0,3}"
)
NOT_OF_A_NAME = re.compile(  # characters of sentences: an unquoted name has none of them
    r"[的了嗎吗呢吧很太超不沒没有在會会要都也還还去我你您來来看請请把被讓让跟和與与或這这那哪誰谁該该此本兩两每某又再最更得個个起像過过說说問问]"
    r"|昨|今天|明天|前天|剛|刚|如果|因為|因为|所以|停機|停机|重開|重开|重啟|重启|開機|开机|關機|关机|跳機|跳机|當機|当机|先|等一下"
)
ERROR_CODE = re.compile(
    r"(?i:(?:e|f|er|err|al|alm|alarm|ah|ch|fw|v|rev|sn|wo|r)[-_ ]?\d+\w*)|[A-Za-z]{1,4}-\d+\w*|0x\w+"
)
