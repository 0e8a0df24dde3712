"""Signatures of state: what an operator keeps, in words that do not depend on aliases, on the positions of columns or on the operators beside it.

A column is named by its origin: ``db.orders.qty``, or the expression that computes it from such columns. So a statement may be changed wherever that
does not change what is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SourceQueryOperation,
    WatermarkQueryOperation,
)
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.tree import children_of, map_children_of, transform_up

__all__ = ["Signature", "Signatures"]

Signature = Mapping[str, Any]
"""A JSON object: ``operator``, the ``keys`` and ``values`` of an aggregate as pairs of text and type, ``details``, and the columns of the ``inputs``."""


class Signatures:
    """The signatures of the query nodes of one plan."""

    def __init__(self) -> None:
        self._origins: dict[int, tuple[str, ...]] = {}
        self._numbers: dict[tuple[str, ...], int] = {}

    def of(self, node: QueryOperation) -> Signature:
        """Returns the signature of a node."""
        inputs = children_of(node, QueryOperation)
        if isinstance(node, WatermarkQueryOperation):  # the progress of event time goes on, also with another delay
            origins = self._origins_of(node)
            return {"operator": node.summary_name, "details": origins[node.rowtime.field_index], "inputs": []}
        if isinstance(node, AggregateQueryOperation):
            (child,) = inputs
            calls = [str(map_children_of(call, ResolvedExpression, lambda part: self._over(part, child))) for call in node.aggregates]
            return {
                "operator": node.summary_name,
                "keys": [[self._text(key, child), str(key.output_type)] for key in node.grouping],
                "values": [[text, str(call.output_type)] for text, call in zip(calls, node.aggregates, strict=True)],
                "details": "" if node.grouping_sets is None else str(node.grouping_sets),
            }
        return {
            "operator": node.summary_name,
            "details": self._details(node),
            "inputs": [
                [
                    [origin, str(column.data_type)]
                    for origin, column in zip(self._origins_of(child), child.resolved_schema.columns, strict=True)
                ]
                for child in inputs
            ],
        }

    def _details(self, node: QueryOperation) -> str:
        inputs = children_of(node, QueryOperation)
        if len(inputs) == 1:
            node = map_children_of(node, ResolvedExpression, lambda expression: self._over(expression, inputs[0]))
        return ", ".join(f"{name}={value}" for name, value in node.summary_details() if name not in ("select", "stateTtlHints"))

    def _text(self, expression: ResolvedExpression, child: QueryOperation) -> str:
        return str(self._over(expression, child))

    def _over(self, expression: ResolvedExpression, child: QueryOperation) -> ResolvedExpression:
        """Returns an expression over the columns of a node with their origins as names."""
        origins = self._origins_of(child)

        def renamed(part: ResolvedExpression) -> ResolvedExpression:
            if isinstance(part, FieldReferenceExpression) and part.field_index < len(origins):
                return replace(part, name=origins[part.field_index])
            return part

        return transform_up(expression, ResolvedExpression, renamed)

    def _origins_of(self, node: QueryOperation) -> tuple[str, ...]:
        known = self._origins.get(id(node))
        if known is None:
            known = self._origins[id(node)] = tuple(self._made_origins(node))
        return known

    def _made_origins(self, node: QueryOperation) -> Sequence[str]:
        inputs = children_of(node, QueryOperation)
        columns = node.resolved_schema.columns
        match node:
            case SourceQueryOperation():
                table = node.table.identifier.as_summary_string()
                return [f"{table}.{column.name}" for column in columns]
            case ProjectQueryOperation():
                return [self._text(expression, inputs[0]) for expression in node.projection]
            case FilterQueryOperation() | DistinctQueryOperation():
                return self._origins_of(inputs[0])
            case AggregateQueryOperation():
                signature = self.of(node)
                texts = [text for text, _ in (*signature["keys"], *signature["values"])]
                keys = ", ".join(text for text, _ in signature["keys"])
                return [*(texts[: len(node.grouping)]), *(f"{text} BY ({keys})" for text in texts[len(node.grouping) :]), "grouping_id"][
                    : len(columns)
                ]
            case _:
                below = [origin for child in inputs for origin in self._origins_of(child)]
                added = [f"{node.summary_name}.{column.name}" for column in columns[len(below) :]]
                return [*below, *added][: len(columns)]
