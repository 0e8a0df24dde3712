"""The options of a plan's tables whose values no plan and no error may show: secrets, and references to the environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from table_api.operations import ContextResolvedTable, ModifyOperation, Operation, QueryOperation
from table_common.configuration import has_hidden_values, hidden_text, hide_values
from table_common.exceptions import TableError
from table_common.tree import preorder

__all__ = ["HiddenOptions"]


class HiddenOptions:
    """Hides what the options of some tables may not show."""

    def __init__(self, options: Sequence[Mapping[str, str]]) -> None:
        """``options`` are as they were written, one map for each table."""
        self._options = options

    @classmethod
    def of(cls, operations: Sequence[ModifyOperation]) -> HiddenOptions:
        """Collects the options of all tables that are read or written."""
        nodes: Iterator[Operation] = (node for operation in operations for node in (operation, *preorder(operation.child, QueryOperation)))
        found = []
        for node in nodes:
            table = getattr(node, "table", None)
            if isinstance(table, ContextResolvedTable):
                options = {**table.table.options, **getattr(node, "options", {})}
                if has_hidden_values(options):
                    found.append(options)
        return cls(found)

    def in_text(self, text: str) -> str:
        """Returns a text without what may not be shown."""
        for options in self._options:
            text = hidden_text(text, options)
        return text

    def in_error(self, error: TableError) -> None:
        """Takes what may not be shown out of an error."""
        for options in self._options:
            hide_values(error, options)

    @contextmanager
    def in_errors(self) -> Iterator[None]:
        """Takes what may not be shown out of the errors that leave the context."""
        try:
            yield
        except TableError as error:
            self.in_error(error)
            raise
