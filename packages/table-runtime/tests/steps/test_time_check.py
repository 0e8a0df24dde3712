from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.steps.time_check import TimeCheck, null_time

SCHEMA = pa.schema([("v", pa.int32()), ("ts", pa.timestamp("ms"))])


def test_rows_with_times_are_forwarded() -> None:
    batch = pa.record_batch([pa.array([None, 2], pa.int32()), pa.array([0, 1], pa.timestamp("ms"))], schema=SCHEMA)
    assert TimeCheck(SCHEMA, 1, "t").map(batch) is batch


def test_a_time_that_is_null_is_refused() -> None:
    batch = pa.record_batch([pa.array([1, 2], pa.int32()), pa.array([0, None], pa.timestamp("ms"))], schema=SCHEMA)
    with pytest.raises(TableRuntimeException, match="The time attribute 'ts' of table t is NULL in a row"):
        TimeCheck(SCHEMA, 1, "t").map(batch)


def test_the_error_names_the_row_if_it_is_known() -> None:
    assert "is NULL in row 3," in str(null_time("ts", "t", 3))
    assert "The time attribute 'ts' is NULL in a row," in str(null_time("ts", ""))
