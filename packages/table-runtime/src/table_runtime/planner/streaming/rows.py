"""Lowers chains of stateless nodes with the lowering of batch plans: the kind of each row is one more column, behind the others."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    ProjectQueryOperation,
    QueryOperation,
    ValuesQueryOperation,
)
from table_common.catalog import PhysicalColumn, ResolvedSchema
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import replace
from table_common.tree import children_of, map_children_of
from table_common.types import TinyIntType
from table_runtime.changelog.operators.rows import BatchInput, Rows
from table_runtime.formats import ROW_KIND_FIELD
from table_runtime.operators.operator import Operator
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering import lower
from table_runtime.planner.streaming.lowering.dispatch import StreamContext

__all__ = ["lower_rows"]

_KIND = PhysicalColumn(ROW_KIND_FIELD.name, TinyIntType(nullable=False))


def lower_rows(chain: Sequence[QueryOperation], context: StreamContext) -> Rows:
    """Returns the operator of a chain, lowest node first."""
    (child,) = children_of(chain[0], QueryOperation)
    has_kinds = not context.changes_of(child).is_insert_only
    schema = child.resolved_schema
    below: QueryOperation = ValuesQueryOperation((), ResolvedSchema((*schema.columns, _KIND)) if has_kinds else schema)
    leaf = BatchInput(arrow_schema(below.resolved_schema, context.lowering))
    operator: Operator = leaf
    for node in chain:
        for step in _with_kinds(node, below) if has_kinds else (_over(node, below),):
            operator = lower(step, [operator], context.lowering)
            below = step
    return Rows(operator, leaf, arrow_schema(chain[-1].resolved_schema, context.lowering), has_kinds=has_kinds)


def _with_kinds(node: QueryOperation, below: QueryOperation) -> Sequence[QueryOperation]:
    """Returns the nodes that do the same over ``below``, whose last column is the kind, and leave the kind last."""
    over = _over(node, below)
    last = len(below.resolved_schema.columns) - 1
    if isinstance(over, ProjectQueryOperation):
        kind = FieldReferenceExpression(_KIND.name, _KIND.data_type, 0, last)
        return (replace(over, projection=(*over.projection, kind), names=(*over.names, _KIND.name)),)
    columns = over.resolved_schema.columns
    if len(columns) == last + 1:
        return (over,)
    order = [*range(last), *range(last + 1, len(columns)), last]
    references = (FieldReferenceExpression(columns[i].name, columns[i].data_type, 0, i) for i in order)
    return over, ProjectQueryOperation(tuple(references), tuple(columns[i].name for i in order), over)


def _over(node: QueryOperation, below: QueryOperation) -> QueryOperation:
    return map_children_of(node, QueryOperation, lambda _: below)
