"""Numbers with units, dates and identifiers: what a value can be, and of which quantities."""

import re

from instrumentgpt.memory.measures import NUMBER, WRITTEN_UNIT

_PLAIN = rf"{NUMBER}(?:\s?[×x·*]\s?10\s?\^?\s?[-−+⁻]?[\d⁰¹²³⁴-⁹]+)?"  # 1.5 × 10^-3
_NUMBER = (
    rf"[-+−±]?{_PLAIN}(?:\s?(?:±|\+/-)\s?\d+(?:\.\d+)?"  # a tolerance
    rf"|\s?[–~～]\s?[-−]?{_PLAIN}|-{_PLAIN}(?=\s?(?:%|°|[a-zA-Zµμ]{{1,5}}\b)))?"  # a range
)
_UNIT = (
    r"(?:\s?(?:h|hours?|小時|小时)\s?\d{1,2}\s?(?:min|minutes|分鐘|分钟|分)(?![a-zA-Z])"
    rf"|\s?{WRITTEN_UNIT}|(?<=\d)(?:[avwckf]|psi|PSI)(?![\w/]))?"
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
