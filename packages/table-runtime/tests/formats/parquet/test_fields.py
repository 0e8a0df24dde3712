"""Tests for table_runtime.formats.parquet.fields."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats import file_format
from table_runtime.formats.file_format import ReadTask
from table_runtime.formats.parquet.fields import _repeated_texts, filtered_batch

ROW = RowType.of([("n", parse_logical_type("INT")), ("r", parse_logical_type("ROW<few STRING, many STRING>"))], nullable=False)
FIELDS = (("r", "few"), ("r", "many"))


def rows_of(count: int, few: list[str | None], seed: int = 1) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [
        {"n": number, "r": None if chance.random() < 0.2 else {"few": chance.choice(few), "many": f"text {number}"}}
        for number in range(count)
    ]


def written(path: Path, *groups: list[dict[str, Any]], **options: Any) -> Path:
    schema = pa.schema([("n", pa.int32()), ("r", pa.struct([("few", pa.string()), ("many", pa.string())]))])
    with parquet.ParquetWriter(path, schema, **options) as writer:
        for rows in groups:
            writer.write_table(pa.Table.from_pylist(rows, schema), row_group_size=len(rows))
    return path


def read(path: Path) -> list[tuple[Any, ...]]:
    task = ReadTask(path, ROW, ("n",), nested=FIELDS)
    return [row for piece in file_format("parquet").read(task) for row in zip(*(c.to_pylist() for c in piece().columns), strict=True)]


def repeated(path: Path, groups: list[int] | None = None) -> list[str]:
    return _repeated_texts(next(dataset.dataset(path, format="parquet").get_fragments()), groups, FIELDS)


def test_texts_that_repeat_are_read_as_dictionaries(tmp_path: Path) -> None:
    first, second = rows_of(40_000, ["aé", "b" * 40, "", None]), rows_of(40_000, [None, "c" * 40, "aé"], seed=2)
    path = written(tmp_path / "a.parquet", first, second)
    assert repeated(path) == ["r.few"]
    assert read(path) == [(row["n"], *(row["r"].values() if row["r"] else (None, None))) for row in first + second]


def test_texts_that_repeat_in_some_row_groups_alone_are_read_one_by_one(tmp_path: Path) -> None:
    first, second = rows_of(40_000, ["a" * 9]), rows_of(40_000, [f"long text {number}" for number in range(80_000)])
    path = written(tmp_path / "a.parquet", first, second)
    assert (repeated(path), repeated(path, [0]), repeated(path, [])) == ([], ["r.few"], [])
    assert read(path) == [(row["n"], *(row["r"].values() if row["r"] else (None, None))) for row in first + second]
    assert not repeated(written(tmp_path / "b.parquet", first, use_dictionary=False))


def test_small_row_groups_are_read_together(tmp_path: Path) -> None:
    groups = [rows_of(100, ["a" * 9, str(number)]) for number in range(50)]
    path = written(tmp_path / "a.parquet", *groups)
    assert not repeated(path)
    task = ReadTask(path, ROW, ("n",), nested=FIELDS)
    assert [piece().num_rows for piece in file_format("parquet").read(task)] == [5000]


def test_damaged_texts_that_repeat_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", rows_of(40_000, ["damaged?", "whole"]), compression="none")
    path.write_bytes(path.read_bytes().replace(b"damaged?", b"damaged\xff"))
    assert repeated(path) == ["r.few"]
    with pytest.raises(TableRuntimeException, match=r"Column 'r.few' of the Parquet file .* is damaged"):
        read(path)


@pytest.mark.parametrize("rows", [0, 7, 100_000])
def test_rows_for_which_a_filter_is_true_are_left(rows: int) -> None:
    kinds = [None if row % 3 == 0 else row % 2 for row in range(rows)]
    texts = [f"é{row}" for row in range(rows)]
    batch = pa.record_batch({"text": pa.array(["", *texts]).slice(1), "kind": pa.array(kinds, pa.int32())})
    left = filtered_batch(batch, dataset.field("kind") == 1, ["kind"])
    assert left.schema == batch.schema
    assert left.column("text").to_pylist() == [text for text, kind in zip(texts, kinds, strict=True) if kind == 1]
    assert filtered_batch(batch, dataset.field("text") != "none", ["text", "kind"]).equals(batch)
    assert filtered_batch(batch, dataset.scalar(True), []).equals(batch)
