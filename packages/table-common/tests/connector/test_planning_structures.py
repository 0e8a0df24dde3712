"""What planners give to sources and sinks, and take from them."""

from __future__ import annotations

import pickle
from datetime import timedelta

import pytest

from table_common.connector import DynamicTableSink, ScanTableSource, SupportsArrowArray
from table_common.connector.sink.abilities import RowLevelDeleteMode, RowLevelUpdateMode, SupportsRowLevelDelete, SupportsRowLevelUpdate
from table_common.connector.source import (
    ColumnStats,
    PeriodicAssignerProvider,
    PunctuatedAssignerProvider,
    TableStats,
    WatermarkAssigner,
)
from table_common.data import GenericRowData, RowData, RuntimeConverter, TimestampData
from table_common.expressions import AggregateExpression, FieldReferenceExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, DataTypes, IntType


class Latest(WatermarkAssigner):
    """The greatest number seen."""

    def __init__(self) -> None:
        self.latest: int | None = None

    def open(self, context: RuntimeConverter.Context) -> None:
        self.latest = None

    def on_batch(self, batch: SupportsArrowArray) -> int | None:
        return self.latest

    def on_row(self, row: RowData) -> int | None:
        self.latest = max(self.latest or 0, row.get_int(0))
        return self.latest

    def current_watermark(self) -> int | None:
        return self.latest


@pytest.mark.parametrize("provider", [PeriodicAssignerProvider(Latest(), timedelta(seconds=1)), PunctuatedAssignerProvider(Latest())])
def test_each_split_gets_an_assigner_of_its_own(provider: PeriodicAssignerProvider | PunctuatedAssignerProvider) -> None:
    one, other = provider.create_assigner(), pickle.loads(pickle.dumps(provider)).create_assigner()
    one.open(RuntimeConverter.Context.empty())
    assert one.on_row(GenericRowData.of(7)) == 7
    assert other.current_watermark() is None


def test_nothing_is_known_of_a_table_that_says_nothing() -> None:
    assert TableStats() == TableStats.UNKNOWN
    assert TableStats(3, {"a": ColumnStats(ndv=2)}).column_stats["a"].null_count is None


def test_statistics_travel() -> None:
    stats = TableStats(3, {"a": ColumnStats(min=1, max=2)})
    assert pickle.loads(pickle.dumps(stats)) == stats


@pytest.mark.parametrize(("zone", "hour"), [("UTC", 12), ("+02:00", 10), ("Asia/Tokyo", 3)])
def test_converters_read_times_in_the_sessions_zone(zone: str, hour: int) -> None:
    from datetime import datetime

    converter = ScanTableSource.ScanContext(local_time_zone=zone).create_data_structure_converter(DataTypes.TIMESTAMP_LTZ(3))
    converter.open(RuntimeConverter.Context.empty())
    instant = converter.to_internal(datetime(2020, 1, 1, 12))
    assert isinstance(instant, TimestampData)
    assert instant.get_millisecond() // 3_600_000 % 24 == hour


def test_a_sink_is_told_of_target_columns_and_row_kinds() -> None:
    context = DynamicTableSink.SinkContext(target_columns=((0,),), has_row_kinds=True)
    assert (context.is_bounded, context.target_columns, context.has_row_kinds) == (True, ((0,),), True)


def test_changes_of_rows_are_asked_for_by_default() -> None:
    assert SupportsRowLevelDelete.RowLevelDeleteInfo().row_level_delete_mode is RowLevelDeleteMode.DELETED_ROWS
    assert SupportsRowLevelUpdate.RowLevelUpdateInfo().row_level_update_mode is RowLevelUpdateMode.UPDATED_ROWS


def test_an_aggregate_prints_as_sql() -> None:
    column = FieldReferenceExpression("a b", IntType(), 0, 0)
    count = AggregateExpression(BUILT_INS_BY_NAME["COUNT"], (), BigIntType(nullable=False))
    total = AggregateExpression(BUILT_INS_BY_NAME["SUM"], (column,), IntType(), distinct=True)
    assert (count.as_serializable_string(), total.as_serializable_string()) == ("COUNT(*)", "SUM(DISTINCT `a b`)")
