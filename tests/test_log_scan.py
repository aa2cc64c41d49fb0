"""The scan by learned line shapes gives, bit for bit, what the plain reader gives."""

import random
import re
import tomllib
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from cases import each
from hypothesis import example, given, settings
from hypothesis import strategies as st
from instrument_lines import SHAPES, event, sample

from bench.made_up_lines import make_up
from instrumentgpt.instruments.logs import read_log
from instrumentgpt.instruments.reading.layouts import Format, formats
from instrumentgpt.instruments.reading.lines import VALUES, Rows, read_into
from instrumentgpt.instruments.reading.scan import Samples, scan
from instrumentgpt.instruments.reading.sources import chunks, open_source
from instrumentgpt.instruments.reading.templates import templates_of
from instrumentgpt.instruments.reading.words import Text, numbers_at

OWN = formats()["instrument-debug"]
REAL_SHAPES = tomllib.loads(Path(__file__).with_name("line_shapes.toml").read_text(encoding="utf-8"))
ODD_NUMBERS = (
    "nan", "null", "--", "", "-0.00", "+5", "5.", ".5", "1e3", "-3.698e+01", "2.5E-02", "36,98", "7 ",
    "1.2.3", "0x1f",
    "0.30000000000000004", "0.00011309631547239973",
    "12345678901234567890", "1234567.1234567", "00012", "-", "- 5", "9007199254740993",
)  # fmt: skip


def real_lines(name: str, count: int, chance: random.Random) -> list[str]:
    """Return lines of a shape that a real program writes, with numbers that change their width."""
    moment = datetime(2026, 10, 8, 6, 48, 31)
    found = []
    for number in range(count):
        moment += timedelta(milliseconds=chance.randint(1, 9000))
        pv = chance.choice((37.0, 37.0, 5.0, 150.0, -4.0)) + chance.gauss(0, 5)
        found.append(
            REAL_SHAPES[name]["line"].format(
                date=moment.strftime("%Y-%m-%d"),
                slashed=moment.strftime("%Y/%m/%d"),
                time=moment.strftime("%H:%M:%S"),
                milli=moment.microsecond // 1000,
                micro=moment.microsecond,
                day=moment.day,
                channel=number % 4 + 1,
                clock=number * 0.7,
                epoch=moment.timestamp(),
                byte=chance.randint(0, 127),
                count=chance.randint(0, 99999),
                big=chance.randint(10**5, 10**9),
                freq=72_000_000 + chance.randint(-999, 999),
                kp=5.85,
                sp=37.0,
                pv=pv,
                error=37 - pv,
                room=22.5,
                out=chance.uniform(0, 100),
                duty=chance.random(),
            )
        )
    return found


def made_up_lines(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return list(islice(make_up(chance).lines(chance), count))


def damaged(lines: list[str], dirt: list[tuple[int, str, int]]) -> list[bytes]:
    """Return `lines` with each (place, kind, number) of `dirt` done to them."""
    found = [line.encode() for line in lines]
    for place, kind, number in dirt:
        at = place % len(found)
        line, other = found[at], found[number % len(found)]
        cut = number % (len(line) + 1)
        spots = [match.span() for match in re.finditer(rb"-?\d+(?:\.\d+)?", line)] or [(0, 0)]
        start, end = spots[number % len(spots)]
        odd = ODD_NUMBERS[number % len(ODD_NUMBERS)].encode()
        found[at] = {
            "cut": line[:cut],
            "tail": line[cut:],
            "mixed": line[:cut] + other,
            "twice": line + b" " + other,
            "number": line[:start] + odd + line[end:],
            "missing": line[:start].rstrip(b" =:") + line[end:],
            "extra": line[:cut] + b" extra=1.5 " + line[cut:],
            "byte": line[:cut] + bytes([number % 256]) + line[cut + 1 :],
            "inserted": line[:cut] + bytes([number % 256]) + line[cut:],
            "unicode": line[:cut] + "溫度°".encode() + line[cut:],
            "nul": b"\0" * (number % 9) + line + b"\0" * (number % 3),
            "bom": b"\xef\xbb\xbf" + line,
            "blanks": line.replace(b" ", b" " * (number % 4), 1 + number % 3),
            "case": line.swapcase(),
            "comma": line.replace(b".", b",", 1 + number % 3),
            "empty": b"",
        }[kind]
    return [line.replace(b"\n", b"") for line in found]


KINDS = [
    "cut", "tail", "mixed", "twice", "number", "missing", "extra", "byte", "inserted", "unicode",
    "nul", "bom", "blanks", "case", "comma", "empty",
]  # fmt: skip
DIRT = st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(KINDS), st.integers(0, 10**6)), max_size=60)


