"""The column that is kept where only the number of rows matters: an Arrow table without columns has no row count."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, JoinQueryOperation, QueryOperation, SourceQueryOperation
from table_common.catalog import ResolvedSchema
from table_common.expressions import ResolvedExpression, references
from table_common.tree import by_class
from table_common.types import BigIntType, BooleanType, DateType, DoubleType, FloatType, IntType, SmallIntType, TimestampType, TinyIntType

_CHEAP = (BigIntType, BooleanType, DateType, DoubleType, FloatType, IntType, SmallIntType, TimestampType, TinyIntType)
"""Types whose columns cost little to read."""


@by_class
def row_count_column(node: QueryOperation) -> int:
    """Returns the position of a column of a node of which only the number of rows matters: if possible one that the node reads anyway."""
    return 0


@row_count_column.register(FilterQueryOperation)
def _of_filter(node: FilterQueryOperation) -> int:
    used = _used(node.condition)
    return cheapest_column(node.resolved_schema, used) if used else row_count_column(node.child)


@row_count_column.register(JoinQueryOperation)
def _of_join(node: JoinQueryOperation) -> int:
    used = _used(node.condition) if node.condition is not None else ()
    return cheapest_column(node.left.resolved_schema, used) if used else 0


@row_count_column.register(SourceQueryOperation)
def _of_scan(node: SourceQueryOperation) -> int:
    return cheapest_column(node.resolved_schema)


def cheapest_column(schema: ResolvedSchema, positions: Sequence[int] = ()) -> int:
    """Returns the first column that is cheap to read among those at some positions (none: all); if there is none, the first one."""
    chosen = positions or range(len(schema.columns))
    return next((i for i in chosen if isinstance(schema.columns[i].data_type, _CHEAP)), chosen[0])


def _used(condition: ResolvedExpression) -> Sequence[int]:
    """Returns the columns of the only or the left input that a condition reads."""
    return sorted({position for side, position in references([condition]) if side == 0})
