"""Functions of dates and times: the calls that they build."""

from __future__ import annotations

import pytest

from table_api.expressions import (
    Expression,
    TimePointUnit,
    col,
    convert_tz,
    current_date,
    current_watermark,
    date_format,
    from_unixtime,
    local_timestamp,
    source_watermark,
    temporal_overlaps,
    timestamp_diff,
    to_date,
    to_timestamp,
    to_timestamp_ltz,
    unix_timestamp,
)


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        (current_date(), "CURRENT_DATE()"),
        (local_timestamp(), "LOCALTIMESTAMP()"),
        (current_watermark(col("ts")), "CURRENT_WATERMARK(ts)"),
        (source_watermark(), "SOURCE_WATERMARK()"),
        (date_format(col("ts"), "yyyy"), "DATE_FORMAT(ts, 'yyyy')"),
        (timestamp_diff(TimePointUnit.DAY, col("a"), col("b")), "TIMESTAMPDIFF(DAY, a, b)"),
        (temporal_overlaps(col("a"), col("b"), col("c"), col("d")), "OVERLAPS(a, b, c, d)"),
        (convert_tz(col("t"), "UTC", "Asia/Tokyo"), "CONVERT_TZ(t, 'UTC', 'Asia/Tokyo')"),
        (to_timestamp_ltz(col("n"), 3), "TO_TIMESTAMP_LTZ(n, 3)"),
    ],
    ids=str,
)
def test_a_function_calls_the_built_in_function_with_its_arguments(expression: Expression, summary: str) -> None:
    assert str(expression) == summary


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        (to_date(col("t")), "TO_DATE(t)"),
        (to_timestamp(col("t")), "TO_TIMESTAMP(t)"),
        (from_unixtime(col("n")), "FROM_UNIXTIME(n)"),
        (unix_timestamp(), "UNIX_TIMESTAMP()"),
    ],
    ids=str,
)
def test_an_optional_argument_of_none_is_omitted(expression: Expression, summary: str) -> None:
    assert str(expression) == summary
