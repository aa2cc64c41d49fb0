"""Numbers with units, dates and identifiers: what a value can be, and of which quantities."""

import re
from functools import lru_cache

_PLAIN = (  # 4,017 · 11 206 · 4,2 · 1.5e-3
    r"\d+(?:(?:,\d{3})+(?!\d)|(?:(?<!(?:zone|tage|step|slot|loop|line|turn|nnel|type"
    r"|part) \d)[ \u00a0\u202f]\d{3})+"
    r"(?![\d.,]*\d)|,\d{1,2}(?![\d,.]))?(?:\.\d+)?(?:e[-+−]?\d+"
    r"|\s?[×x·*]\s?10\s?\^?\s?[-−+⁻]?[\d⁰¹²³⁴-⁹]+)?"
)
_NUMBER = (
    rf"[-+−±]?{_PLAIN}(?:\s?(?:±|\+/-)\s?\d+(?:\.\d+)?"  # a tolerance
    rf"|\s?[–~～]\s?[-−]?{_PLAIN}|-{_PLAIN}(?=\s?(?:%|°|[a-zA-Zµμ]{{1,5}}\b)))?"  # a range
)
_BASE = (
    r"(?:°\s?[CFKcf]|[mkM]?N·?m|℃|℉|[%％](?:\s?(?:RH|FS)\b)?|‰|[mkMGµμn]?(?:Pa|Hz|hz|[VAWJNFSTgGmKs]|Wh"
    r"|eV|Ω|ohms?|Ohms?|bar|l|L|M|Bq)"
    r"|mols?|psi|atm|[Tt]orr|rpm|RPM|[µμcn]m|bar|kelvin|C|F|RH|K|h|hrs?|ms|min|mins|minutes?|seconds?"
    r"|secs?|hours?|days?"
    r"|weeks?|months?|years?|d|sccm|slm|vvm|ppm|ppb|dB[mA]?|db|counts?|cts|cycles?|steps?|turns?"
    r"|pulses?|bits?|px|cP|lux|pH"
    r"|Å|deg(?:rees)?|percent|inch(?:es)?|xg)(?:[²³]|\^[-−]?\d|⁻[¹²])?"
)
_HAN_UNIT = (
    r"(?:個)?(?:攝氏度|摄氏度|轉/分|转/分|度|秒鐘|秒钟|毫秒|秒|分鐘|分钟|分(?!之|析|佈|布)|小時|小时|天|年|週|周|個月|轉|转"
    r"|圈|次|公克|毫克|公斤|克|毫升|公升|升|毫米|微米|公分|公尺|伏特?|毫安|安培|瓦特?|歐姆|欧姆|赫茲|赫兹|帕|巴|步|片|趟)"
)
_UNIT = (
    r"(?:\s?(?:h|hours?|小時|小时)\s?\d{1,2}\s?(?:min|minutes|分鐘|分钟|分)(?![a-zA-Z])"
    rf"|\s?(?:(?:{_BASE})(?:\s?[·/*]\s?(?:{_BASE}))*(?![a-zA-Z0-9])|{_HAN_UNIT})"
    r"|(?<=\d)(?:[avwckf]|psi|PSI)(?![\w/]))?"
)
_DAY = (
    r"\d{1,2}\s?月\s?\d{1,2}\s?[日號号]|\d{1,2}/\d{1,2}(?:/\d{2,4})?(?![\d/.])"
    r"|\d{4}-\d\d(?:-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?)?(?![\d-])|\d{4}/\d\d?/\d\d?|\d{1,2}:\d\d(?::\d\d)?"
)
_IDENTIFIER = (
    rf"(?:{_DAY}|v?\d+(?:\.\d+){{2,}}(?:[\w.\-]*\w)?"  # a date or time; a version
    r"|(?!\d+(?:\.\d+)?(?:e[-+]?\d+)?(?:[a-zµμ]{1,3}|/[a-z]+)?(?![\w.\-/]))"  # but 1.8nm is no name
    r"(?=[\w.\-/]*\d)(?=[\w.\-/]*[a-z])[a-z0-9](?:[\w.\-/]*[a-z0-9])|\d+(?:-\d+)+(?!\s?(?:%|°"
    r"|[a-z]{1,5}\b)))"
)
VALUE = re.compile(
    rf"(?<![\w.])(?:(?P<id>(?i:{_IDENTIFIER}))(?![\w])"
    rf"|(?P<number>{_NUMBER})(?P<unit>{_UNIT})(?![a-zA-Z]|[\w.]*\d))"
)
UNIT = re.compile(_UNIT)
_DATE = re.compile(_DAY)
_DATED = re.compile(
    r"date|time|window|maintenance|calibrat|due|until|since|valid|deadline|freeze|frozen|expir|accept|install|commission"
    r"|日|時|时|效期|期限|截止|凍|冻|稽核|校正|校準|校准|驗收|验收|安裝|安装|到期"
)
_IDENTIFIED = re.compile(
    r"serial|\bs/?n\b|part\b|\bp/?n\b|code|order|ticket|model|version|number|\bno\b|firmware|software"
    r"|release"
    r"|revision|\brev\b|\blot\b|batch|certificate|\bcert\b|contract|\bid\b|label|sticker|kit|nameplate"
    r"|barcode|asset"
    r"|document|\bdoc\b|protocol|dossier|file|address|hostname|name|type|gas|refrigerant|column|fluid"
    r"|號|号|碼|码|型|韌體|韧体|固件|版|批|證|证|合約|合同|銘牌|铭牌|標籤|标签|料|冷媒|檔|档|名"
)
_NAMES_ONLY = re.compile(
    r"serial|part number|firmware|software|model|work order|certificate|contract|error code|asset"
)
_NUMBERED = re.compile(r"serial|part number|work order|certificate|contract|asset")
_NAMED = re.compile(r"0\d+")  # 052 is a name: no quantity is written so


