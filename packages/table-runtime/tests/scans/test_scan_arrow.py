"""Scans of a connector's splits: order, types, runtime filters, errors and cancellation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import ArrowScanProvider, SupportsArrowArray
from table_common.connector.source import DynamicFilteringData
from table_common.exceptions import JobCancelledException, TableException, TableRuntimeException, ValidationException
from table_common.types import BigIntType, RowType, TinyIntType, VarCharType
from table_runtime.batch.values import Values
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.scan_arrow import ScanArrow

ROW = RowType.of([("a", BigIntType()), ("b", VarCharType())], nullable=False)
SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.string())])


def batch(rows: Sequence[tuple[int | None, str | None]], schema: pa.Schema = SCHEMA) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema)


class Splits(ArrowScanProvider):
    """Each split is a list of batches, or an error that the split raises after them."""

    def __init__(self, *contents: Sequence[Any]) -> None:
        self.contents = contents
        self.filters: Sequence[DynamicFilteringData] | None = None
        self.closed = 0

    def splits(self) -> Sequence[Any]:
        return range(len(self.contents))

    def filtered_splits(self, filters: Sequence[DynamicFilteringData]) -> Sequence[Any]:
        self.filters = filters
        return [0]

    def read(self, split: Any) -> Iterator[SupportsArrowArray]:
        for item in self.contents[split]:
            if isinstance(item, Exception):
                raise item
            yield item

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(params=[1, 4])
def context(request: pytest.FixtureRequest) -> Iterator[ExecutionContext]:
    execution = ExecutionContext(parallelism=request.param)
    yield execution
    execution.close()


def scan(provider: ArrowScanProvider, **options: Any) -> ScanArrow:
    return ScanArrow(provider, options.pop("row_type", ROW), options.pop("schema", SCHEMA), "db.t", "Splits", **options)


def rows_of(operator: ScanArrow, context: ExecutionContext) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for part in operator.batches(context) for row in part.to_pylist()]


def test_rows_are_in_the_order_of_the_splits(context: ExecutionContext) -> None:
    splits = [[batch([(2 * split, "x")]), batch([(2 * split + 1, None)])] for split in range(6)]
    assert [row[0] for row in rows_of(scan(Splits(*splits)), context)] == list(range(12))


def test_splits_without_batches_and_batches_without_rows_are_read(context: ExecutionContext) -> None:
    assert rows_of(scan(Splits([], [batch([])], [batch([(None, None)])])), context) == [(None, None)]


def test_no_splits_have_no_rows(context: ExecutionContext) -> None:
    assert rows_of(scan(Splits()), context) == []


def test_a_slice_has_its_own_rows_only(context: ExecutionContext) -> None:
    assert rows_of(scan(Splits([batch([(1, "a"), (2, "b"), (3, "c")]).slice(1, 1)])), context) == [(2, "b")]


def test_columns_have_the_types_and_names_of_the_table(context: ExecutionContext) -> None:
    other = pa.RecordBatch.from_arrays([pa.array([1], pa.int64()), pa.array(["x"], pa.large_string())], names=["p", "q"])
    (found,) = scan(Splits([other])).batches(context)
    assert found.schema == SCHEMA


def test_another_number_of_columns_is_an_error(context: ExecutionContext) -> None:
    one_column = pa.RecordBatch.from_arrays([pa.array([1])], names=["a"])
    with pytest.raises(TableRuntimeException, match=r"The source of db\.t returned a batch with 1 columns\. Expected: 2\."):
        rows_of(scan(Splits([one_column])), context)


def test_a_column_of_another_type_is_an_error_with_its_name(context: ExecutionContext) -> None:
    wrong = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([[1]])], names=["a", "b"])
    with pytest.raises(ValidationException, match=r"Column 'b' of db\.t"):
        rows_of(scan(Splits([wrong])), context)


def test_a_failing_split_is_an_error_with_the_name_of_the_table(context: ExecutionContext) -> None:
    with pytest.raises(TableRuntimeException, match=r"^Reading db\.t failed: OSError: gone$"):
        rows_of(scan(Splits([batch([(1, "a")]), OSError("gone")])), context)


def test_failing_splits_are_an_error_with_the_name_of_the_table(context: ExecutionContext) -> None:
    class Unlisted(Splits):
        def splits(self) -> Sequence[Any]:
            raise OSError("gone")

    with pytest.raises(TableRuntimeException, match=r"^Reading db\.t failed: OSError: gone$"):
        rows_of(scan(Unlisted()), context)


def test_an_error_with_a_message_of_its_own_is_not_changed(context: ExecutionContext) -> None:
    with pytest.raises(TableException, match=r"^The server is closed\.$"):
        rows_of(scan(Splits([TableException("The server is closed.")])), context)


def test_something_that_is_no_batch_is_an_error(context: ExecutionContext) -> None:
    with pytest.raises(TableException, match=r"Reading db\.t failed: Splits\.read"):
        rows_of(scan(Splits(["text"])), context)


def test_a_cancelled_job_reads_no_further_batch(context: ExecutionContext) -> None:
    def endless() -> Iterator[pa.RecordBatch]:
        while True:
            yield batch([(1, "a")])

    batches = scan(Splits(endless())).batches(context)  # type: ignore[arg-type]  # an endless split
    next(batches)
    context.token.cancel()
    with pytest.raises(JobCancelledException):
        for _ in batches:
            pass


def test_runtime_filters_are_collected_before_the_splits(context: ExecutionContext) -> None:
    provider = Splits([batch([(1, "a")])], [batch([(2, "b")])])
    keys = pa.schema([("a", pa.int64())])
    build_side = Values(keys, lambda: [pa.RecordBatch.from_pylist([{"a": 1}, {"a": None}, {"a": 1}], schema=keys)], 3)
    assert rows_of(scan(provider, inputs=[build_side]), context) == [(1, "a")]
    assert provider.filters == [DynamicFilteringData(("a",), frozenset({(1,)}))]


def test_without_runtime_filters_all_splits_are_read(context: ExecutionContext) -> None:
    provider = Splits([batch([(1, "a")])], [batch([(2, "b")])])
    assert rows_of(scan(provider), context) == [(1, "a"), (2, "b")]


def test_changes_are_numbered_across_splits(context: ExecutionContext) -> None:
    """The number of a change is four times its position plus its kind."""
    row_type = RowType.of([("a", BigIntType()), ("kind", TinyIntType(nullable=False))], nullable=False)
    source = pa.schema([("a", pa.int64()), ("kind", pa.int8())])
    produced = pa.schema([("a", pa.int64()), pa.field("change", pa.int64(), nullable=False)])
    parts = [
        [pa.RecordBatch.from_pylist(rows, schema=source)] for rows in ([{"a": 7, "kind": 0}, {"a": 7, "kind": 3}], [{"a": 8, "kind": 2}])
    ]
    changes = scan(Splits(*parts), row_type=row_type, schema=produced, changes=True)
    assert rows_of(changes, context) == [(7, 0), (7, 7), (8, 10)]


def test_plans_show_the_table_the_source_and_the_fields() -> None:
    assert scan(Splits()).details() == "table=[db.t], source=[Splits], fields=[a, b]"


def test_plans_show_the_fields_of_runtime_filters() -> None:
    build_side = Values(pa.schema([("a", pa.int64())]), list, 0)
    assert scan(Splits(), inputs=[build_side]).details().endswith("fields=[a, b], dynamicFilters=[a]")


def test_the_provider_is_closed_after_the_last_split(context: ExecutionContext) -> None:
    provider = Splits([batch([(1, "a")])], [batch([(2, "b")])])
    rows_of(scan(provider), context)
    assert provider.closed == 1


def test_the_provider_is_closed_after_a_failure(context: ExecutionContext) -> None:
    provider = Splits([ValueError("broken")])
    with pytest.raises(TableRuntimeException):
        rows_of(scan(provider), context)
    assert provider.closed == 1


def test_only_rows_that_add_need_a_value_in_a_not_null_column(context: ExecutionContext) -> None:
    row_type = RowType.of([("a", BigIntType()), ("b", VarCharType(nullable=False)), ("$row_kind", TinyIntType())], nullable=False)
    schema = pa.schema([("a", pa.int64()), pa.field("b", pa.string(), nullable=False), ("$change", pa.int64())])
    given = pa.schema([("a", pa.int64()), ("b", pa.string()), ("$row_kind", pa.int8())])

    def rows(*items: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        batch = pa.RecordBatch.from_pylist([dict(zip(given.names, item, strict=True)) for item in items], schema=given)
        operator = scan(Splits([batch]), row_type=row_type, schema=schema, changes=True)
        return [tuple(row.values()) for part in operator.batches(context) for row in part.to_pylist()]

    assert rows((1, "x", 0), (1, None, 3)) == [(1, "x", 0), (1, None, 7)]
    with pytest.raises(TableRuntimeException, match=r"Column 'b' of db\.t is declared as STRING NOT NULL"):
        rows((1, None, 2), (1, None, 3))
