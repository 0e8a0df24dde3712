"""Table sources: their context, their copies and their defaults."""

from __future__ import annotations

from datetime import datetime

import pytest

from table_common.connector import ChangelogMode, ScanTableSource
from table_common.data import RuntimeConverter, TimestampData
from table_common.types import DataTypes


class Pages(ScanTableSource):
    def __init__(self) -> None:
        self.limit: int | None = None

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 12), ("+02:00", 10), ("Asia/Tokyo", 3)])
def test_converters_read_times_in_the_sessions_zone(zone: str, hour: int) -> None:
    converter = ScanTableSource.ScanContext(local_time_zone=zone).create_data_structure_converter(DataTypes.TIMESTAMP_LTZ(3))
    converter.open(RuntimeConverter.Context.empty())
    instant = converter.to_internal(datetime(2020, 1, 1, 12))
    assert isinstance(instant, TimestampData)
    assert instant.get_millisecond() // 3_600_000 % 24 == hour


def test_a_copy_does_not_change_with_its_original() -> None:
    source = Pages()
    copied = source.copy()
    copied.limit = 3
    assert source.limit is None
    assert type(copied) is Pages


def test_a_source_inserts_and_is_named_after_its_class_by_default() -> None:
    assert Pages().get_changelog_mode() == ChangelogMode.insert_only()
    assert Pages().as_summary_string() == "Pages"
