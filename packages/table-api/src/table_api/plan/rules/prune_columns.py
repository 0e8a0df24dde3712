"""Column pruning: removes unused columns as close to their origin as possible.

A top-down pass collects the columns that each node's parents need (for a shared node their union); a bottom-up pass rebuilds the plan.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation
from table_api.plan.column_use import is_known, needed_columns, rebuilt
from table_api.plan.context import RuleContext
from table_api.plan.facts.columns import picked, restore
from table_api.plan.facts.record import Pruned
from table_common.tree import fold


def prune_columns(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns a plan with the same result whose inner nodes carry only columns that are used."""
    needed = needed_columns(root)

    def combine(node: QueryOperation, children: Sequence[Pruned]) -> Pruned:
        # Leaves without a handler, such as scans, get a projection directly above them.
        if children or is_known(node):
            return rebuilt(node, needed[id(node)], children)
        return picked(node, needed[id(node)])

    pruned = fold(root, QueryOperation, combine)
    return restore(pruned, root.resolved_schema)
