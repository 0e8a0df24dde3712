"""Extracts calls with OVER windows from expressions: a projection of the inputs, one node per window, and expressions over its columns."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ProjectQueryOperation, QueryOperation, SortOrder, WindowCall, WindowQueryOperation
from table_api.resolution.over.expression import WindowExpression
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.tree import preorder, transform_down

_Window = tuple[tuple[FieldReferenceExpression, ...], tuple[SortOrder, ...]]


def extract_windows(child: QueryOperation, expressions: Sequence[ResolvedExpression]) -> tuple[QueryOperation, list[ResolvedExpression]]:
    """Returns the child with a column for each call, and the expressions over it; both unchanged without windows.

    Calls with equal partitions and orders share a node. The child's columns keep their places.
    """
    calls = list(dict.fromkeys(node for e in expressions for node in preorder(e, ResolvedExpression) if isinstance(node, WindowExpression)))
    if not calls:
        return child, list(expressions)
    inputs = _Inputs(child)
    by_window: dict[_Window, list[tuple[WindowExpression, WindowCall]]] = {}
    for call in calls:
        partition_by = tuple(dict.fromkeys(map(inputs.column, call.partition_by)))
        order_by = tuple(SortOrder(inputs.column(o.expression), o.ascending, o.nulls_first) for o in call.order_by)
        by_window.setdefault((partition_by, order_by), []).append((call, _window_call(call, inputs)))
    operation = inputs.build()
    columns: dict[ResolvedExpression, FieldReferenceExpression] = {}
    for (partition_by, order_by), members in by_window.items():
        width = len(operation.resolved_schema.columns)
        names = tuple(f"$w{len(columns) + i}" for i in range(len(members)))
        operation = WindowQueryOperation(partition_by, order_by, tuple(call for _, call in members), names, operation)
        for i, (expression, _) in enumerate(members):
            columns[expression] = FieldReferenceExpression(names[i], expression.output_type, 0, width + i)
    rewritten = [
        transform_down(e, ResolvedExpression, lambda node: columns[node] if isinstance(node, WindowExpression) else node)
        for e in expressions
    ]
    return operation, rewritten


def _window_call(call: WindowExpression, inputs: _Inputs) -> WindowCall:
    args = tuple(arg if isinstance(arg, ValueLiteralExpression) else inputs.column(arg) for arg in call.args)
    name = call.function.name
    if name == "COUNT" and not call.distinct and args and all(isinstance(a, ValueLiteralExpression) and a.value is not None for a in args):
        args = ()  # COUNT(1) counts rows as COUNT(*) does
    condition = inputs.column(call.filter) if call.filter is not None else None
    return WindowCall(call.function, args, call.output_type, call.frame, call.distinct, condition, call.ignore_nulls)


class _Inputs:
    """The child's columns, followed by computed inputs of the windows."""

    def __init__(self, child: QueryOperation) -> None:
        self._child = child
        self._columns = [
            FieldReferenceExpression(column.name, column.data_type, 0, position)
            for position, column in enumerate(child.resolved_schema.columns)
        ]
        self._computed: dict[ResolvedExpression, FieldReferenceExpression] = {}

    def column(self, expression: ResolvedExpression) -> FieldReferenceExpression:
        """Returns the column with the expression's value."""
        if isinstance(expression, FieldReferenceExpression):
            return expression
        found = self._computed.get(expression)
        if found is None:
            position = len(self._columns) + len(self._computed)
            found = FieldReferenceExpression(f"$o{len(self._computed)}", expression.output_type, 0, position)
            self._computed[expression] = found
        return found

    def build(self) -> QueryOperation:
        """Returns the child, with a projection above it if anything is computed."""
        if not self._computed:
            return self._child
        names = (*(column.name for column in self._columns), *(column.name for column in self._computed.values()))
        return ProjectQueryOperation((*self._columns, *self._computed), names, self._child)
