"""Files that are no lines of text, as text: a line is a row of a spreadsheet or an element of a JSON array.

The first line names the columns, so that line n is row n of the spreadsheet, and element n - 1 of the others.
"""

import ast
import hashlib
import json
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import Element, TreeBuilder

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.lognames import safe_name
from instrumentgpt.instruments.reading.bounds import OversizedLog, check_size
from instrumentgpt.instruments.reading.encodings import decoded, encoding_of
from instrumentgpt.instruments.reading.record import flat

HEAD_BYTES = 1 << 16
BLOCK_ROWS = 10_000
LARGEST_DOCUMENT = 256_000_000  # bytes of a JSON document, which is held in memory as a whole
LARGEST_LITERAL = 32_000_000  # bytes of a Python literal or of XML: some hundred hours of roasting
MOST_NAMED, MOST_LOGS = 8, 200  # of a .zip: those named, those read
DEEPEST = 8  # levels of a document at which a table is looked for
DEEPEST_MARKUP = 64  # levels of elements
JSON_DOCUMENT = re.compile(rb'\s*(?:\[\s*[\[{]|\{\s*"(?:[^"\\]|\\.)*"\s*:)')
JSON_LINE = re.compile(rb"\s*\{.*\}\s*\n\s*\{")
LITERAL = re.compile(rb"\s*\{\s*'")
MARKUP = re.compile(rb"\s*<[?!A-Za-z](?s:.*?)(?:</|/>)")
CELLS = {"td", "th", "cell"}  # of HTML, and of spreadsheets saved as XML: what has no other children is a row
PASSED = {"thead", "tbody", "tfoot", "br", "hr", "img", "meta", "link", "col", "input"}  # without a level
LEFT_OPEN = {"td": ("td", "th"), "th": ("td", "th"), "tr": ("tr",)}  # what HTML need not end before another
BREAKS = str.maketrans(dict.fromkeys("\t\r\n\v\f", " ") | {'"': "'"})
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, SyntaxError, LookupError, ValueError, OSError)
SERIES = ("datapoints", "values", "points")  # what holds the values of one series: Grafana, Prometheus

Row = Sequence[object]


class SeveralLogs(InstrumentGPTError, ValueError):
    """A .zip with more logs than one where one is read."""


class DamagedLog(InstrumentGPTError, ValueError):
    """A file of a known kind that is cut off or damaged."""


@dataclass(frozen=True)
class Kind:
    """What a file is that is no text, and what writes it as text in blocks of lines."""

    name: str
    write: Callable[[Path], Iterator[bytes]]


def kind_of(part: Path) -> Kind | None:
    """Return what the file `part` is, by its content; None if it is text, or nothing known."""
    status = part.stat()
    return _kind_of(part, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def _kind_of(part: Path, _size: int, _changed: int) -> Kind | None:
    with part.open("rb") as file:
        head = file.read(HEAD_BYTES).removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"PK\x03\x04"):
        return Kind("zip", _from_zip) if members(part, part.name) else Kind("spreadsheet", _from_spreadsheet)
    if head.startswith(b"PAR1"):
        return Kind("Parquet", _from_parquet)
    if LITERAL.match(head) and _literal(part) is not None:
        return Kind("Artisan profile", lambda part: _lines(_profile(_literal(part) or {})))
    if JSON_DOCUMENT.match(head) and not JSON_LINE.match(head) and len(_rows_of(_document(part))) > 1:
        return Kind("JSON", lambda part: _lines(_rows_of(_document(part))))
    if MARKUP.match(head) and len(_rows_of(_markup(part))) > 1:
        return Kind("XML", lambda part: _lines(_rows_of(_markup(part))))
    if codec := encoding_of(head):
        return Kind(codec, lambda part: decoded(part, codec))
    return None


def transcribed(part: Path) -> Iterator[bytes]:
    """Yield the file `part`, which is of a known `kind_of`, as text; DamagedLog if it cannot be read."""
    kind = kind_of(part)
    if kind is None:
        return
    try:
        yield from kind.write(part)
    except InstrumentGPTError:
        raise
    except DAMAGE as problem:
        raise DamagedLog(
            f"{part.name} starts as {kind.name} does, but cannot be read ({reason(problem)}). "
            "Save it once more, or as CSV"
        ) from problem


def members(packed: Path | IO[bytes], name: str) -> list[zipfile.ZipInfo]:
    """Return the logs in a .zip: its files that are not hidden; [] if it is a spreadsheet."""
    try:
        with zipfile.ZipFile(packed) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
    except zipfile.BadZipFile as problem:
        raise DamagedLog(
            f"{name} starts as a .zip does, but cannot be read ({reason(problem)}). Pack it again"
        ) from problem
    if any(entry.filename == "xl/workbook.xml" for entry in entries):
        return []
    if any(entry.flag_bits & 1 for entry in entries):
        raise DamagedLog(f"{name} is encrypted. Unpack it with its password and hand over the logs in it")
    return [entry for entry in entries if not re.search(r"(?:^|/)(?:\.|__MACOSX/)", entry.filename)]


