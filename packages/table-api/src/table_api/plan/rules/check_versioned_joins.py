"""Checks the keys of versioned tables in joins FOR SYSTEM_TIME AS OF an event time."""

from __future__ import annotations

from table_api.operations import QueryOperation, VersionedJoinQueryOperation
from table_api.plan.changelog.keys import unique_keys
from table_api.plan.context import RuleContext
from table_api.plan.facts.key_columns import identifying_column
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, conjuncts, references
from table_common.functions.builtin import comparison
from table_common.tree import nodes_of
from table_common.types import APPROXIMATE_NUMERICS


def check_versioned_joins(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan as it is.

    Raises:
        ValidationException: the right table has no unique key, or the condition does not compare all columns of one.
    """
    joins = nodes_of(root, QueryOperation, VersionedJoinQueryOperation)
    if joins:
        keys = unique_keys(root)
        for join in joins:
            _check(join, keys[id(join.right)])
    return root


def _check(join: VersionedJoinQueryOperation, keys: frozenset[frozenset[int]]) -> None:
    if not keys:
        raise ValidationException(
            "A join FOR SYSTEM_TIME AS OF an event time needs a primary key and a time attribute of the right table, but it has no primary key.",
            hint="declare PRIMARY KEY (…) NOT ENFORCED, or join a view that keeps the last row of each key: "
            "ROW_NUMBER() OVER (PARTITION BY key ORDER BY time DESC) = 1",
        )
    compared = _compared_columns(join)
    if not any(key <= compared for key in keys):
        names = join.right.resolved_schema.column_names
        texts = " or ".join(f"({', '.join(names[column] for column in sorted(key))})" for key in sorted(keys, key=sorted))
        raise ValidationException(
            f"A join FOR SYSTEM_TIME AS OF an event time compares all columns of the right table's primary key {texts} for equality, "
            f"but its condition is {join.condition}.",
            hint="add left.column = right.column for each column of the key; the left side may be an expression",
        )


def _compared_columns(join: VersionedJoinQueryOperation) -> frozenset[int]:
    """Returns the right columns that the condition compares for equality with left columns, or with expressions over them."""
    found = set()
    for part in conjuncts(join.condition) if join.condition is not None else ():
        if not isinstance(part, CallExpression) or part.function not in (comparison.EQUALS, comparison.IS_NOT_DISTINCT_FROM):
            continue
        for one, other in (part.args, part.args[::-1]):
            column = identifying_column(other)
            inputs = [{input_index for input_index, _ in references([side])} for side in (one, other)]
            if column is not None and inputs == [{0}, {1}] and not isinstance(other.output_type, APPROXIMATE_NUMERICS):
                found.add(column)
    return frozenset(found)
