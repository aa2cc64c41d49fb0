"""Parsed logs are kept by content: the same log again, at once; a changed one, anew."""

import dataclasses

import pandas as pd
import pytest
from instrument_lines import event, sample

from instrumentgpt.instruments.logs import read_log

LINES = [sample(number / 2) if number % 3 else event(number / 2) for number in range(60)]


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "frames"


@pytest.fixture
def path(tmp_path):
    broken, back = sample(20)[:60], sample(-3600)
    (tmp_path / "run.log").write_text("\n".join([*LINES, broken, back]), encoding="utf-8")
    return tmp_path / "run.log"


def assert_same(one, other) -> None:
    pd.testing.assert_frame_equal(one.samples, other.samples)
    pd.testing.assert_frame_equal(one.events, other.events)
    for field in dataclasses.fields(one):
        if field.name not in ("samples", "load_events", "kept"):
            assert getattr(one, field.name) == getattr(other, field.name), field.name


def test_the_kept_log_is_the_log(path, cache):
    first, second = read_log(path, cache=cache), read_log(path, cache=cache)
    assert_same(first, read_log(path))
    assert_same(second, read_log(path))
    assert len(list(cache.iterdir())) == 2  # samples and events


def test_a_table_keeps_its_columns_and_guesses(tmp_path, cache):
    (tmp_path / "run.csv").write_text(
        "".join(f"26.0,{25.9 + at % 9 / 50},{60 - 4 * (at % 9)}\n" for at in range(100)), encoding="utf-8"
    )
    assert_same(read_log(tmp_path / "run.csv", cache=cache), read_log(tmp_path / "run.csv", cache=cache))
    assert read_log(tmp_path / "run.csv", cache=cache, period=2.0).missing == ()


def test_progress_of_a_kept_log_is_not_asked_for(path, cache):
    shares = []
    read_log(path, cache=cache, progress=shares.append)
    assert shares and shares[-1] == 1.0
    read_log(path, cache=cache, progress=shares.append)
    assert shares.count(1.0) == 1


def test_a_changed_log_is_read_anew(path, cache):
    read_log(path, cache=cache)
    changed = path.read_text(encoding="utf-8").replace("pv=55.010", "pv=55.011")
    path.write_text(changed, encoding="utf-8")
    assert set(read_log(path, cache=cache).samples["pv"]) == {55.011}


@pytest.mark.parametrize("damage", [b"", b"no parquet", None])
def test_a_damaged_cache_costs_only_time(damage, path, cache):
    assert len(read_log(path, cache=cache).events) > 0  # kept once they are asked for
    whole = {kept: kept.read_bytes() for kept in cache.iterdir()}
    for kept, content in whole.items():
        kept.write_bytes(content[:-30] if damage is None else damage)
    assert_same(read_log(path, cache=cache), read_log(path))
    assert {kept: kept.read_bytes() for kept in cache.iterdir()} == whole, "what is damaged is written anew"


def test_a_folder_that_cannot_be_written_costs_only_the_cache(path, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert_same(read_log(path, cache=tmp_path / "file" / "frames"), read_log(path))
    assert (tmp_path / "file").read_bytes() == b""
