from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import (
    LocalZonedTimestampType,
    LogicalType,
    TimestampKind,
    TimestampType,
    TimeType,
    ZonedTimestampType,
)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (TimeType(), "TIME(0)"),
        (TimestampType(), "TIMESTAMP(6)"),
        (LocalZonedTimestampType(3), "TIMESTAMP_LTZ(3)"),
        (ZonedTimestampType(9, nullable=False), "TIMESTAMP(9) WITH TIME ZONE NOT NULL"),
    ],
)
def test_a_type_prints_its_precision(type_: LogicalType, text: str) -> None:
    assert str(type_) == text


@pytest.mark.parametrize("class_", [TimeType, TimestampType, LocalZonedTimestampType, ZonedTimestampType])
@pytest.mark.parametrize("precision", [-1, 10])
def test_a_precision_is_from_zero_to_nine(class_: type[TimeType], precision: int) -> None:
    with pytest.raises(ValidationException, match=f"{class_.ROOT} takes a precision from 0 to 9, but got {precision}"):
        class_(precision)


def test_a_time_attribute_shows_its_kind_and_differs_from_a_plain_timestamp() -> None:
    rowtime = TimestampType(3, kind=TimestampKind.ROWTIME)
    assert str(rowtime) == "TIMESTAMP(3) *ROWTIME*"
    assert rowtime != TimestampType(3)


def test_the_kind_of_a_time_attribute_is_not_in_the_serializable_text() -> None:
    assert TimestampType(3, kind=TimestampKind.PROCTIME).serializable() == "TIMESTAMP(3)"
