"""Which types are time attributes."""

import pytest

from table_common.types import (
    ArrayType,
    DateType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    RowType,
    TimestampKind,
    TimestampType,
    is_proctime,
    is_rowtime,
    is_time_attribute,
    plain_timestamp,
    timestamp_kind,
)

ROWTIME = TimestampType(3, nullable=False, kind=TimestampKind.ROWTIME)
PROCTIME = LocalZonedTimestampType(3, kind=TimestampKind.PROCTIME)
PLAIN = LocalZonedTimestampType(6)


@pytest.mark.parametrize(
    ("type_", "kind"),
    [(ROWTIME, TimestampKind.ROWTIME), (PROCTIME, TimestampKind.PROCTIME), (PLAIN, TimestampKind.REGULAR), (DateType(), None)],
    ids=str,
)
def test_the_kind_of_a_timestamp(type_: LogicalType, kind: TimestampKind | None) -> None:
    assert timestamp_kind(type_) is kind
    assert is_rowtime(type_) is (kind is TimestampKind.ROWTIME)
    assert is_proctime(type_) is (kind is TimestampKind.PROCTIME)
    assert is_time_attribute(type_) is (is_rowtime(type_) or is_proctime(type_))


def test_a_plain_timestamp_keeps_precision_and_nullability() -> None:
    assert plain_timestamp(ROWTIME) == TimestampType(3, nullable=False)
    assert plain_timestamp(PROCTIME) == LocalZonedTimestampType(3)
    assert plain_timestamp(PLAIN) is PLAIN
    assert plain_timestamp(date := DateType()) is date


def test_nested_time_attributes_become_plain_timestamps() -> None:
    nested = RowType.of([("a", ArrayType(ROWTIME)), ("m", MapType(PROCTIME, DateType()))], nullable=False)
    plain = RowType.of(
        [("a", ArrayType(TimestampType(3, nullable=False))), ("m", MapType(LocalZonedTimestampType(3), DateType()))], nullable=False
    )
    assert plain_timestamp(nested) == plain
    assert plain_timestamp(plain) is plain