def everything(samples: Samples, rows: Rows) -> dict[str, object]:
    """Return what was read, with the names of channels for their numbers."""
    names = {number: name for name, number in rows.names.items()}
    nothing = np.full(len(samples.line), np.nan)
    return {
        "line": samples.line.tolist(),
        "raw": samples.raw.tolist(),
        "channel": [names.get(number, number) for number in samples.channel.tolist()],
        "values": [[value.hex() for value in samples.values.get(name, nothing).tolist()] for name in VALUES],
        "gains": repr([(line, names.get(channel, channel), own) for line, channel, own in rows.gains]),
        "broken": (rows.broken_count, rows.broken),
        "boots": rows.boots,
        "scales": rows.scales,
    }


def plainly(lines: list[bytes], layout: Format) -> dict[str, object]:
    rows = Rows()
    read_into(rows, enumerate(lines, 1), layout)
    values = np.array(rows.values, dtype=float).reshape(-1, len(VALUES))
    columns = dict(zip(VALUES, values.T, strict=True))
    samples = Samples(np.array(rows.line), np.array(rows.raw), np.array(rows.channel), columns)
    return everything(samples, rows)


def assert_both_readers_agree(
    lines: list[bytes], layout: Format, line_end: bytes = b"\n", closed: bool = True
) -> None:
    content = line_end.join(lines) + line_end * closed
    rows = Rows()
    found, count = scan(Text.of(content), 1, layout, rows)
    split = content.split(b"\n")
    split = split[:-1] if split[-1] == b"" else split
    assert count == len(split)
    expected = plainly(split, layout)
    for name, value in everything(found, rows).items():
        assert value == expected[name], name


def best_format(lines: list[str]) -> Format:
    def rows_read(layout: Format) -> tuple[bool, int]:
        rows = Rows()
        read_into(rows, enumerate(line.encode() for line in lines[:20]), layout)
        return bool(rows.line) and not layout.last_resort, len(rows.line)

    return max(formats().values(), key=rows_read)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), DIRT, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_a_made_up_shape_is_read_as_the_plain_reader_reads_it(seed, dirt, line_end, closed):
    lines = damaged(made_up_lines(seed, 160), dirt)
    assert_both_readers_agree(lines, formats()["key-value"], line_end, closed)


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(sorted(REAL_SHAPES)), st.integers(0, 99), DIRT, st.sampled_from([b"\n", b"\r\n"]))
@example("json_lines", 0, [(0, "number", 160)], b"\n")  # a time of more than 64 bits
def test_a_shape_of_a_real_program_is_read_as_the_plain_reader_reads_it(name, seed, dirt, line_end):
    lines = real_lines(name, 160, random.Random(seed))
    assert_both_readers_agree(damaged(lines, dirt), best_format(lines), line_end)


@settings(deadline=None, max_examples=25)
@given(st.sets(st.sampled_from(sorted(SHAPES)), min_size=1), st.integers(0, 99), DIRT)
def test_our_own_shapes_are_read_as_the_plain_reader_reads_them(shapes, seed, dirt):
    chance = random.Random(seed)
    other = (
        "[TempCtrl] params id=1 kp=2.5 ki=3 kd=0.000",
        "[Main] InstrumentDebug 4.1",
        "TC;id;sp;pv;out",
        "[Fan] rpm=3",
    )
    lines = [
        sample(
            second,
            chance.choice(sorted(shapes)),
            second % 4 + 1,
            pv=chance.gauss(55, 30),
            out=chance.gauss(0, 50),
        )
        if chance.random() < 0.7
        else event(second, chance.choice(other))
        for second in range(160)
    ]
    assert_both_readers_agree(damaged(lines, dirt), OWN)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(OWN.beginnings), st.integers(0, 12)), min_size=1), DIRT)
def test_lines_that_start_nearly_like_samples_hide_none(starts, dirt):
    likes = [f"{start[:length].decode()}x {length}.5" for start, length in starts]
    lines = [
        sample(second / 4, channel=second % 4 + 1)
        if second % 5 == 0
        else event(second / 4, likes[second % len(likes)], "debug")
        for second in range(300)
    ]
    assert_both_readers_agree(damaged(lines, dirt), OWN)


