"""Plans processing-time temporal joins as lookup joins: chooses the keys, and keeps the other conditions and the projection."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    FilterQueryOperation,
    LookupJoinQueryOperation,
    LookupKey,
    LookupSide,
    ProjectQueryOperation,
    QueryOperation,
    SourceQueryOperation,
    TemporalJoinQueryOperation,
    WatermarkQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_filter_into_scan import PushedFilters
from table_api.resolution.casting import cast_to
from table_common.connector import LookupTableSource
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    conjunction,
    conjuncts,
    is_deterministic,
    map_references,
    references,
)
from table_common.frozen_dataclass import dataclass
from table_common.functions.builtin import comparison
from table_common.tree import by_class, transform_up
from table_common.types import BinaryType, CharType, LogicalType, VarBinaryType, VarCharType, holds_integers_of


def plan_lookup_joins(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces each temporal join by a lookup join.

    Raises:
        ValidationException: the table's connector does not support lookups, or no column of the table is compared with the left row.
    """

    def change(node: QueryOperation) -> QueryOperation:
        return _lookup(node) if type(node) is TemporalJoinQueryOperation else node

    return transform_up(root, QueryOperation, change)


def _lookup(join: TemporalJoinQueryOperation) -> QueryOperation:
    projection, filters, scan = _calculation(join.right)
    table = scan.table.identifier.as_summary_string()
    source = scan.source
    if not isinstance(source, LookupTableSource):
        summary = source.as_summary_string() if source is not None else ""
        raise ValidationException(
            f"FOR SYSTEM_TIME AS OF looks up rows of table {table} by key while the query runs, but its connector ({summary}) does not "
            "support lookups: it is not a LookupTableSource.",
            hint="run the query in streaming mode on the embedded engine, which scans the table; remove FOR SYSTEM_TIME AS OF to join the current "
            "table; or store it in a system that supports lookups",
        )
    keys: dict[int, ResolvedExpression] = {}
    remaining: list[ResolvedExpression] = []
    for part in conjuncts(join.condition) if join.condition is not None else []:
        key = _key(part, projection, scan)
        if key is None or key.column in keys:
            remaining.append(part)
        else:
            keys[key.column] = key.value
    kept = []
    for part in filters:
        constant = _constant_key(part, scan)
        if constant is None or constant.column in keys:
            kept.append(part)
        else:
            keys[constant.column] = constant.value
    if not keys:
        raise ValidationException(
            f"The join looks up rows of table {table} by key, so its condition must compare columns of the table with '='.",
            hint=f"ON {scan.resolved_schema.column_names[0]} = … with a value of the left row; both must have the same type",
        )
    taken = scan.pushed.get(PushedFilters)
    pushed = tuple(map(str, taken.conditions)) if taken is not None else ()
    side = LookupSide.of(scan, source, tuple(kept), projection, join.right.resolved_schema.column_names, pushed)
    return LookupJoinQueryOperation(
        join.left,
        side,
        tuple(LookupKey(column, value) for column, value in sorted(keys.items(), key=lambda item: item[0])),
        join.join_type,
        conjunction(remaining) if remaining else None,
        join.hint,
    )


def _calculation(right: QueryOperation) -> tuple[tuple[ResolvedExpression, ...], list[ResolvedExpression], SourceQueryOperation]:
    """Returns the calculation of the right side over the scan's rows (columns and conditions), and the scan."""
    columns = right.resolved_schema.columns
    calculation = _Calculation([FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(columns)], [])
    node = right
    while not isinstance(node, SourceQueryOperation):
        node = _above(node, calculation)
    return tuple(calculation.projection), calculation.filters, node


@dataclass
class _Calculation:
    """Columns and conditions over the rows of a node."""

    projection: Sequence[ResolvedExpression]
    filters: list[ResolvedExpression]


@by_class
def _above(node: QueryOperation, calculation: _Calculation) -> QueryOperation:
    """Makes the calculation over the rows of a node one over those of its input, which it returns."""
    raise TableException(
        f"FOR SYSTEM_TIME AS OF looks up rows of a table by key, but here it is applied to a query with {node.summary_name}.",
        hint="name the table itself, or a view that only filters it and computes columns",
    )


@_above.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, calculation: _Calculation) -> QueryOperation:
    calculation.filters += conjuncts(node.condition)
    return node.child


@_above.register(WatermarkQueryOperation)
def _watermark(node: WatermarkQueryOperation, calculation: _Calculation) -> QueryOperation:
    return node.child  # rows that are looked up have no event time


@_above.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, calculation: _Calculation) -> QueryOperation:
    calculation.projection = _over(node.projection, calculation.projection)
    calculation.filters = _over(node.projection, calculation.filters)
    return node.child


def _over(inner: Sequence[ResolvedExpression], outer: Sequence[ResolvedExpression]) -> list[ResolvedExpression]:
    return [map_references(part, lambda reference: inner[reference.field_index]) for part in outer]


def _key(part: ResolvedExpression, projection: Sequence[ResolvedExpression], scan: SourceQueryOperation) -> LookupKey | None:
    """Returns the lookup key of ``left = right``, if the right side is a column of the scan and the left side has its type."""
    for column, value in _sides(part):
        if not isinstance(column, FieldReferenceExpression) or column.input_index != 1 or not is_deterministic([value]):
            continue
        if any(index != 0 for index, _ in references([value])):
            continue
        produced = projection[column.field_index]
        if isinstance(produced, FieldReferenceExpression):
            return _typed(produced.field_index, value, scan)
    return None


def _constant_key(part: ResolvedExpression, scan: SourceQueryOperation) -> LookupKey | None:
    for column, value in _sides(part):
        if isinstance(column, FieldReferenceExpression) and not references([value]) and is_deterministic([value]):
            return _typed(column.field_index, value, scan)
    return None


def _sides(part: ResolvedExpression) -> list[tuple[ResolvedExpression, ResolvedExpression]]:
    if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
        return []
    one, other = part.args
    return [(one, other), (other, one)]


def _typed(column: int, value: ResolvedExpression, scan: SourceQueryOperation) -> LookupKey | None:
    """Returns the key with its value cast to the column's type; None if the cast could change which values are equal."""
    column_type, value_type = scan.resolved_schema.columns[column].data_type, value.output_type
    if column_type.not_null() == value_type.not_null():
        return LookupKey(column, value)
    if _is_text(column_type, value_type) or _widens(value_type, column_type):
        return LookupKey(column, cast_to(value, column_type.with_nullability(value_type.nullable)))
    return None


def _is_text(column_type: LogicalType, value_type: LogicalType) -> bool:
    """Returns whether both types are text (or both bytes) and the cast keeps every value."""
    for kinds in ((CharType, VarCharType), (BinaryType, VarBinaryType)):
        if isinstance(column_type, kinds[1]) and isinstance(value_type, kinds):
            return column_type.length >= value_type.length
    return False


def _widens(value_type: LogicalType, column_type: LogicalType) -> bool:
    return type(value_type) is not type(column_type) and holds_integers_of(column_type, value_type)
