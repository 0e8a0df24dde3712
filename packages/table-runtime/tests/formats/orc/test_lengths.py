"""Streams of lengths in ORC files: how many there are, and how large they are at most."""

from __future__ import annotations

import random
from collections.abc import Callable
from io import BytesIO

import pyarrow as pa
import pytest
from pyarrow import orc

from table_runtime.formats.orc import layout as orc_layout
from table_runtime.formats.orc.layout import DamagedOrcError, check_layout
from table_runtime.formats.orc.lengths import LengthsEndError, bound_of_lengths

SHAPES: dict[str, Callable[[random.Random, int], int]] = {
    "the same": lambda random_, row: 7,
    "zero": lambda random_, row: 0,
    "increasing": lambda random_, row: row % 300,
    "decreasing": lambda random_, row: 300 - row % 300,
    "random": lambda random_, row: random_.randrange(300),
    "with outliers": lambda random_, row: 100_000 if row % 400 == 17 else random_.randrange(20),
    "in short runs": lambda random_, row: row // 5 % 50,
}


def _written(table: pa.Table, compression: str = "uncompressed") -> bytes:
    file = BytesIO()
    orc.write_table(table, file, compression=compression)
    return file.getvalue()


@pytest.mark.parametrize("shape", SHAPES)
def test_each_length_of_a_file_is_counted_and_the_bound_is_close(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    lengths = [SHAPES[shape](random_, row) for row in range(2000)]
    found = []
    monkeypatch.setattr(
        orc_layout, "bound_of_lengths", lambda data, **options: found.append(bound_of_lengths(data, **options)) or found[-1]
    )
    assert check_layout(BytesIO(_written(pa.table({"s": ["x" * length for length in lengths]}))))
    ((count, bound),) = found
    assert count == len(lengths)
    assert sum(lengths) <= bound <= 600 * sum(lengths)


def test_runs_of_the_first_version_are_read() -> None:
    run = bytes([2, 1, 10])  # 5 values from 10 on: 10, 11, …
    literals = bytes([256 - 3, 1, 2, 0x80, 1])
    assert bound_of_lengths(run + literals, is_version_2=False) == (8, 5 * (10 + 5) + 131)


@pytest.mark.parametrize("data", [b"\x5e", b"\x5e\x00\x01", b"\x0a", b"\x9e\x00", b"\xc0\x05\x80"])
def test_a_run_that_is_cut_is_an_error(data: bytes) -> None:
    with pytest.raises(LengthsEndError):
        bound_of_lengths(data, is_version_2=True)


@pytest.mark.parametrize("compression", ["uncompressed", "zlib"])
@pytest.mark.parametrize(
    "column",
    [pa.array([f"text {row}" for row in range(3000)]), pa.array([[row] * (row % 4) for row in range(3000)]), pa.nulls(3000, pa.string())],
    ids=["texts", "lists", "nulls"],
)
def test_a_whole_file_is_plausible(column: pa.Array, compression: str) -> None:
    assert check_layout(BytesIO(_written(pa.table({"c": column}), compression)))


def test_a_length_of_gigabytes_is_seen() -> None:
    three_values = b"\x38" + (1 << 32).to_bytes(8, "big")
    assert bound_of_lengths(three_values, is_version_2=True) == (3, 3 << 32)


def test_lengths_of_gigabytes_in_a_small_file_are_not_plausible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orc_layout, "bound_of_lengths", lambda data, *, is_version_2: (3, 3 << 32))
    assert not check_layout(BytesIO(_written(pa.table({"s": ["a", "b", "c"]}))))


def test_lengths_that_end_within_a_run_are_damage() -> None:
    content = bytearray(_written(pa.table({"s": ["x" * (row % 3) for row in range(1000)]})))
    content[content.index(b"\x43\xff")] |= 0x3E  # 512 values of two bits become values of 64 bits
    with pytest.raises(DamagedOrcError, match="ends within a run"):
        check_layout(BytesIO(bytes(content)))


def test_a_dictionary_of_more_entries_than_lengths_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    file = BytesIO()
    orc.write_table(pa.table({"s": ["a", "b"] * 500}), file, compression="uncompressed", dictionary_key_size_threshold=1.0)
    content = file.getvalue()
    encoding = b"\x12\x04\x08\x03\x10\x02"  # DICTIONARY_V2 with two entries
    assert encoding in content
    changed = content.replace(encoding, encoding[:-1] + b"\x7f")
    with pytest.raises(DamagedOrcError, match="a dictionary has 127 entries, but lengths of 2"):
        check_layout(BytesIO(changed))


def test_a_stream_outside_of_its_stripe_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orc_layout, "_LENGTH_STREAM", 1 << 20)
    content = _written(pa.table({"s": ["a"]}))
    monkeypatch.setattr(orc_layout, "_fields", _with_long_streams(orc_layout._fields))
    with pytest.raises(DamagedOrcError, match="a stream is outside of its stripe"):
        check_layout(BytesIO(content))


def _with_long_streams(
    fields: Callable[[bytes, str], list[tuple[int, int | bytes]]],
) -> Callable[[bytes, str], list[tuple[int, int | bytes]]]:
    return lambda data, part: [(number, 1 << 40 if part == "stream" and number == 3 else value) for number, value in fields(data, part)]
