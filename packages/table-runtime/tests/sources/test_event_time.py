"""Watermarks and computed columns that sources make of the batches they read."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.connector.source import PeriodicAssignerProvider, PunctuatedAssignerProvider, WatermarkAssigner
from table_common.data import GenericRowData, RowKind, RuntimeConverter, StringData, TimestampData
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME, temporal
from table_common.types import DataTypes, IntType, LocalZonedTimestampType, LogicalType, RowType, TimestampType, VarCharType
from table_runtime.expressions import EvaluationContext
from table_runtime.sources import computed_column_converter, watermark_assigner

CONTEXT = RuntimeConverter.Context.empty()
SECOND = 1_000


def row_type(type_: LogicalType) -> RowType:
    return RowType.of([("id", IntType()), ("ts", type_)], nullable=False)


def batch(type_: LogicalType, *times: datetime | None) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"id": list(range(len(times))), "ts": list(times)}, schema=to_arrow_schema(row_type(type_)))


def five_seconds_before(type_: LogicalType) -> ResolvedExpression:
    interval = ValueLiteralExpression(5_000_000_000, DataTypes.of("INTERVAL SECOND(3) NOT NULL").logical_type)
    return CallExpression(BUILT_INS_BY_NAME["MINUS"], (FieldReferenceExpression("ts", type_, 0, 1), interval), type_)


def assigner(type_: LogicalType, expression: ResolvedExpression | None = None) -> WatermarkAssigner:
    made = watermark_assigner(row_type(type_), expression or FieldReferenceExpression("ts", type_, 0, 1), EvaluationContext())
    assert made is not None
    opened: WatermarkAssigner = pickle.loads(pickle.dumps(PeriodicAssignerProvider(made))).create_assigner()
    opened.open(CONTEXT)
    return opened


def at(seconds: float) -> datetime:
    return datetime(1970, 1, 1) + timedelta(seconds=seconds)


@pytest.mark.parametrize("precision", [3, 6])
def test_rows_out_of_order_move_time_only_forward(precision: int) -> None:
    type_ = TimestampType(precision)
    made = assigner(type_)
    assert made.current_watermark() is None
    assert made.on_batch(batch(type_, at(7), at(9), at(8))) == 9 * SECOND
    assert made.on_batch(batch(type_, at(3), at(4))) == 9 * SECOND
    assert made.on_batch(batch(type_, at(10.5))) == made.current_watermark() == 10_500


def test_the_expression_of_the_table_says_how_late_rows_may_be() -> None:
    type_ = TimestampType(3)
    assert assigner(type_, five_seconds_before(type_)).on_batch(batch(type_, at(3), at(60), at(20))) == 55 * SECOND


def test_null_and_empty_batches_move_nothing() -> None:
    type_ = TimestampType(3)
    made = assigner(type_)
    assert made.on_batch(batch(type_, None, None)) is None
    assert made.on_batch(batch(type_)) is None
    assert made.on_batch(batch(type_, None, at(1), None)) == SECOND
    assert made.on_batch(batch(type_, None)) == SECOND


def test_what_is_finer_than_milliseconds_is_cut_towards_the_past() -> None:
    type_ = TimestampType(6)
    assert assigner(type_).on_batch(batch(type_, datetime(1970, 1, 1, 0, 0, 1, 1999))) == 1_001
    assert assigner(type_).on_batch(batch(type_, datetime(1969, 12, 31, 23, 59, 59, 999_999))) == -1


def test_times_of_nanoseconds_are_in_milliseconds_too() -> None:
    type_ = TimestampType(9)
    rows = pa.RecordBatch.from_arrays(
        [pa.array([1], pa.int32()), pa.array([2_000_000_999], pa.timestamp("ns"))], schema=None, names=["id", "ts"]
    )
    assert assigner(type_).on_batch(rows) == 2_000


@pytest.mark.parametrize("precision", [3, 6])
def test_times_with_zone_are_utc(precision: int) -> None:
    type_ = LocalZonedTimestampType(precision)
    made = assigner(type_, five_seconds_before(type_))
    assert made.on_batch(batch(type_, datetime(1970, 1, 1, 0, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC))) == 55 * SECOND


def test_rows_one_by_one_give_what_batches_give() -> None:
    type_ = TimestampType(3)
    made = assigner(type_, five_seconds_before(type_))
    times: list[Any] = [TimestampData.from_epoch_millis(millis) for millis in (20_000, 10_000)]
    deletion = GenericRowData.of(2, times[1])
    deletion.set_row_kind(RowKind.DELETE)
    assert [made.on_row(row) for row in (GenericRowData.of(1, None), GenericRowData.of(1, times[0]), deletion)] == [None, 15_000, 15_000]


def test_each_split_has_a_time_of_its_own() -> None:
    type_ = TimestampType(3)
    made = watermark_assigner(row_type(type_), FieldReferenceExpression("ts", type_, 0, 1), EvaluationContext())
    assert made is not None
    provider = PunctuatedAssignerProvider(made)
    one, other = provider.create_assigner(), provider.create_assigner()
    assert one.on_batch(batch(type_, at(1))) == SECOND
    assert other.current_watermark() is None


def test_an_expression_without_a_kernel_is_not_given_to_sources() -> None:
    call = CallExpression(temporal.SOURCE_WATERMARK, (), LocalZonedTimestampType(3))
    assert watermark_assigner(row_type(LocalZonedTimestampType(3)), call, EvaluationContext()) is None
    assert computed_column_converter(row_type(LocalZonedTimestampType(3)), (call,), row_type(IntType()), EvaluationContext()) is None


@pytest.fixture
def converter() -> Any:
    input_type = RowType.of([("s", VarCharType()), ("i", IntType())], nullable=False)
    upper = CallExpression(BUILT_INS_BY_NAME["UPPER"], (FieldReferenceExpression("s", VarCharType(), 0, 0),), VarCharType())
    produced = RowType((*input_type.fields, *RowType.of([("u", VarCharType())]).fields), nullable=False)
    made = pickle.loads(pickle.dumps(computed_column_converter(input_type, (upper,), produced, EvaluationContext())))
    made.open(CONTEXT)
    return made


def test_batches_get_computed_columns_behind(converter: Any) -> None:
    given = pa.RecordBatch.from_pydict({"s": ["a", None], "i": pa.array([1, 2], pa.int32())})
    assert pa.record_batch(converter.convert_batch(given)).to_pylist() == [{"s": "a", "i": 1, "u": "A"}, {"s": None, "i": 2, "u": None}]
    assert converter.produced_type.field_names == ("s", "i", "u")


def test_rows_get_computed_columns_and_keep_their_kind(converter: Any) -> None:
    row = GenericRowData.of(StringData.from_string("b"), 1)
    row.set_row_kind(RowKind.UPDATE_AFTER)
    converted = converter.convert(row)
    assert [str(converted.get_string(0)), converted.get_int(1), str(converted.get_string(2))] == ["b", 1, "B"]
    assert converted.get_row_kind() is RowKind.UPDATE_AFTER