@pytest.mark.parametrize("layout", formats().values(), ids=formats())
def test_a_line_that_says_something_has_what_its_format_says_every_such_line_has(layout):
    chance = random.Random(1)
    lines = [example["line"].encode() for example in layout.examples] * 9
    lines += damaged([line for name in REAL_SHAPES for line in real_lines(name, 20, chance)], [])
    lines += damaged(
        [line.decode() for line in lines],
        [(place, KINDS[place % len(KINDS)], place * 7) for place in range(len(lines))],
    )
    assert_both_readers_agree(lines * (1 + 2500 // len(lines)), layout)


def left_to_the_plain_reader(lines: list[str], layout: Format) -> int:
    rows = Rows()
    found, _ = scan(Text.of("\n".join(lines).encode()), 1, layout, rows)
    assert len(found.line) > 0
    return len(rows.line)


@each("name", sorted(REAL_SHAPES))
def test_the_shapes_of_real_programs_are_learned(name):
    lines = real_lines(name, 1500, random.Random(2))
    assert left_to_the_plain_reader(lines, best_format(lines)) <= 100


@each("seed", range(20))
def test_made_up_shapes_are_learned(seed):
    assert left_to_the_plain_reader(made_up_lines(seed, 1500), formats()["key-value"]) <= 100


def test_samples_that_are_rare_among_other_lines_are_learned():
    lines = real_lines("spdlog", 6000, random.Random(5))
    mixed = [
        line if at % 12 == 0 else event(at, f"[Net] client {at} says {at:x}") for at, line in enumerate(lines)
    ]
    assert left_to_the_plain_reader(mixed, formats()["key-value"]) <= 100
    assert_both_readers_agree([line.encode() for line in mixed], formats()["key-value"])


def test_several_programs_in_one_log_are_learned():
    chance = random.Random(3)
    mixed = [
        line
        for name in ("spdlog", "log4j", "json_lines", "padded_columns")
        for line in real_lines(name, 500, chance)
    ]
    chance.shuffle(mixed)
    assert left_to_the_plain_reader(mixed, formats()["key-value"]) <= 100


def test_numbers_that_decide_what_a_line_means_are_no_moving_numbers():
    lines = [line.encode() for line in real_lines("marlin_two_extruders", 200, random.Random(4))]
    (shape,) = templates_of(lines, formats()["marlin"])[:1]
    constant = b"".join(piece.text for piece in shape.pieces if piece.kind == "text")
    assert b" T1:" in constant and b" @1:" in constant
    assert [own.name for own in shape.samples] == ["T0", "T1", "B"]


def test_a_line_that_could_mean_something_else_with_other_numbers_is_limited():
    line = "2026-03-04 17:50:13 id: 2 setpoint: 37.0 temp: 36.9"
    lines = [line.replace("2 set", f"{channel} set").encode() for channel in (1, 2, 12345, 1.5, -1)] * 60
    assert_both_readers_agree(lines, formats()["key-value"])


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.one_of(
            st.floats(-2000, 2000).map(lambda value: f"{value:.3f}"),
            st.floats(-1e9, 1e9).map(repr),
            st.integers(-(10**19), 10**19).map(str),
            st.sampled_from(ODD_NUMBERS),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_a_number_found_by_words_is_the_float_that_python_reads(numbers):
    content = " ".join(numbers).encode()
    starts = np.cumsum([0] + [len(number.encode()) + 1 for number in numbers[:-1]])
    found = numbers_at(Text.of(content), starts)
    ok = found.ok & found.exact()
    for number, value, good, end, start in zip(numbers, found.values(), ok, found.end, starts, strict=True):
        if good:
            spelled = content[start:end]
            assert number.encode().startswith(spelled)
            assert float(spelled).hex() == float(value).hex()


@each("number", ["36.98", "-0.02", "7", "1234567.123456", "-403.06", "0.29930", "12345678", "1772646613.512"])
def test_ordinary_numbers_need_no_plain_reader(number):
    found = numbers_at(Text.of(number.encode() + b" "), np.array([0]))
    assert found.ok.all() and found.end[0] == len(number)


@pytest.mark.parametrize("block", [200, 1000, 4096])
def test_where_blocks_are_cut_does_not_matter(block, tmp_path):
    lines = [
        sample(number / 4, channel=number % 4 + 1) if number % 3 else event(number / 4)
        for number in range(200)
    ]
    (tmp_path / "run.log").write_text("\n".join([*lines, "x" * 9000, sample(60)]), encoding="utf-8")
    parts = list(chunks(open_source(tmp_path / "run.log"), block))
    found = [scan(Text.of(part.content), part.first_line, OWN, Rows())[0].line for part in parts]
    assert len(parts) > 3
    assert np.concatenate(found).tolist() == read_log(tmp_path / "run.log").samples["line"].tolist()


def test_channels_with_names_are_numbered_as_they_are_met(tmp_path):
    bed, tool = "heater_bed: target=60 temp=59.9 pwm=0.215", "extruder: target=220 temp=150.7 pwm=1.000"
    lines = [f"Stats {second}.9: {tool if second == 3 else bed}" for second in range(300)]
    (tmp_path / "klippy.log").write_text("\n".join([f"Stats 0.1: {tool}", *lines]), encoding="utf-8")
    log = read_log(tmp_path / "klippy.log")
    assert log.channel_names == {1: "extruder", 2: "heater_bed"}
    assert log.samples["channel"].tolist() == [1, 2, 2, 2, 1] + [2] * 296
