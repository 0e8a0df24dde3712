"""Checks the keys of versioned tables in joins FOR SYSTEM_TIME AS OF an event time."""

from __future__ import annotations

from table_api.operations import QueryOperation, VersionedJoinQueryOperation
from table_api.plan.changelog.keys import equal_columns, unique_keys
from table_api.plan.context import RuleContext
from table_common.exceptions import ValidationException
from table_common.tree import preorder

__all__ = ["check_versioned_joins"]


def check_versioned_joins(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan as it is.

    Raises:
        ValidationException: the right table has no unique key, or the condition does not compare all columns of one.
    """
    joins = [node for node in preorder(root, QueryOperation) if isinstance(node, VersionedJoinQueryOperation)]
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
    (_, compared), _ = equal_columns(join.condition)
    if not any(key <= compared for key in keys):
        names = join.right.resolved_schema.column_names
        texts = " or ".join(f"({', '.join(names[column] for column in sorted(key))})" for key in sorted(keys, key=sorted))
        raise ValidationException(
            f"A join FOR SYSTEM_TIME AS OF an event time compares all columns of the right table's primary key {texts} for equality, "
            f"but its condition is {join.condition}.",
            hint="add left.column = right.column for each column of the key; both of the same type",
        )
