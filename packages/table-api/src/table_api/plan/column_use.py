"""Column pruning per kind of node: the columns of its inputs that a node uses, and the node over narrower inputs."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    QueryOperation,
)
from table_api.plan.facts.columns import all_columns, identity, restore
from table_api.plan.facts.record import Columns, Pruned, facts_of
from table_api.plan.row_count_column import row_count_column
from table_common.tree import inputs_first, map_children_of


def needed_columns(root: QueryOperation) -> dict[int, Columns]:
    """Returns the positions of the columns that the parents of each node use, by the ``id`` of the node."""
    needed: dict[int, Columns] = {id(root): all_columns(root)}
    for node in reversed(inputs_first([root], QueryOperation)):
        used = needed[id(node)] = needed[id(node)] or frozenset({row_count_column(node)})
        for child, columns in zip(node.children, _needed_of_children(node, used), strict=True):
            needed[id(child)] = needed.get(id(child), frozenset()) | columns
    return needed


def rebuilt(node: QueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    """Returns the node over its pruned children, with at least the columns in ``needed``."""
    own = facts_of(type(node)).rebuilt
    if own is not None:
        return own(node, needed, children)
    # Nodes without a handler, such as those of an engine, keep all their columns.
    replacements = iter([restore(child, old.resolved_schema) for child, old in zip(children, node.children, strict=True)])
    return map_children_of(node, QueryOperation, lambda _: next(replacements)), identity(node)


def _needed_of_children(node: QueryOperation, needed: Columns) -> list[Columns]:
    own = facts_of(type(node)).needs
    return own(node, needed) if own is not None else [all_columns(child) for child in node.children]


def is_known(node: QueryOperation) -> bool:
    """Returns whether nodes of this class can be pruned; other nodes use and keep all columns."""
    return facts_of(type(node)).rebuilt is not None
