from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.types import DateType, LogicalType, TimestampType
from table_runtime.export.cells import column_texts, joined_rows, small_batches


def _render(value: object, data_type: LogicalType) -> str | None:
    return None if value is None else f"<{value}>"


def test_dates_are_written_by_kernels() -> None:
    assert column_texts(pa.array([0, None], pa.date32()), DateType(), _render, None).to_pylist() == ["1970-01-01", None]


@pytest.mark.parametrize(("precision", "text"), [(0, "1970-01-01 00:00:01"), (3, "1970-01-01 00:00:01.500")])
def test_timestamps_have_the_digits_of_their_type(precision: int, text: str) -> None:
    values = pa.array([1_500_000, None], pa.timestamp("us"))
    assert column_texts(values, TimestampType(precision), _render, None).to_pylist() == [text, None]


def test_rows_are_the_texts_side_by_side() -> None:
    columns = [pa.array(["a", "b", "c"])[1:], pa.scalar(","), pa.array(["1", "2"]), pa.scalar("\n")]
    assert joined_rows(columns) == "b,1\nc,2\n"


def test_large_batches_are_divided() -> None:
    batch = pa.record_batch({"a": pa.array(range(200_000))})
    parts = list(small_batches([batch]))
    assert sum(part.num_rows for part in parts) == 200_000
    assert max(part.num_rows for part in parts) <= 65_536
