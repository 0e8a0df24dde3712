"""The methods of ``TableEnvironment`` that FLIP-64 deprecates: they forward with a warning, or say what stands in their place."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NoReturn, Protocol

from table_common.exceptions import ValidationException
from table_common.types import quote_identifier

if TYPE_CHECKING:
    from table_api.table import Table
    from table_api.table_pipeline import TablePipeline

__all__ = ["DeprecatedMethods"]


class _Environment(Protocol):
    """What the methods forward to."""

    def create_temporary_view(self, view_path: str, table: Table) -> None: ...

    def create_temporary_system_function(self, name: str, function: object) -> None: ...

    def from_path(self, path: str) -> Table: ...


class DeprecatedMethods:
    """The base of a table environment."""

    def register_table(self: _Environment, name: str, table: Table) -> None:
        """Deprecated: use ``create_temporary_view``, which takes a path."""
        _warn("register_table", "create_temporary_view")
        self.create_temporary_view(quote_identifier(name), table)

    def register_function(self: _Environment, name: str, function: object) -> None:
        """Deprecated: use ``create_temporary_system_function``."""
        _warn("register_function", "create_temporary_system_function")
        self.create_temporary_system_function(name, function)

    def scan(self: _Environment, *table_path: str) -> Table:
        """Deprecated: use ``from_path``, which takes one text such as ``catalog.database.table``."""
        _warn("scan", "from_path")
        return self.from_path(".".join(map(quote_identifier, table_path)))

    def insert_into(self, target_path: str, table: Table) -> TablePipeline:
        """Returns the insertion of a table's rows, as ``table.insert_into(target_path)`` does; nothing runs before ``execute``."""
        return table.insert_into(target_path)

    def register_table_source(self, name: str, table_source: object) -> NoReturn:
        """Was dropped by FLIP-64: a source alone has no columns that are computed, no watermark and no key."""
        raise _dropped("register_table_source", name)

    def register_table_sink(self, name: str, configured_sink: object) -> NoReturn:
        """Was dropped by FLIP-64: what is written to is a table like any other."""
        raise _dropped("register_table_sink", name)

    def connect(self, connector_descriptor: object) -> NoReturn:
        """Was dropped by FLIP-64 and FLIP-129: tables of connectors are described by ``TableDescriptor``."""
        raise _dropped("connect", "t")


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated (FLIP-64): use {new}", DeprecationWarning, stacklevel=3)


def _dropped(method: str, name: str) -> ValidationException:
    return ValidationException(
        f"{method} does not exist any more (FLIP-64): a table is declared with its connector's options.",
        hint=(
            f"create_temporary_table('{name}', TableDescriptor.for_connector('…').schema(…).option('…', '…').build()), "
            f"or CREATE TEMPORARY TABLE {quote_identifier(name)} (…) WITH ('connector' = '…', …)"
        ),
    )
