"""Lowers chains of nodes that treat each row alone with the lowering of batch plans.

What belongs to a row beside its columns, such as its kind, is in hidden columns after them.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    STATELESS_OPERATIONS,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    ValuesQueryOperation,
    WatermarkQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, calls_of
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import temporal
from table_common.tree import by_class, children_of, map_children_of, transform_up
from table_common.types import BigIntType, TinyIntType
from table_runtime.formats import ROW_KIND_FIELD
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering import lower
from table_runtime.planner.streaming.lowering.dispatch import StreamContext
from table_runtime.run.operator import Operator
from table_runtime.streaming.operators.stateless import BatchInput, StatelessChain

_KIND = PhysicalColumn(ROW_KIND_FIELD.name, TinyIntType(nullable=False))
_BEFORE = PhysicalColumn("$before", BigIntType(nullable=False))


@by_class
def is_row_by_row(node: QueryOperation) -> bool:
    """Whether the result for a row depends on that row alone."""
    return type(node) in STATELESS_OPERATIONS


@is_row_by_row.register(WindowTableFunctionQueryOperation)
def _has_aligned_windows(node: WindowTableFunctionQueryOperation) -> bool:
    return node.window.is_aligned


@is_row_by_row.register(WatermarkQueryOperation)
def _is_no_watermark(node: WatermarkQueryOperation) -> bool:
    return False


def lower_rows(chain: Sequence[QueryOperation], context: StreamContext, *, has_watermarks: bool = False) -> StatelessChain:
    """Returns the operator of a chain, lowest node first; with ``has_watermarks`` its rows keep the watermark before them."""
    (child,) = children_of(chain[0], QueryOperation)
    has_kinds = not context.changes_of(child).is_insert_only
    calls = calls_of(temporal.CURRENT_WATERMARK, (expression for node in chain for expression in node.expressions))
    types = list(dict.fromkeys(call.output_type for call in calls))
    current = [PhysicalColumn(f"$watermark{number}", type_) for number, type_ in enumerate(types)]
    hidden = [*current, *([_BEFORE] if has_watermarks else []), *([_KIND] if has_kinds else [])]
    schema = child.resolved_schema
    below: QueryOperation = ValuesQueryOperation((), ResolvedSchema((*schema.columns, *hidden)) if hidden else schema)
    leaf = BatchInput(arrow_schema(below.resolved_schema, context.lowering))
    operator: Operator = leaf
    origins: Sequence[int | None] = range(len(schema.columns))
    for node in chain:
        origins = _origins(node, origins)
        for step in _with_hidden(node, below, hidden) if hidden else (_over(node, below),):
            operator = lower(step, [operator], context.lowering)
            below = step
    return StatelessChain(
        operator,
        leaf,
        arrow_schema(chain[-1].resolved_schema, context.lowering),
        has_kinds=has_kinds,
        has_watermarks=has_watermarks,
        watermark_columns=len(current),
        origins=origins,
    )


@by_class
def _origins(node: QueryOperation, below: Sequence[int | None]) -> Sequence[int | None]:
    """Returns which column of the lowest input each column of a node is as it was, from the same of the node below; empty if that is not known."""
    return ()


@_origins.register(FilterQueryOperation)
def _origins_of_filter(node: FilterQueryOperation, below: Sequence[int | None]) -> Sequence[int | None]:
    return below


@_origins.register(ProjectQueryOperation)
def _origins_of_project(node: ProjectQueryOperation, below: Sequence[int | None]) -> Sequence[int | None]:
    return [below[each.field_index] if isinstance(each, FieldReferenceExpression) else None for each in node.projection] if below else ()


def _with_hidden(node: QueryOperation, below: QueryOperation, hidden: Sequence[PhysicalColumn]) -> Sequence[QueryOperation]:
    """Returns the nodes that do the same over ``below``, whose last columns are hidden ones, and leave these last."""
    visible = len(below.resolved_schema.columns) - len(hidden)
    references = [FieldReferenceExpression(column.name, column.data_type, 0, visible + i) for i, column in enumerate(hidden)]
    over = _over(node, below)
    if calls_of(temporal.CURRENT_WATERMARK, over.expressions):
        over = map_children_of(over, ResolvedExpression, lambda expression: _with_watermark(expression, references))
    if isinstance(over, ProjectQueryOperation):
        names = (*over.names, *(column.name for column in hidden))
        return (replace(over, projection=(*over.projection, *references), names=names),)
    columns = over.resolved_schema.columns
    behind = visible + len(hidden)
    if len(columns) == behind:
        return (over,)
    order = [*range(visible), *range(behind, len(columns)), *range(visible, behind)]
    moved = (FieldReferenceExpression(columns[i].name, columns[i].data_type, 0, i) for i in order)
    return over, ProjectQueryOperation(tuple(moved), tuple(columns[i].name for i in order), over)


# Differs from Flink: CURRENT_WATERMARK beside an OVER call is the watermark before the result is emitted. Flink evaluates it when the row comes.
def _with_watermark(expression: ResolvedExpression, hidden: Sequence[FieldReferenceExpression]) -> ResolvedExpression:
    """Returns an expression that reads the watermark before the row where it calls CURRENT_WATERMARK."""

    def change(part: ResolvedExpression) -> ResolvedExpression:
        if not isinstance(part, CallExpression) or part.function is not temporal.CURRENT_WATERMARK:
            return part
        return next(column for column in hidden if column.output_type == part.output_type)

    return transform_up(expression, ResolvedExpression, change)


def _over(node: QueryOperation, below: QueryOperation) -> QueryOperation:
    return map_children_of(node, QueryOperation, lambda _: below)
