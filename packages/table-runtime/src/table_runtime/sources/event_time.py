"""Event time in sources: computed columns and watermarks, evaluated per batch by the kernels of this package."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.arrow import from_row_data, import_batch, to_arrow_schema, to_row_data
from table_common.connector import SupportsArrowArray
from table_common.connector.source import ComputedColumnConverter, WatermarkAssigner
from table_common.data import RowData, RuntimeConverter
from table_common.exceptions import TableException
from table_common.expressions import ResolvedExpression
from table_common.types import RowType
from table_runtime.columns.batches import make_batch
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.sources.time_units import PER_MILLISECOND


def computed_column_converter(
    input_type: RowType, expressions: Sequence[ResolvedExpression], produced_type: RowType, context: EvaluationContext
) -> ComputedColumnConverter | None:
    """Returns a converter that adds the expressions, or None if there is no kernel for one of their functions."""
    try:
        return KernelComputedColumns(input_type, Evaluator(expressions, context), produced_type)
    except TableException:
        return None


def watermark_assigner(input_type: RowType, expression: ResolvedExpression, context: EvaluationContext) -> WatermarkAssigner | None:
    """Returns an assigner that computes the expression, or None if there is no kernel for one of its functions."""
    try:
        return ExpressionWatermarks(input_type, Evaluator([expression], context))
    except TableException:
        return None


class KernelComputedColumns(ComputedColumnConverter):
    """Appends computed columns to rows."""

    __slots__ = ("_evaluator", "_input_type", "_produced_type")

    def __init__(self, input_type: RowType, evaluator: Evaluator, produced_type: RowType) -> None:
        self._input_type = input_type
        self._evaluator = evaluator
        self._produced_type = produced_type

    @override
    def open(self, context: RuntimeConverter.Context) -> None:
        """Does nothing: the expressions are compiled when the converter is created or unpickled."""

    @property
    @override
    def produced_type(self) -> RowType:
        return self._produced_type

    @override
    def convert(self, row: RowData) -> RowData:
        converted = self._converted(_one_row(row, self._input_type))
        (result,) = to_row_data([converted], self._produced_type)
        result.set_row_kind(row.get_row_kind())
        return result

    @override
    def convert_batch(self, batch: SupportsArrowArray) -> SupportsArrowArray:
        converted: SupportsArrowArray = self._converted(import_batch(batch))
        return converted

    def _converted(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return make_batch([*batch.columns, *self._evaluator.evaluate(batch)], to_arrow_schema(self._produced_type), batch.num_rows)


class ExpressionWatermarks(WatermarkAssigner):
    """The greatest value of an expression over the rows so far, truncated to milliseconds; NULLs are ignored.

    ``watermarks_before`` gives the watermarks that the operator of a WATERMARK makes of the same rows.
    """

    def __init__(self, input_type: RowType, evaluator: Evaluator) -> None:
        self._input_type = input_type
        self._evaluator = evaluator
        self._current: int | None = None
        self._emitted: int | None = None

    @override
    def open(self, context: RuntimeConverter.Context) -> None:
        self._current = self._emitted = None

    @override
    def on_batch(self, batch: SupportsArrowArray) -> int | None:
        (times,) = self._evaluator.evaluate(import_batch(batch))
        return self._advance(times)

    def _advance(self, times: pa.Array) -> int | None:
        greatest = pc.max(times)
        if greatest.is_valid:
            watermark = greatest.value // PER_MILLISECOND[times.type.unit]
            self._current = watermark if self._current is None else max(watermark, self._current)
        return self._current

    @override
    def on_row(self, row: RowData) -> int | None:
        return self.on_batch(_one_row(row, self._input_type))

    @override
    def current_watermark(self) -> int | None:
        return self._current

    @override
    def watermarks_before(self, batch: SupportsArrowArray) -> SupportsArrowArray:
        from table_runtime.sources.watermark_progress import NO_WATERMARK, Watermarks, milliseconds_of

        (times,) = self._evaluator.evaluate(import_batch(batch))
        progress = Watermarks(self.interval // timedelta(milliseconds=1))
        progress.greatest, progress.emitted = (NO_WATERMARK if one is None else one for one in (self._current, self._emitted))
        before = progress.advance(milliseconds_of(times))
        self._advance(times)
        self._emitted = None if progress.emitted == NO_WATERMARK else progress.emitted
        result: SupportsArrowArray = pa.RecordBatch.from_arrays([pa.array(before, mask=before == NO_WATERMARK)], names=["watermark"])
        return result

    @override
    def snapshot(self) -> object:
        return {"greatest": self._current, "emitted": self._emitted}

    @override
    def restore(self, snapshot: object) -> None:
        assert isinstance(snapshot, dict)
        self._current, self._emitted = snapshot["greatest"], snapshot["emitted"]


def _one_row(row: RowData, row_type: RowType) -> pa.RecordBatch:
    batch = from_row_data([row], row_type, with_row_kinds=True)  # rows of any kind are accepted
    return batch.select(list(range(len(row_type.fields))))
