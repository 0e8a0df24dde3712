"""Redaction of option values of a plan's tables: secrets, and values of references to the environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from table_api.operations import ContextResolvedTable, Operation, QueryOperation
from table_common.catalog import CatalogBaseTable
from table_common.redaction import HiddenValues, has_hidden_values
from table_common.tree import preorder


def hidden_options(operations: Sequence[Operation]) -> HiddenValues:
    """Returns the values to redact from the options of all tables that are read, written, created or changed."""
    found = (options for operation in operations for node in _nodes(operation) for options in _options(node))
    return HiddenValues.of_options(*(options for options in found if has_hidden_values(options)))


def _nodes(operation: Operation) -> Iterator[Operation]:
    yield operation
    for name in getattr(operation, "__dataclass_fields__", ()):
        part = getattr(operation, name)
        if isinstance(part, QueryOperation):
            yield from preorder(part, QueryOperation)
        elif isinstance(part, Operation):
            yield from _nodes(part)


def _options(node: Operation) -> Iterator[Mapping[str, str]]:
    table = getattr(node, "table", None)
    if isinstance(table, ContextResolvedTable):
        yield {**table.table.options, **getattr(node, "options", {})}
    declared = getattr(node, "catalog_table", None)
    if isinstance(declared, CatalogBaseTable):
        yield declared.options
