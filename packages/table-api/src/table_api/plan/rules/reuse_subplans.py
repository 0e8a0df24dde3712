"""Shares equal parts of a streaming plan: a table that a query reads twice is read once, and equal state is kept once."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

from table_api.operations import QueryOperation
from table_api.plan.context import RuleContext
from table_common.configuration import OptimizerConfigOptions
from table_common.expressions import is_deterministic
from table_common.tree import transform_up


def reuse_subplans(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces each node by an equal one that was met before, so that it becomes one node with several readers.

    Nodes whose expressions give another value with each evaluation (RAND, UUID) stay apart, and so does what reads them.
    """
    if not context.session.configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_REUSE_SUB_PLAN_ENABLED):
        return root
    known: dict[Hashable, list[tuple[list[Any], QueryOperation]]] = {}

    def share(node: QueryOperation) -> QueryOperation:
        if not is_deterministic(node.expressions):
            return node
        key, rest = _key(node)
        alike = known.setdefault(key, [])
        for values, other in alike:
            if values == rest:
                return other
        alike.append((rest, node))
        return node

    return transform_up(root, QueryOperation, share)


def _key(node: QueryOperation) -> tuple[Hashable, list[Any]]:
    """Returns what equal nodes have in common, and their fields that cannot be hashed; inputs, which are shared already, are told apart by identity."""
    fields = [getattr(node, field.name) for field in dataclasses.fields(node) if field.init and field.compare]  # type: ignore[arg-type]  # every node is a dataclass
    key: list[Any] = [type(node)]
    rest = []
    for value in map(_with_identities, fields):
        try:
            hash(value)
            key.append(value)
        except TypeError:
            rest.append(value)
    return tuple(key), rest


def _with_identities(value: Any) -> Any:
    if isinstance(value, QueryOperation):
        return id(value)
    return tuple(map(_with_identities, value)) if type(value) is tuple else value
