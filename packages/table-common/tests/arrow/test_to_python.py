from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal, localcontext
from random import Random
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.arrow.to_python import column_values
from table_common.data import NanosecondDatetime, Row
from table_common.exceptions import TableRuntimeException
from table_common.types import parse_logical_type


@pytest.mark.parametrize(
    ("array", "sql", "expected"),
    [
        (pa.array([True, None]), "BOOLEAN", [True, None]),
        (pa.array(["1.50"]).cast(pa.decimal128(5, 2)), "DECIMAL(5, 2)", [Decimal("1.50")]),
        (pa.array(["0.00000000", None, "-1.5"]).cast(pa.decimal128(38, 8)), "DECIMAL(38, 8)", [Decimal(0), None, Decimal("-1.5")]),
        (pa.array([-1], pa.date32()), "DATE", [date(1969, 12, 31)]),
        (pa.array([1], pa.timestamp("us")), "TIMESTAMP(6)", [datetime(1970, 1, 1, 0, 0, 0, 1)]),
        (
            pa.array([datetime.min, None, datetime.max], pa.timestamp("us")),
            "TIMESTAMP(6)",
            [datetime.min, None, datetime.max],
        ),
        (pa.array([None], pa.timestamp("us")), "TIMESTAMP(6)", [None]),
        (pa.array([], pa.timestamp("ms")), "TIMESTAMP(3)", []),
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


@pytest.mark.parametrize("beyond", [datetime.min, datetime.max])
def test_a_timestamp_beyond_python_names_its_column(beyond: datetime) -> None:
    micros = (beyond - datetime(1970, 1, 1)) // timedelta(microseconds=1) + (1 if beyond == datetime.max else -1)
    with pytest.raises(TableRuntimeException, match="column 'c': a value of TIMESTAMP\\(6\\) is outside the range of Python's datetime"):
        column_values(pa.array([micros, 0]).cast(pa.timestamp("us")), parse_logical_type("TIMESTAMP(6)"), "column 'c'")


@pytest.mark.parametrize("nulls", [0, 1])
def test_many_timestamps_are_those_of_single_rows(nulls: int) -> None:
    values = [datetime.min, datetime.max, datetime(1969, 12, 31, 23, 59, 59, 999_999), *([None] * nulls)] * 5_000
    assert column_values(pa.array(values, pa.timestamp("us")), parse_logical_type("TIMESTAMP(6)"), "c") == values
    too_large = pa.concat_arrays([pa.array([0] * 20_000, pa.int64()), pa.array([1 << 62])]).cast(pa.timestamp("us"))
    with pytest.raises(TableRuntimeException, match="outside the range of Python's datetime"):
        column_values(too_large, parse_logical_type("TIMESTAMP(6)"), "c")


def test_decimals_keep_the_digits_of_their_scale() -> None:
    array = pa.array(["0", "1.5"]).cast(pa.decimal128(20, 8))
    assert list(map(str, column_values(array, parse_logical_type("DECIMAL(20, 8)"), "c"))) == list(map(str, array.to_pylist()))


def test_a_date_beyond_python_names_its_column() -> None:
    with pytest.raises(TableRuntimeException, match="column 'c': a value of DATE is outside the range of Python's date"):
        column_values(pa.array([10_000_000], pa.date32()), parse_logical_type("DATE"), "column 'c'")


_MANY = 12_000  # enough for the conversion of whole columns
_DAY = 86_400_000_000


@pytest.mark.parametrize("nulls", [0, 1])
@pytest.mark.parametrize(
    ("sql", "storage", "least", "greatest"),
    [
        ("DATE", pa.int32(), -719_162, 2_932_896),
        ("TIME(6)", pa.int64(), 0, _DAY - 1),
        ("TIMESTAMP(6)", pa.int64(), -719_162 * _DAY, 2_932_897 * _DAY - 1),
        ("TIMESTAMP_LTZ(6)", pa.int64(), -719_162 * _DAY, 2_932_897 * _DAY - 1),
        ("INTERVAL DAY TO SECOND(6)", pa.int64(), -(1 << 63), (1 << 63) - 1),
    ],
)
def test_many_values_are_those_of_few_rows(sql: str, storage: pa.DataType, least: int, greatest: int, nulls: int) -> None:
    random = Random(7)
    numbers = [least, greatest, -1 if least < 0 else 0, *([None] * nulls), *(random.randint(least, greatest) for _ in range(_MANY))]
    type_ = parse_logical_type(sql)
    array = pa.array(numbers, storage).cast(to_arrow_type(type_))
    few = [value for start in range(0, len(array), 1_000) for value in column_values(array.slice(start, 1_000), type_, "c")]
    for offset in (0, 2):
        many = column_values(array.slice(offset), type_, "c")
        assert many == few[offset:]
        assert list(map(type, many)) == list(map(type, few[offset:]))


@pytest.mark.parametrize(("precision", "scale"), [(1, 0), (5, 5), (10, 2), (18, 0), (18, 18), (19, 18), (38, 38)])
def test_decimals_have_all_their_digits_in_any_context(precision: int, scale: int) -> None:
    random = Random(precision)
    digits = [0, 1, -1, 10**precision - 1, 1 - 10**precision, *(random.randrange(10**precision) for _ in range(100))]
    expected = [None if number is None else Decimal((number < 0, tuple(map(int, str(abs(number)))), -scale)) for number in [*digits, None]]
    type_ = parse_logical_type(f"DECIMAL({precision}, {scale})")
    array = pa.array(expected, pa.decimal128(precision, scale))
    with localcontext(Context(prec=1)):
        for part in (array, array.slice(3), array.slice(3, 0), array.slice(0, 4)):
            values = column_values(part, type_, "c")
            first = 0 if len(part) in (4, len(array)) else 3
            assert list(map(str, values)) == list(map(str, expected[first : first + len(part)]))
