"""Dates and times of texts by kernels: what must be parsed one by one is in the mask."""

from __future__ import annotations

import pyarrow as pa

from table_common.types import TimestampType
from table_runtime.formats.text.forms import JSON_SQL
from table_runtime.formats.text.moments import dates, times, timestamps

MICROS = pa.timestamp("us")


def test_texts_that_are_no_moments_are_in_the_mask_and_null() -> None:
    days, others = dates(pa.array(["1970-01-02", "0000-00-00", None, "1970-13-01"]), pa.date32())
    assert others is not None
    assert (days.cast(pa.int32()).to_pylist(), others.to_pylist()) == ([1, None, None, None], [False, True, False, True])
    texts = pa.array(["1970-01-01 00:00:01.5", "0000-00-00 00:00:00", None, "1970-01-01 24:00:00"])
    instants, others = timestamps(texts, TimestampType(3), MICROS, JSON_SQL)
    assert others is not None
    assert (instants.view(pa.int64()).to_pylist(), others.to_pylist()) == ([1_500_000, None, None, None], [False, True, False, True])


def test_without_other_texts_there_is_no_mask() -> None:
    assert dates(pa.array(["0001-01-01", None]), pa.date32())[1] is None
    assert timestamps(pa.array(["0001-01-01 00:00:00", None]), TimestampType(3), MICROS, JSON_SQL)[1] is None
    clocks, others = times(pa.array(["00:00:01", None, "00:00:00.25"]), 3, pa.time64("us"))
    assert (clocks.cast(pa.int64()).to_pylist(), others) == ([1_000_000, None, 250_000], None)


def test_a_time_without_seconds_is_parsed_separately() -> None:
    clocks, others = times(pa.array(["00:00:01", "00:01"]), 3, pa.time64("us"))
    assert others is not None
    assert (clocks.cast(pa.int64()).to_pylist(), others.to_pylist()) == ([1_000_000, None], [False, True])
