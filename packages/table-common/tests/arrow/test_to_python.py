from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from table_common.arrow.to_python import column_values
from table_common.data import NanosecondDatetime, Row
from table_common.exceptions import TableRuntimeException
from table_common.types import parse_logical_type


@pytest.mark.parametrize(
    ("array", "sql", "expected"),
    [
        (pa.array([True, None]), "BOOLEAN", [True, None]),
        (pa.array(["1.50"]).cast(pa.decimal128(5, 2)), "DECIMAL(5, 2)", [Decimal("1.50")]),
        (pa.array([-1], pa.date32()), "DATE", [date(1969, 12, 31)]),
        (pa.array([1], pa.timestamp("us")), "TIMESTAMP(6)", [datetime(1970, 1, 1, 0, 0, 0, 1)]),
        (pa.array([1], pa.timestamp("ns")), "TIMESTAMP(9)", [NanosecondDatetime(1970, 1, 1, nanosecond=1)]),
        (pa.array([{"a": 1}, None], pa.struct([("a", pa.int32())])), "ROW<a INT>", [Row(a=1), None]),
        (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())), "MAP<STRING, INT>", [{"k": 1}]),
    ],
)
def test_an_array_becomes_python_values(array: pa.Array, sql: str, expected: list[object]) -> None:
    assert column_values(array, parse_logical_type(sql), "column 'c'") == expected


def test_an_instant_is_shown_in_the_time_zone_and_in_utc_without_one() -> None:
    array, type_ = pa.array([0], pa.timestamp("us", "UTC")), parse_logical_type("TIMESTAMP_LTZ(6)")
    assert column_values(array, type_, "c")[0].isoformat() == "1970-01-01T00:00:00+00:00"
    assert column_values(array, type_, "c", ZoneInfo("Asia/Tokyo"))[0].isoformat() == "1970-01-01T09:00:00+09:00"
    assert column_values(array, type_, "c") == [datetime(1970, 1, 1, tzinfo=UTC)]


def test_a_date_beyond_python_names_its_column() -> None:
    with pytest.raises(TableRuntimeException, match="column 'c': a value of DATE is outside the range of Python's date"):
        column_values(pa.array([10_000_000], pa.date32()), parse_logical_type("DATE"), "column 'c'")
