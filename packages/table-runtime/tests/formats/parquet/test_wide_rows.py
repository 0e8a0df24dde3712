"""Files whose values are large: batches have few rows, with and without dictionaries and conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin.strings import LIKE
from table_common.types import BigIntType, BooleanType, RowType, VarCharType
from table_runtime.columns.batches import BATCH_BYTES, BATCH_ROWS
from table_runtime.formats import file_format
from table_runtime.formats.file_format import ReadTask
from table_runtime.formats.parquet.wide_rows import FEW_ROWS, decoded_slices, rows_per_batch, wide_batches

ROWS = FEW_ROWS + 1000


@pytest.fixture(params=["plain", "dictionaries", "dictionary arrays"])
def fragment(request: Any, tmp_path: Path) -> tuple[Path, Any]:
    from pyarrow.dataset import ParquetFileFormat
    from pyarrow.fs import LocalFileSystem

    values = pa.array([f"{number} " * 3000 for number in range(20)])
    texts = pa.DictionaryArray.from_arrays(pa.array([number % 20 for number in range(ROWS)], pa.int32()), values)
    table = pa.table({"n": range(ROWS), "s": texts, "f": [1.5] * ROWS})
    kept = {"store_schema": request.param == "dictionary arrays", "use_dictionary": request.param != "plain", "row_group_size": 2000}
    pq.write_table(table, tmp_path / "f", **kept)
    return tmp_path / "f", ParquetFileFormat().make_fragment(str(tmp_path / "f"), LocalFileSystem())


def test_rows_per_batch_follow_the_decoded_values(fragment: tuple[Path, Any]) -> None:
    assert rows_per_batch(*fragment, ["n", "f"]) == BATCH_ROWS
    assert 100 < rows_per_batch(*fragment, ["n", "s"]) < 4000


@pytest.mark.parametrize("columns", [["s", "n"], ["n"], ["f", "s"]])
def test_batches_have_the_rows_of_the_file_that_fulfill_the_condition(fragment: tuple[Path, Any], columns: list[str]) -> None:
    from pyarrow.dataset import field

    path, whole = fragment
    expected = pq.read_table(path).select(columns)
    text = [name for name in columns if name == "s"]
    for encoded, condition, kept in (((), None, None), (text, None, None), ((), field("n") > 3990, range(3991, ROWS))):
        batches = list(wide_batches(path, whole, columns, 300, encoded, condition, ["n"] if kept else []))
        assert max(batch.num_rows for batch in batches) <= 300
        found = pa.Table.from_batches(batches)
        wanted = expected if kept is None else expected.take(pa.array(kept))
        assert found.to_pylist() == wanted.to_pylist()
        assert pa.types.is_dictionary(found.schema.field("s").type) == ("s" in encoded) if text else True


def test_slices_of_dictionary_arrays_are_not_too_large_when_they_are_decoded() -> None:
    values = pa.array(["00" * 15_000, "01" * 15_000])
    texts = pa.DictionaryArray.from_arrays(pa.array([number % 2 for number in range(90_000)], pa.int32()), values)
    batch = pa.RecordBatch.from_arrays([pa.array(range(90_000)), texts], names=["n", "s"])
    assert list(decoded_slices(batch, {"s"})) == [batch]
    slices = list(decoded_slices(batch, ()))
    assert pa.Table.from_batches(slices).equals(pa.Table.from_batches([batch]))
    assert max(piece.num_rows for piece in slices) * 30_000 <= BATCH_BYTES


def test_rows_that_a_condition_on_a_small_dictionary_leaves_are_decoded_in_parts(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([number % 2 for number in range(30_000)], pa.int32()), ["00" * 15_000, "01" * 15_000])
    pq.write_table(pa.table({"n": range(30_000), "s": texts}), tmp_path / "f", store_schema=False)
    row_type = RowType.of([("n", BigIntType()), ("s", VarCharType())], nullable=False)
    column = FieldReferenceExpression("s", VarCharType(), 0, 1)
    condition = CallExpression(LIKE, (column, ValueLiteralExpression("%0", VarCharType())), BooleanType())
    task = ReadTask(tmp_path / "f", row_type, ("n", "s"), filters=(condition,))
    batches = [piece() for piece in file_format("parquet").read(task)]
    assert max(batch.nbytes for batch in batches) <= BATCH_BYTES
    assert [number for batch in batches for number in batch.column("n").to_pylist()] == list(range(0, 30_000, 2))
