"""The methods of ``TableEnvironment`` that FLIP-64 deprecates: they forward with a warning, or raise an error that names the replacement."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NoReturn, Protocol

from table_common.exceptions import ValidationException
from table_common.types import quote_identifier

if TYPE_CHECKING:
    from table_api.tables.table import Table
    from table_api.tables.table_pipeline import TablePipeline


class _Environment(Protocol):
    """The methods that deprecated ones forward to."""

    def create_temporary_view(self, view_path: str, table_or_data_stream: Table) -> None: ...

    def create_temporary_system_function(self, name: str, function: object) -> None: ...

    def from_path(self, path: str) -> Table: ...


class DeprecatedMethods:
    """Deprecated methods of a table environment."""

    def register_table(self: _Environment, name: str, table: Table) -> None:
        """Deprecated: use ``create_temporary_view``, which takes a path."""
        _warn("register_table", "create_temporary_view")
        self.create_temporary_view(quote_identifier(name), table)

    def register_function(self: _Environment, name: str, function: object) -> None:
        """Deprecated: use ``create_temporary_system_function``."""
        _warn("register_function", "create_temporary_system_function")
        self.create_temporary_system_function(name, function)

    def scan(self: _Environment, *table_path: str) -> Table:
        """Deprecated: use ``from_path``, which takes one path such as ``catalog.database.table``."""
        _warn("scan", "from_path")
        return self.from_path(".".join(map(quote_identifier, table_path)))

    def insert_into(self, target_path: str, table: Table) -> TablePipeline:
        """Returns the insertion of a table's rows, as ``table.insert_into(target_path)`` does; its ``execute`` starts it."""
        return table.insert_into(target_path)

    def register_table_source(self, name: str, table_source: object) -> NoReturn:
        """Removed by FLIP-64: a source alone has no computed columns, no watermark and no key.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _dropped("register_table_source", name)

    def register_table_sink(self, name: str, configured_sink: object) -> NoReturn:
        """Removed by FLIP-64: the target of an insertion is an ordinary table.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _dropped("register_table_sink", name)

    def connect(self, connector_descriptor: object) -> NoReturn:
        """Removed by FLIP-64 and FLIP-129: a ``TableDescriptor`` defines the table of a connector.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise _dropped("connect", "t")

    if not TYPE_CHECKING:  # type checkers say which methods there are

        def __getattr__(self, name: str) -> NoReturn:
            from table_api.migrate.refused_calls import REFUSED_METHODS, refused_call  # only programs for other versions of Flink need it

            if name in REFUSED_METHODS:
                raise refused_call(type(self).__name__, name)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated (FLIP-64): use {new}", DeprecationWarning, stacklevel=3)


def _dropped(method: str, name: str) -> ValidationException:
    return ValidationException(
        f"{method} was removed (FLIP-64): a table is declared with the options of its connector.",
        hint=(
            f"create_temporary_table('{name}', TableDescriptor.for_connector('…').schema(…).option('…', '…').build()), "
            f"or CREATE TEMPORARY TABLE {quote_identifier(name)} (…) WITH ('connector' = '…', …)"
        ),
    )
