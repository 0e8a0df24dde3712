from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv import short_lines as module
from table_runtime.formats.csv.plain_lines import plain_lines
from table_runtime.formats.csv.records import CsvDialect
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.csv.short_lines import MendedLines
from table_runtime.formats.skipped_rows import Ignored
from table_testing.rounds import rounds

SEED = int(os.environ.get("CSV_SEED", "20"))
TYPES = {"a": "INT", "b": "STRING", "c": "ARRAY<STRING>", "d": "TIMESTAMP(3)"}


def row_type(names: list[str]) -> RowType:
    return RowType.of([(name, parse_logical_type(TYPES[name])) for name in names], nullable=False)


def mended(lines: list[bytes], width: int = 3) -> MendedLines | None:
    array = pa.array(lines, pa.binary())
    return MendedLines.of(array, plain_lines(array, CsvDialect()), CsvDialect(), width)


def test_lines_with_fewer_fields_get_the_delimiters_that_they_lack() -> None:
    found = mended([b"1,2,3"] * 200 + [b"1", b"4,5\r", b'6,"7"', b"8,9,10,11", b'"open', b"12,13,14"])
    assert found is not None
    assert found.block.split(b"\n")[200:] == [b"1,,", b"4,5,", b"12,13,14"]
    assert found.read.to_pylist() == [*range(202), 205]
    assert found.others.to_pylist() == [202, 203, 204]
    assert (found.short.tolist(), found.sizes.tolist()) == ([200, 201], [1, 2])


def test_many_lines_with_other_numbers_of_delimiters_are_left_alone() -> None:
    assert mended([b'1,"a,b",3', b"1,2,3"] * 50) is None
    assert mended([b"1,2,3,"] * 50) is None


def test_fields_that_a_line_had_not_are_null_and_empty_ones_are_not() -> None:
    found = mended([b"a,b,c"] * 100 + [b"d", b"e,"])
    assert found is not None
    texts = [pa.array(["x"] * 100 + ["d", "e"]), pa.array(["x"] * 100 + ["", ""]), pa.array(["x"] * 100 + ["", ""])]
    columns = found.with_nulls(texts, [0, 1, 2], [])
    assert [column.to_pylist()[99:] for column in columns] == [["x", "d", "e"], ["x", None, ""], ["x", None, None]]
    assert found.with_nulls([texts[1].slice(2)], [1], [0, 50])[0].to_pylist()[-3:] == ["x", None, ""]


def test_delimiters_are_counted_in_each_line() -> None:
    chosen = random.Random(SEED)
    for most in (3, 70, 2000):
        lines = ["".join(chosen.choices(",,a", k=chosen.randrange(most))).encode() for _ in range(200)]
        array = pa.array(lines, pa.binary())
        assert module._delimiters(array, ord(",")).tolist() == [line.count(b",") for line in lines]
        assert module._delimiters(array[7:90], ord(",")).tolist() == [line.count(b",") for line in lines[7:90]]
    assert module._delimiters(pa.array([b"", b""]), ord(",")).tolist() == [0, 0]
    assert module._delimiters(pa.array([], pa.binary()), ord(",")).tolist() == []
    large = np.frombuffer(b",ab," * module._PART, np.uint8).tobytes()
    assert module._delimiters(pa.array([large, b",", large]), ord(",")).tolist() == [2 * module._PART, 1, 2 * module._PART]


def random_line(chosen: random.Random) -> bytes:
    values = ["1", "x", "", "n", "a;b", "2023-01-02 03:04:05.6", '"q"', '"a,b"', '"2023-01-02 03:04:05"', 'm"n', '"open', '"a"b', "\udcff"]
    fields = chosen.choices(values, weights=[9, 3, 3, 3, 3, 3, 3, 1, 3, 1, 1, 1, 1], k=chosen.choice([1, 2, 3, 4, 4, 4, 4, 4, 5, 6]))
    return (",".join(fields) + chosen.choice(["", "", "", ",", "\r"])).encode(errors="surrogateescape")


def all_rows(columns: list[pa.Array], count: int) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in columns), strict=True)) if columns else [()] * count


def test_mended_lines_give_what_each_line_gives_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    print(f"CSV_SEED={SEED}")
    monkeypatch.setattr(module, "_MOST_WRONG", 1)
    chosen, were_mended = random.Random(SEED), 0
    for _ in rounds(300):
        options = {"ignore-parse-errors": "true"} | chosen.choice([{}, {"null-literal": "n"}, {"disable-quote-character": "true"}])
        wanted = chosen.sample(list(TYPES), chosen.randrange(1, 5))
        rows = CsvRows(row_type(list(TYPES)), row_type(wanted), ReadableConfig(options))
        lines = [line for line in (random_line(chosen) for _ in range(chosen.randrange(1, 30))) if line.strip(b"\r")]
        array, alone, numbers, expected = pa.array(lines, pa.binary()), Ignored(), [], []
        for number in range(len(lines)):
            columns, positions = rows.parse_messages(array.slice(number, 1), str, alone)
            count = 1 if positions is None else len(positions)
            numbers += [number] * count
            expected += all_rows(columns, count)
        for _ in range(2):
            rows._mends = True
            together = Ignored()
            columns, positions = rows.parse_messages(array, str, together)
            were_mended += rows._mends
            assert all_rows(columns, 0) == expected, (options, wanted, lines)
            assert (list(range(len(lines))) if positions is None else positions.to_pylist()) == numbers
            assert (together.rows, together.values) == (alone.rows, alone.values), (options, wanted, lines)
    assert were_mended > len(rounds(300)) / 3


@pytest.mark.parametrize("plain", [True, False])
def test_a_block_after_one_with_lines_that_lack_fields_gives_the_same(plain: bool) -> None:
    rows = CsvRows(row_type(["a", "b"]), row_type(["a", "b"]), ReadableConfig({"ignore-parse-errors": "true"}))
    data = b"".join([b'1,"x"\n'] * 100 + [b"2\n", b"\n", b"3,y,z\n", b'4,"\n', b"5,\r\n"])
    found = []
    for _ in range(3):
        ignored = Ignored()
        columns, count = rows.parse_block(data, plain=plain, where=str, ignored=ignored)
        found.append((all_rows(columns, count)[100:], count, ignored.rows))
    assert rows._mends
    assert found == [([(2, None), (5, "")], 102, 2)] * 3
