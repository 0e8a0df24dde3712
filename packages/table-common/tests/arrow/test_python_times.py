from __future__ import annotations

from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from table_common.arrow.python_times import array_of_nanos, have_nanoseconds
from table_common.data import NanosecondDatetime, NanosecondTimedelta
from table_common.types import parse_logical_type

MOMENT = NanosecondDatetime(1970, 1, 1, 0, 0, 0, 1, nanosecond=5)


def test_only_digits_below_microseconds_count() -> None:
    type_ = parse_logical_type("TIMESTAMP(9)")
    assert have_nanoseconds([None, MOMENT], type_)
    assert not have_nanoseconds([None, datetime(1970, 1, 1)], type_)


def test_nanoseconds_are_kept_where_the_unit_has_them_and_cut_elsewhere() -> None:
    type_ = parse_logical_type("TIMESTAMP(9)")
    assert array_of_nanos([MOMENT, None], type_, pa.timestamp("ns")).cast("int64").to_pylist() == [1005, None]
    assert array_of_nanos([MOMENT], type_, pa.timestamp("us")).cast("int64").to_pylist() == [1]


def test_a_negative_duration_is_cut_towards_zero() -> None:
    duration = NanosecondTimedelta(microseconds=-1, nanoseconds=-5)
    assert array_of_nanos([duration], parse_logical_type("INTERVAL SECOND(6)"), pa.duration("us")).to_pylist() == [
        timedelta(microseconds=-1)
    ]


def test_a_moment_beyond_64_bits_of_nanoseconds_is_an_overflow() -> None:
    with pytest.raises(OverflowError):
        array_of_nanos([NanosecondDatetime(9999, 1, 1, nanosecond=1)], parse_logical_type("TIMESTAMP(9)"), pa.timestamp("ns"))
