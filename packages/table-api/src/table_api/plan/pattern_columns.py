"""Column pruning of MATCH_RECOGNIZE: the input columns that it uses, and the node over an input whose columns have moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.operations import MatchRecognizeQueryOperation, QueryOperation
from table_common.expressions import PatternExpression, ResolvedExpression, remap
from table_common.frozen_dataclass import replace
from table_common.tree import children_of, map_children_of


def input_expressions(node: MatchRecognizeQueryOperation, measures: Sequence[int]) -> list[ResolvedExpression]:
    """Returns the node's expressions over the input's columns, with only the measures at these positions."""
    conditions = [definition.condition for definition in node.definitions]
    values = [value for part in (*conditions, *(node.measures[i] for i in measures)) for value in part.values]
    keys: list[ResolvedExpression] = [*node.partition_by, *(order.expression for order in node.order_by)]
    return [*keys, *(expression for value in values for expression in children_of(value, ResolvedExpression))]


def over_moved_columns(
    node: MatchRecognizeQueryOperation, child: QueryOperation, moved: Mapping[int, int], measures: Sequence[int]
) -> MatchRecognizeQueryOperation:
    """Returns the node over another child, with only the measures at these positions."""

    def change(part: PatternExpression) -> PatternExpression:
        return replace(part, values=tuple(map_children_of(v, ResolvedExpression, lambda e: remap(e, moved)) for v in part.values))

    return replace(
        node,
        partition_by=tuple(replace(key, field_index=moved[key.field_index]) for key in node.partition_by),
        order_by=tuple(replace(order, expression=remap(order.expression, moved)) for order in node.order_by),
        definitions=tuple(replace(d, condition=change(d.condition)) for d in node.definitions),
        measures=tuple(change(node.measures[i]) for i in measures),
        names=tuple(node.names[i] for i in measures),
        child=child,
    )
