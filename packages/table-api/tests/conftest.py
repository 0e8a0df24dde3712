"""A session with the tables t and u, without environment, parser or engine."""

from __future__ import annotations

import pytest

from table_api.catalog import ModuleManager
from table_api.delegation import FoundTable, FoundView
from table_api.operations import QueryOperation
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import Configuration
from table_common.exceptions import SourcePosition, ValidationException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import lookup_built_in
from table_common.types import BigIntType, DecimalType, DoubleType, IntType, LogicalType, RowType, VarCharType

TABLES: dict[str, list[tuple[str, LogicalType]]] = {
    "t": [("name", VarCharType()), ("age", IntType()), ("pay", DecimalType(10, 2)), ("r", RowType.of([("x", IntType())]))],
    "u": [("id", BigIntType(nullable=False)), ("name", VarCharType())],
    "p": [
        ("id", IntType()),
        ("v", DoubleType()),
        ("r", RowType.of([("a", IntType()), ("b", RowType.of([("c", IntType()), ("d", VarCharType())]))])),
        ("year", IntType()),
        ("kind", VarCharType()),
    ],
}
PARTITION_KEYS = {"p": ("year", "kind")}


class FixedTables:
    """Finds the tables above in the current database."""

    def qualify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        return ObjectIdentifier(*("c", "d", "")[: 3 - len(path)], *path)

    def find_table(self, path: tuple[str, ...]) -> FoundTable | FoundView | None:
        if path[-1] not in TABLES:
            return None
        schema = ResolvedSchema.physical(TABLES[path[-1]])
        table = CatalogTable(
            Schema.new_builder().from_resolved_schema(schema).build(), None, {"connector": "none"}, PARTITION_KEYS.get(path[-1], ())
        )
        return FoundTable(self.qualify(path), ResolvedCatalogTable(table, schema), is_temporary=False)

    def table_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        return ValidationException.unknown("Table", path[-1], TABLES, position=position)


class BuiltInFunctions:
    """Finds built-in functions."""

    def find_function(self, path: tuple[str, ...]) -> FunctionDefinition | None:
        return lookup_built_in(path[-1])

    def function_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        return ValidationException(f"No function {path[-1]}.", position=position)


class FixedSession:
    """What the operation builder needs of a session."""

    configuration = Configuration()
    tables = FixedTables()
    functions = BuiltInFunctions()
    modules = ModuleManager()
    is_streaming_mode = False

    def convert_query(self, text: str) -> QueryOperation:
        raise AssertionError("there are no views here")

    def expand_view(self, view: FoundView) -> QueryOperation:
        raise AssertionError("there are no views here")


@pytest.fixture
def session() -> FixedSession:
    return FixedSession()
