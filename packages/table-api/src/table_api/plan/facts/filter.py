"""Facts of ``FilterQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation
from table_api.operations.changelog import ModifyKindSet
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import Key, Keys, NodeFacts, register
from table_api.plan.facts.shared import needs_before, needs_rows, rebuilt_rows, same
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjuncts,
)
from table_common.functions import Monotonicity
from table_common.functions.builtin import comparison
from table_common.types import APPROXIMATE_NUMERICS


def _keys(node: FilterQueryOperation, inputs: Sequence[Keys]) -> Keys:
    constant = _constant_columns(node.condition)
    return frozenset(key - constant for key in inputs[0])


def _constant_columns(condition: ResolvedExpression) -> Key:
    """Returns the columns that are constant in all rows that satisfy the condition."""
    found = set()
    for part in conjuncts(condition):
        if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NULL):
            continue
        references = [argument for argument in part.args if isinstance(argument, FieldReferenceExpression)]
        literals = [argument for argument in part.args if isinstance(argument, ValueLiteralExpression)]
        if len(references) != 1 or len(references) + len(literals) < len(part.args):
            continue
        # 0.0 equals -0.0, but they are two groups; many decimals equal one DOUBLE.
        if part.function is comparison.IS_NULL or not any(isinstance(arg.output_type, APPROXIMATE_NUMERICS) for arg in part.args):
            found.add(references[0].field_index)
    return frozenset(found)


def _monotonicity(
    node: FilterQueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet]
) -> Sequence[Monotonicity]:
    # An update may take a row out of the result unless the condition reads columns that no update changes.
    read = used_columns([node.condition])
    if all(inputs[0][column] is Monotonicity.CONSTANT for column in read):
        return inputs[0]
    return (Monotonicity.NOT_MONOTONIC,) * len(inputs[0])


register(
    FilterQueryOperation,
    NodeFacts(
        changes=same, demands=needs_before, keys=_keys, monotonicity=_monotonicity, needs=needs_rows, rebuilt=rebuilt_rows, windows=same
    ),
)