def logs_in(packed: IO[bytes], name: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the name and the content of each log in the .zip `name`, where it holds several; else nothing."""
    start = packed.read(4)
    packed.seek(0)
    if start != b"PK\x03\x04":
        return
    entries = members(packed, name)
    if len(entries) > MOST_LOGS:
        raise SeveralLogs(
            f"{name} holds {len(entries)} files, over {MOST_LOGS}. Unpack it and choose among them"
        )
    with zipfile.ZipFile(packed) as opened:
        for entry in entries if len(entries) > 1 else ():
            check_size(f"{name}/{entry.filename}", entry.file_size, packed=entry.compress_size)
            with opened.open(entry) as file:
                yield entry.filename.replace("\\", "/").rpartition("/")[2], file


def unpacked(path: Path, folder: Path) -> list[Path]:
    """Return the logs that the file at `path` holds: unpacked below `folder` if it is a .zip of several."""
    if not path.is_file():
        return [path]
    target = (
        folder / hashlib.blake2b(f"{path.absolute()} {path.stat().st_mtime_ns}".encode()).hexdigest()[:16]
    )
    logs: list[Path] = []
    with path.open("rb") as packed:
        for name, content in logs_in(packed, path.name):
            target.mkdir(parents=True, exist_ok=True)
            plain = safe_name(name)
            taken = plain in [log.name for log in logs]
            logs.append(target / (f"{len(logs)}_{plain}" if taken else plain))
            with logs[-1].open("wb") as file:
                shutil.copyfileobj(content, file)
    return logs or [path]


def _from_zip(part: Path) -> Iterator[bytes]:
    """Yield the text of the one log in a .zip; SeveralLogs if there are more."""
    logs = members(part, part.name)
    if len(logs) > 1:
        names = ", ".join(log.filename for log in logs[:MOST_NAMED])
        raise SeveralLogs(f"{part.name} holds {len(logs)} logs: {names}. Unpack it and hand over one of them")
    with zipfile.ZipFile(part) as packed, packed.open(logs[0]) as file:
        while block := file.read(1 << 20):
            yield block


def _from_spreadsheet(part: Path) -> Iterator[bytes]:
    """Yield the sheet with the most rows."""
    import openpyxl  # 0.3 s: only for spreadsheets

    with zipfile.ZipFile(part) as packed:
        for entry in packed.infolist():  # before any is parsed
            check_size(part.name, entry.file_size, packed=entry.compress_size)
    with part.open("rb") as file:  # whatever its name
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = book.worksheets
        sheet = sheets[0]
        if len(sheets) > 1:
            sheet = max(sheets, key=lambda sheet: sum(1 for row in sheet.values if any(row)))
        yield from _lines(sheet.values)


def _from_parquet(part: Path) -> Iterator[bytes]:
    import pyarrow as arrow
    import pyarrow.csv as csv
    import pyarrow.parquet as parquet

    with part.open("rb") as file:
        table = parquet.ParquetFile(file)
        kinds = arrow.types
        has_texts = not all(kinds.is_primitive(field.type) for field in table.schema_arrow)
        head = b"".join(_lines([table.schema_arrow.names]))
        for batch in table.iter_batches(BLOCK_ROWS):
            if has_texts:  # whose breaks would end a row
                rows = b"".join(_lines(zip(*(column.to_pylist() for column in batch.columns), strict=True)))
            else:
                block = arrow.BufferOutputStream()
                csv.write_csv(batch, block, csv.WriteOptions(include_header=False, delimiter="\t"))
                rows = block.getvalue().to_pybytes()
            yield head + rows
            head = b""


def _lines(rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield `rows` as lines with tabs between the cells."""
    block: list[str] = []
    for row in rows:
        block.append("\t".join(map(_cell, row)))
        if len(block) >= BLOCK_ROWS:
            yield ("\n".join(block) + "\n").encode()
            block = []
    if block:
        yield ("\n".join(block) + "\n").encode()


def _cell(value: object) -> str:
    return "" if value is None else str(value).translate(BREAKS)


def _document(part: Path) -> object:
    """Return the JSON document in the file `part`, None if it is none."""
    size = part.stat().st_size
    if size > LARGEST_DOCUMENT:
        megabytes = f"{LARGEST_DOCUMENT / 1e6:,.0f} MB"
        raise OversizedLog(
            f"{part.name} is a JSON document of more than {megabytes}, which can only be read as a whole. "
            "Write one object a line (.jsonl), or CSV",
        )
    try:
        return json.loads(part.read_bytes())
    except (ValueError, RecursionError):
        return None


def _literal(part: Path) -> dict[str, Any] | None:
    """Return the Python dictionary that is written in the file `part`, None if it is none; nothing is run."""
    if part.stat().st_size > LARGEST_LITERAL:
        return None
    try:
        literal = ast.literal_eval(part.read_text(encoding="utf-8", errors="replace"))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return literal if isinstance(literal, dict) else None


class _Reader(HTMLParser):
    """Reads XML or HTML, also where elements are left open; nothing is fetched or resolved."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = TreeBuilder()
        self.open: list[str] = []
        self.handle_starttag("", ())

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        for ended in LEFT_OPEN.get(tag, ()):
            self.handle_endtag(ended)
        if tag not in PASSED and len(self.open) < DEEPEST_MARKUP:
            self.open.append(tag)
            self.builder.start(tag, {name: value or "" for name, value in attrs})

    def handle_data(self, data: str) -> None:
        self.builder.data(data)

    def handle_endtag(self, tag: str) -> None:
        while tag in self.open:
            self.builder.end(last := self.open.pop())
            if last == tag:
                break


def _markup(part: Path) -> object:
    """Return what the XML or HTML in the file `part` says, as JSON would; None if it is too large."""
    if part.stat().st_size > LARGEST_LITERAL:
        return None
    content, reader = part.read_bytes(), _Reader()
    reader.feed(content.decode(encoding_of(content[:HEAD_BYTES]) or "utf-8", errors="replace"))
    reader.handle_endtag("")
    return _plain(reader.builder.close())


def _plain(element: Element) -> object:
    children, text = list(element), "".join(element.itertext()).strip()
    if children and {child.tag for child in children} <= CELLS:
        return ["".join(cell.itertext()).strip() for cell in children]
    of_tag: dict[str, list[object]] = {}
    for child in children:
        of_tag.setdefault(child.tag, []).append(_plain(child))
    values = {tag: found if len(found) > 1 else found[0] for tag, found in of_tag.items()}
    if not (values or element.attrib):
        return text
    return {**element.attrib, **values, **({} if children or not text else {"value": text})}


def _profile(profile: Mapping[str, Any]) -> list[Row]:
    """Return the rows of an Artisan roast profile: beans, environment, and what was set by hand."""
    if not all(isinstance(profile.get(name), list) for name in ("timex", "temp1", "temp2")):
        return _rows_of(profile)
    unit = f"°{profile.get('mode', 'C')}"
    time = profile["timex"]
    columns: dict[str, Sequence[object]] = {
        "Time (s)": time,
        f"BT ({unit})": profile["temp2"],
        f"ET ({unit})": profile["temp1"],
    }
    names, kinds = profile.get("etypes", []), profile.get("specialeventstype", [])
    for number, name in enumerate(names):
        events = zip(
            profile.get("specialevents", []), kinds, profile.get("specialeventsvalue", []), strict=False
        )
        levels = {
            at: max(round((value - 1) * 10), 0) for at, kind, value in events if kind == number
        }  # 11 is 100
        if levels:
            last: object = None
            columns[f"{name} (%)"] = [last := levels.get(at, last) for at in range(len(time))]
    return [list(columns), *zip(*columns.values(), strict=False)]


def _rows_of(document: object) -> list[Row]:
    """Return the largest table in `document`, its first row the names of its columns; [] without one."""
    return max(_tables(document, 0), key=lambda rows: sum(map(len, rows)), default=[])


def _tables(node: object, depth: int) -> Iterator[list[Row]]:
    """Yield what can be a table: a list of objects or of rows, lists of equal length, series of points."""
    if depth > DEEPEST or not isinstance(node, dict | list) or not node:
        return
    inner = list(node.values()) if isinstance(node, dict) else node
    if isinstance(node, dict):
        columns = {name: column for name, column in node.items() if _is_column(column)}
        longest = max(map(len, columns.values()), default=0)
        same = {name: column for name, column in columns.items() if len(column) == longest}
        yield [list(same), *zip(*same.values(), strict=True)]
        fields, values = node.get("schema"), node.get("data")  # Grafana's data frames
        if isinstance(fields, dict) and isinstance(values, dict) and isinstance(values.get("values"), list):
            names = [field.get("name") for field in fields.get("fields", [])]
            yield [names, *zip(*values["values"], strict=False)]
    elif all(isinstance(item, dict) for item in inner):
        if series := [row for item in inner for row in _points(item)]:
            yield [("time", "name", "value"), *series]
        objects = [flat(item) for item in inner]
        names = list(dict.fromkeys(name for item in objects for name in item))
        yield [names, *([item.get(name) for name in names] for item in objects)]
    elif all(_is_column(item) for item in inner):
        yield list(inner)
    for item in inner[:1000]:
        yield from _tables(item, depth + 1)


def _is_column(node: object) -> bool:
    return isinstance(node, list) and not any(isinstance(item, dict | list) for item in node)


def _points(node: Mapping[str, Any]) -> Iterator[Row]:
    """Yield (time, name, value) of a series: pairs of time and value, the larger number being the time."""
    points: list[object] = next((node[name] for name in SERIES if isinstance(node.get(name), list)), [])
    label = " ".join(str(value) for value in flat(node).values() if isinstance(value, str))
    for point in points:
        if isinstance(point, list) and len(point) == 2 and all(map(_is_number, point)):
            time, value = sorted(map(float, point), key=abs, reverse=True)
            yield time, label, value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or (
        isinstance(value, str) and bool(re.fullmatch(r"[-+.\deE]+", value))
    )
