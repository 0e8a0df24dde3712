"""Materializes a changelog source in batch mode: its rows are the final state of the table.

With a primary key, the last change of each key is the row. Without one, insertions and retractions of equal rows cancel each other out, as
in Flink's collected changelogs.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    FilterQueryOperation,
    FrameBoundKind,
    FrameUnit,
    QueryOperation,
    SortOrder,
    SourceQueryOperation,
    WindowBound,
    WindowCall,
    WindowFrame,
    WindowQueryOperation,
)
from table_api.plan.calls import call, case, columns_of, number, project, reference, references_of
from table_api.plan.context import RuleContext
from table_api.resolution.casting import cast_to
from table_common.connector import RowKind, ScanTableSource
from table_common.exceptions import TableException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
from table_common.functions.builtin import aggregates, arithmetic, comparison, windows
from table_common.tree import transform_up
from table_common.types import ArrayType, BigIntType, LogicalType, MapType, MultisetType, RowType, VarCharType

CHANGE_COLUMN = "$change"
_KINDS = len(RowKind)
_WHOLE = WindowFrame(FrameUnit.ROWS, WindowBound(FrameBoundKind.UNBOUNDED_PRECEDING), WindowBound(FrameBoundKind.UNBOUNDED_FOLLOWING))


def materialize_changes(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Adds the materialization above each scan whose source emits updates or deletions."""

    def change(node: SourceQueryOperation) -> QueryOperation:
        if not isinstance(node.source, ScanTableSource):
            return node
        mode = node.source.get_changelog_mode()
        if node.change_column is not None or mode.contains_only(RowKind.INSERT):
            return node
        width = len(node.resolved_schema.columns)
        scan = node.with_changes(CHANGE_COLUMN)
        key = node.table.table.resolved_schema.primary_key
        if key is not None:
            names = scan.physical_schema.column_names
            return _last_by_key(scan, [names.index(name) for name in key.columns], width)
        if not mode.contains(RowKind.UPDATE_BEFORE) and mode.contains(RowKind.UPDATE_AFTER):
            raise TableException(
                f"Table {node.table.identifier.as_summary_string()} "
                f"emits UPDATE_AFTER without UPDATE_BEFORE ({mode}), so it needs a primary key.",
                hint="PRIMARY KEY (…) NOT ENFORCED",
            )
        return _not_retracted(scan, width)

    return transform_up(root, QueryOperation, change, of=SourceQueryOperation)


def _last_by_key(scan: QueryOperation, key: Sequence[int], width: int) -> QueryOperation:
    """Returns the row of each key's last change, unless that is a deletion."""
    latest_first = SortOrder(reference(scan, width), ascending=False, nulls_first=False)
    row_number = WindowCall(windows.ROW_NUMBER, (), BigIntType(nullable=False))
    numbered = WindowQueryOperation(tuple(reference(scan, i) for i in key), (latest_first,), (row_number,), ("$age",), scan)
    kept = FilterQueryOperation(
        conjunction([call(comparison.EQUALS, reference(numbered, width + 1), number(1)), _adds(reference(numbered, width))]), numbered
    )
    return columns_of(kept, width)


def _not_retracted(scan: QueryOperation, width: int) -> QueryOperation:
    """Returns each distinct row as often as its insertions exceed its retractions."""
    columns = references_of(scan)
    sign = case(_adds(columns[width]), number(1), number(-1), output_type=BigIntType(nullable=False))
    # Not every engine compares maps, so their texts are compared.
    texts = {i: cast_to(column, VarCharType()) for i, column in enumerate(columns[:width]) if _has_map(column.output_type)}
    counted = project([*columns, sign, *texts.values()], scan)
    keys = [i for i in range(width) if i not in texts] + [width + 2 + i for i in range(len(texts))]
    rows = tuple(reference(counted, i) for i in keys)
    end = width + 2 + len(texts)
    total = WindowCall(aggregates.SUM, (reference(counted, width + 1),), BigIntType(), _WHOLE)
    summed = WindowQueryOperation(rows, (), (total,), ("$count",), counted)
    added_first = SortOrder(reference(summed, width + 1), ascending=False, nulls_first=False)
    row_number = WindowCall(windows.ROW_NUMBER, (), BigIntType(nullable=False))
    numbered = WindowQueryOperation(rows, (added_first,), (row_number,), ("$number",), summed)
    kept = FilterQueryOperation(call(comparison.LESS_THAN_OR_EQUAL, reference(numbered, end + 1), reference(numbered, end)), numbered)
    return columns_of(kept, width)


def _has_map(type_: LogicalType) -> bool:
    match type_:
        case MapType() | MultisetType():
            return True
        case ArrayType():
            return _has_map(type_.element_type)
        case RowType():
            return any(map(_has_map, type_.field_types))
        case _:
            return False


def _adds(change: FieldReferenceExpression) -> ResolvedExpression:
    """Returns whether a change is one that adds a row: +I or +U, whose codes are even."""
    return call(comparison.EQUALS, call(arithmetic.MOD, change, number(2)), number(0))
