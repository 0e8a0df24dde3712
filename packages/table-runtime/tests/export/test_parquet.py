from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from table_common.types import BigIntType, RowType
from table_runtime.export import write_parquet


def test_a_result_without_rows_is_a_file_with_its_columns() -> None:
    output = io.BytesIO()
    assert write_parquet([], RowType.of([("a", BigIntType())]), output) == 0
    assert pq.read_table(io.BytesIO(output.getvalue())).schema.names == ["a"]


def test_a_column_of_row_kinds_is_left_out() -> None:
    output = io.BytesIO()
    batch = pa.record_batch({"a": pa.array([1, 2]), "$row_kind": pa.array([0, 0], pa.int8())})
    write_parquet([batch], RowType.of([("a", BigIntType())]), output)
    assert pq.read_table(io.BytesIO(output.getvalue())).to_pydict() == {"a": [1, 2]}
