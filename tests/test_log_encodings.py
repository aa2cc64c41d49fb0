"""Text in the encodings that instruments write: told once from the start of a file, and read as if UTF-8."""

import gzip

import numpy as np
import pytest
from cases import each

from instrumentgpt.instruments.logs import read_lines, read_log
from instrumentgpt.instruments.reading.encodings import decoded, encoding_of

CHINESE = "機台名稱,恆溫槽\n時間,溫度設定(℃),溫度實際(℃),加熱輸出(%)\n"
SIMPLIFIED = "时间,设定值(℃),测量值(℃),输出功率(%)\n"
JAPANESE = "時刻,設定温度,測定温度,出力\n"
GERMAN = "Gerät: Wärmeschrank\nZeit,Sollwert [°C],Istwert [°C],Stellgröße [%]\n"


def rows(stamp: str) -> str:
    return "".join(f"{stamp}:{at:02d},60.0,{20 + at / 2},{100 - at}\n" for at in range(40))


@each(
    "encoding, head, stamp, hour",
    [
        ("big5", CHINESE, "2026/11/16 下午 08:00", 20),
        ("gb18030", SIMPLIFIED, "2026/11/16 下午 08:00", 20),
        ("shift_jis", JAPANESE, "2026/11/16 20:00", 20),
        ("cp1252", GERMAN, "2026-11-16 20:00", 20),
        ("utf-16", CHINESE, "2026/11/16 上午 08:00", 8),
        ("utf-16-le", GERMAN, "2026-11-16 20:00", 20),
        ("utf-8", CHINESE, "2026/11/16 上午 08:00", 8),
        ("utf-8-sig", GERMAN, "2026-11-16 20:00", 20),
    ],
)
@each("packed", [False, True])
def test_a_table_is_read_alike_in_any_encoding(packed, encoding, head, stamp, hour, tmp_path):
    content = (head + rows(stamp)).encode(encoding)
    path = tmp_path / ("run.csv.gz" if packed else "run.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    log = read_log(path)
    assert log.start.hour == hour
    assert log.missing == ()
    assert log.samples["pv"].tolist() == (20 + np.arange(40) / 2).tolist()
    assert "\ufffd" not in log.layout
    number = head.count("\n")
    shown = read_lines(path, number, number, tmp_path / "kept")[0][1]
    assert shown == head.splitlines()[-1]


@each(
    "text, codec",
    [
        ("Teplota místnosti;Výstup topení;žádaná\n", "Windows-1250"),
        ("Temperatura wody;Grzałka;Chłodzenie\n", "Windows-1250"),
        ("Компрессор;Температура °C\n", "Windows-1251"),
        ("Sıcaklık;Isıtma çıkışı\n", "Windows-1254"),
        ("Kühlofen L2 - Trend\n", "Windows-1252"),  # one letter alone
        ("N° de série;R+1 à R+4\n", "Windows-1252"),
        ("Index,Reading (°C)\n", "Windows-1252"),
    ],
)
def test_the_code_page_is_told_by_the_letters_of_words(text, codec):
    assert encoding_of(text.encode(codec)) == codec


@each(
    "content",
    [
        "Zeit,Ist [°C]\n".encode() + b"12:00:01,25.3\xb0\xff\n",  # UTF-8 with a damaged line
        b"time,temp\n" + bytes(range(1, 9)) * 40,
        b"time,temp\n0,1\n\x93\xfe\xa1\x07\x81\xf0\n",
        "时间,温度\n".encode(),
        b"plain ASCII\n",
        b"12:00:01 cli\xb0nt connected\n12:00:02 O\xdf\n",
        b"\0" * 300 + b"pv 25.3\n",
    ],
)
def test_what_is_utf8_or_damaged_is_left_as_it_is(content):
    assert encoding_of(content) == ""


def test_a_letter_cut_by_a_block_is_whole(tmp_path):
    path = tmp_path / "run.csv"
    path.write_bytes(SIMPLIFIED.encode("gb18030"))
    assert b"".join(decoded(path, "gb18030", letters=7)).decode() == SIMPLIFIED


@pytest.mark.parametrize("encoding", ["big5", "gb18030"])
def test_events_are_in_the_log_s_own_words(encoding, tmp_path):
    words = {"big5": CHINESE, "gb18030": "设备名称:烘箱\n" + SIMPLIFIED}[encoding]
    (tmp_path / "run.csv").write_bytes((words + rows("2026-11-16 20:00")).encode(encoding))
    assert read_log(tmp_path / "run.csv").events["text"][0] == words.splitlines()[0]