def is_identifier(found: re.Match[str]) -> bool:
    """Return whether the value names something: no number, date or time."""
    return bool(found["id"]) and not _DATE.match(found["id"])


def identifies(parameter: str) -> bool:
    """Return whether the values of `parameter` may be identifiers: a serial number's, a firmware's."""
    return bool(_IDENTIFIED.search(parameter))


def fits(parameter: str, found: re.Match[str]) -> bool:
    """Return whether the value can be one of the parameter: dates and names only of what has them."""
    if found["number"] and _NAMED.fullmatch(found["number"]):
        return identifies(parameter)
    if found["id"] and _DATE.match(found["id"]):
        return bool(_DATED.search(parameter))
    if found["number"] and found["unit"].strip():
        return not _NAMES_ONLY.search(parameter)
    if found["number"] and _NUMBERED.search(parameter):
        return found["number"].isdigit()
    return not found["id"] or identifies(parameter)


def quantity(found: re.Match[str], unit: str = "") -> tuple[str, str]:
    """Return (value, unit); `unit` is that of its label or column, where the value has none itself."""
    if found["id"]:
        return found["id"], ""
    number = found["number"].replace("−", "-").removeprefix("±")
    return number, (found["unit"] or "").strip() or unit


def value_in(text: str) -> tuple[str, str]:
    """Return (value, unit) of what somebody typed as a value; what has no number is a value as it is.

    >>> value_in(" 4,017 rpm"), value_in("off")
    (('4,017', 'rpm'), ('off', ''))
    """
    told = " ".join(text.split())
    found = VALUE.fullmatch(told)
    return quantity(found) if found else (told, "")


_MEASURES = (  # units of one thing
    "°c ℃ c k °k °f f 度 kelvin deg degrees 攝氏度 摄氏度",
    "s sec secs second seconds ms min mins minute minutes h hr hrs hour hours d day days week weeks"
    " 秒 秒鐘 秒钟 毫秒 分 分鐘 分钟 小時 小时 個小時 個小时 天 週 周",
    "bar mbar pa kpa mpa hpa psi torr mtorr atm 帕 巴",
    "% ％ percent %rh rh",
    "rpm 轉 转 轉/分 转/分",
    "v mv kv 伏 伏特",
    "a ma µa 安培 毫安",
    "w kw mw 瓦 瓦特",
    "ω kω ohm ohms kohm 歐姆 欧姆",
    "n kn",
    "hz khz mhz ghz",
    "l ml µl 公升 毫升 升",
    "g mg kg µg 克 公克 公斤 毫克",
    "mm cm m µm nm 毫米 公分 公尺 微米",
)
_MEASURE_OF = {unit: number for number, units in enumerate(_MEASURES) for unit in units.split()}


@lru_cache(maxsize=4096)
def same_measure(unit: str, other: str) -> bool:
    """Return whether two units measure the same thing; one that is not told may be any."""
    told, held = ("".join(one.casefold().split()).replace("μ", "µ") for one in (unit, other))
    if not told or not held or told == held:
        return True
    if "/" in told and "/" in held:
        return all(same_measure(a, b) for a, b in zip(told.split("/"), held.split("/"), strict=False))
    measure = _MEASURE_OF.get(told)
    return measure is not None and measure == _MEASURE_OF.get(held)
