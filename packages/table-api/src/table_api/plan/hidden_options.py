"""The options of a plan's tables whose values no plan and no error may show: secrets, and references to the environment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import ContextResolvedTable, ModifyOperation, Operation, QueryOperation
from table_common.secrets import HiddenValues, has_hidden_values
from table_common.tree import preorder

__all__ = ["hidden_options"]


def hidden_options(operations: Sequence[ModifyOperation]) -> HiddenValues:
    """Returns what the options of all tables that are read or written have to hide."""
    nodes: Iterator[Operation] = (node for operation in operations for node in (operation, *preorder(operation.child, QueryOperation)))
    found = []
    for node in nodes:
        table = getattr(node, "table", None)
        if isinstance(table, ContextResolvedTable):
            options = {**table.table.options, **getattr(node, "options", {})}
            if has_hidden_values(options):
                found.append(options)
    return HiddenValues.of_options(*found)
