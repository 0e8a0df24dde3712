"""Files whose values are large: batches have few rows, with and without dictionaries and conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.formats.parquet.wide_rows import FEW_ROWS, rows_per_batch, wide_batches

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
