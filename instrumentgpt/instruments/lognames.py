"""Names of log files: which files are logs, when one was begun, and a safe name for it on this machine."""

import hashlib
import re
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

TEXTS = ".log .txt .csv .tsv .tab .asc .lvm .jsonl .ndjson .dat .data .kv .out .prn .trc .alog"
SUFFIXES = (*TEXTS.split(), ".xlsx", ".parquet")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".heic", ".tif", ".tiff")
OTHERS = (*IMAGES, ".json", ".pdf", ".md", ".html", ".docx", ".pptx", ".xls", ".zip", ".py", ".toml", ".yaml")
LONGEST_NAME = 180  # bytes: file systems allow 255, and ours adds a few
_STAMP = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)[_T -]?(\d\d)[-:_]?(\d\d)(?:[-:_]?(\d\d)(?:[.,](\d{1,6}))?)?(?!\d)"
)
_DAYS = (
    re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)[-_.]?(?P<m>\d\d)[-_.]?(?P<d>\d\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<d>\d\d)[-_.](?P<m>\d\d)[-_.](?P<y>(?:19|20)\d\d)(?!\d)"),
)
_UNSAFE = re.compile(r"[^\w.\-+@()=, ]|(?<=\.)\.+")


def is_log_name(name: str) -> bool:
    """Return whether a file of this name is taken for a log, packed or rotated ones too.

    >>> [is_log_name(name) for name in ("a.DAT.gz", "run.log.3.gz", "a.log.2026-02-19", "a.zip", ".a.log")]
    [True, True, True, False, False]
    """
    bare = re.sub(r"(\.\d{1,3}|\.\d{4}-\d\d-\d\d)?(\.gz)?$", "", name.lower(), count=1)
    return bare.endswith(SUFFIXES) and not name.startswith(".")


def may_be_log(name: str) -> bool:
    """Return whether a file of this name, dropped to be looked at, may be a log: it is nothing else we know.

    >>> [may_be_log(name) for name in ("PX-7731.fd.gz", "run.log", "photo.JPG", "health.json")]
    [True, True, False, False]
    """
    return is_log_name(name) or not name.lower().removesuffix(".gz").endswith(OTHERS)


def is_of_a_day(name: str) -> bool:
    """Return whether a log's name has a date and no clock.

    >>> is_of_a_day("oven 2026-02-19.csv"), is_of_a_day("202602191635.csv")
    (True, False)
    """
    return not _STAMP.search(name) and any(pattern.search(name) for pattern in _DAYS)


def start_time(name: str) -> datetime | None:
    """Return the time in a log's name, as the instrument's clock had it, 0:00 of a day; None without any.

    >>> start_time("InstrumentDebug_2026-02-19_23-24-45.39.log")
    datetime.datetime(2026, 2, 19, 23, 24, 45, 390000)
    >>> start_time("run_20260219T232445.csv"), start_time("run 7.csv"), start_time("x_2026-13-45_9.log")
    (datetime.datetime(2026, 2, 19, 23, 24, 45), None, None)
    >>> start_time("oven 20260219.csv"), start_time("CH2_19.02.2026.csv")
    (datetime.datetime(2026, 2, 19, 0, 0), datetime.datetime(2026, 2, 19, 0, 0))
    >>> start_time("zones_20260219_0930.txt")
    datetime.datetime(2026, 2, 19, 9, 30)
    """
    if match := _STAMP.search(name):
        *parts, fraction = match.groups()
        *clock, micros = *(int(part or 0) for part in parts), int((fraction or "0").ljust(6, "0"))
    elif match := next(filter(None, (pattern.search(name) for pattern in _DAYS)), None):
        clock, micros = [*(int(match[part]) for part in "ymd"), 0, 0, 0], 0
    else:
        return None
    try:
        year, month, day, hour, minute, second = clock
        return datetime(year, month, day, hour, minute, second, micros)
    except ValueError:
        return None


def line_link(log: str, line: int) -> str:
    """Return the link to a line of `log` that the page opens (docs/architecture.md, "Evidence links").

    >>> line_link("zspr 052/run.log", 18204)
    '[L 18,204](?log=zspr%20052/run.log&line=18204)'
    """
    return f"[L {line:,}](?log={quote(log)}&line={line})"


def reference_to(log: str, device: str = "") -> str:
    """Return the log's name as links and reports carry it: with its device before it, if it has one.

    >>> reference_to("run.log", "zspr 052"), reference_to("dropped.log")
    ('zspr 052/run.log', 'dropped.log')
    """
    return f"{device}/{log}" if device else log


def device_folder(cache: Path, device: str) -> Path:
    """Return where `fetch` keeps the logs of the device with this name."""
    return cache / safe_name(device.replace(" ", "_"))


def safe_name(name: str) -> str:
    """Return `name` if it is harmless as a file name here, else a harmless one that no other name becomes.

    >>> safe_name("InstrumentDebug_2026-02-19_23-24-45.39.log"), safe_name("溫度 1.csv")
    ('InstrumentDebug_2026-02-19_23-24-45.39.log', '溫度 1.csv')
    >>> safe_name("../../etc/passwd")
    'etc_passwd~3754d6cb'
    """
    clean = _UNSAFE.sub("_", name).strip("._ ~-") or "log"
    if clean == name and len(clean.encode()) <= LONGEST_NAME:
        return clean
    ending = "".join(re.findall(r"(?:\.\w{1,4}){1,2}$", clean))
    room = LONGEST_NAME - 20 - len(ending.encode())
    stem = clean.removesuffix(ending).encode()[:room].decode(errors="ignore")
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{stem}~{digest}{ending}"
