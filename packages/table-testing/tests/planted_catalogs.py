"""Errors planted in a correct catalog, each with the test of the compliance suite that must find it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from shelf import ShelfCatalog

from table_common.catalog import (
    Catalog,
    CatalogDatabase,
    CatalogPartitionSpec,
    CatalogTable,
    CatalogTableStatistics,
    CatalogView,
    ObjectPath,
)
from table_common.exceptions import CatalogConflictException, TableException
from table_testing import CatalogCompliance

BUGS: dict[str, tuple[type[ShelfCatalog], str]] = {}
"""Error → the catalog that has it, and a part of the name of the test that is about it."""


def bug(title: str, test: str) -> Any:
    def add(catalog: type[ShelfCatalog]) -> type[ShelfCatalog]:
        BUGS[title] = (catalog, test)
        return catalog

    return add


@bug("tables lose their comment", "tables_keep_all")
class _A(ShelfCatalog):
    def create_table(self, table_path: ObjectPath, table: Any, ignore_if_exists: bool) -> None:
        super().create_table(table_path, replace(table, comment=None), ignore_if_exists)


@bug("tables lose an empty option", "tables_keep_all")
class _B(ShelfCatalog):
    def create_table(self, table_path: ObjectPath, table: Any, ignore_if_exists: bool) -> None:
        super().create_table(table_path, table.copy({key: value for key, value in table.options.items() if value}), ignore_if_exists)


@bug("views lose their schema", "views_keep")
class _C(ShelfCatalog):
    def get_table(self, table_path: ObjectPath) -> Any:
        found = super().get_table(table_path)
        return replace(found, schema=replace(found.schema, columns=())) if isinstance(found, CatalogView) else found


@bug("views are not listed among the tables", "views_are_listed_among")
class _D(ShelfCatalog):
    def list_tables(self, database_name: str) -> list[str]:
        return [
            name for name in super().list_tables(database_name) if isinstance(self.get_table(ObjectPath(database_name, name)), CatalogTable)
        ]

    def list_views(self, database_name: str) -> list[str]:
        return [
            name
            for name in ShelfCatalog.list_tables(self, database_name)
            if isinstance(self.get_table(ObjectPath(database_name, name)), CatalogView)
        ]


@bug("tables are listed as they were created", "lists_are_sorted")
class _E(ShelfCatalog):
    def list_tables(self, database_name: str) -> list[str]:
        self.get_database(database_name)
        return [path.object_name for path in self.store["tables"] if path.database_name == database_name]


@bug("a table replaces one that may exist", "table_that_exists_is_not_created_again")
class _F(ShelfCatalog):
    def create_table(self, table_path: ObjectPath, table: Any, ignore_if_exists: bool) -> None:
        if ignore_if_exists and self.table_exists(table_path):
            self.store["tables"][table_path] = table
        super().create_table(table_path, table, ignore_if_exists)


@bug("a table needs no database", "table_needs_its_database")
class _G(ShelfCatalog):
    def create_table(self, table_path: ObjectPath, table: Any, ignore_if_exists: bool) -> None:
        self._create("Table", self.store["tables"], table_path, table, ignore_if_exists)


@bug("a renamed table replaces another one", "not_renamed_to_one_that_exists")
class _H(ShelfCatalog):
    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        self.store["tables"].pop(ObjectPath(table_path.database_name, new_table_name), None)
        super().rename_table(table_path, new_table_name, ignore_if_not_exists)


@bug("a renamed table loses its partitions", "partitions_go_with_their_table")
class _I(ShelfCatalog):
    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        self.store["partitions"].pop(table_path, None)
        super().rename_table(table_path, new_table_name, ignore_if_not_exists)


@bug("a table that is created again has old statistics", "statistics_go_with_their_objects")
class _J(ShelfCatalog):
    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        self._drop("Table", self.store["tables"], table_path, ignore_if_not_exists)


@bug("a table becomes a view", "does_not_become_a_view")
class _K(ShelfCatalog):
    def alter_table(self, table_path: ObjectPath, new_table: Any, ignore_if_not_exists: bool) -> None:
        self._alter("Table", self.store["tables"], table_path, new_table, ignore_if_not_exists)


@bug("names are compared without case", "keep_their_names")
class _L(ShelfCatalog):
    def create_table(self, table_path: ObjectPath, table: Any, ignore_if_exists: bool) -> None:
        super().create_table(ObjectPath(table_path.database_name, table_path.object_name.lower()), table, ignore_if_exists)


@bug("names lose spaces", "databases_keep_their_names")
class _M(ShelfCatalog):
    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        super().create_database(name.strip(), database, ignore_if_exists)


@bug("a missing table is a KeyError", "errors_about_unknown_tables")
class _N(ShelfCatalog):
    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        if self.table_exists(table_path) or not ignore_if_not_exists:
            del self.store["tables"][table_path]


@bug("an error is no CatalogException", "a_table_that_exists")
class _O(ShelfCatalog):
    def create_table(self, table_path: ObjectPath, table: Any, ignore_if_exists: bool) -> None:
        if self.table_exists(table_path) and not ignore_if_exists:
            raise TableException(f"{table_path} exists.")
        super().create_table(table_path, table, ignore_if_exists)


@bug("an error says that somebody else changed the table", "a_table_that_exists")
class _P(ShelfCatalog):
    def create_table(self, table_path: ObjectPath, table: Any, ignore_if_exists: bool) -> None:
        if self.table_exists(table_path) and not ignore_if_exists:
            raise CatalogConflictException(f"{table_path} exists.")
        super().create_table(table_path, table, ignore_if_exists)


@bug("an error does not name its object", "unknown_objects_are_an_error")
class _Q(ShelfCatalog):
    def _get(self, what: str, kept: dict[Any, Any], key: Any) -> Any:
        return super()._get(what, kept, key if key in kept else "it")


@bug("tables of an unknown database are listed", "unknown_databases_are_an_error")
class _R(ShelfCatalog):
    def list_tables(self, database_name: str) -> list[str]:
        return super().list_tables(database_name) if self.database_exists(database_name) else []


@bug("cascade is not needed", "holds_something_is_dropped_only_by_cascade")
class _S(ShelfCatalog):
    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        super().drop_database(name, ignore_if_not_exists, True)


@bug("cascade leaves functions", "cascade_drops_what")
class _T(ShelfCatalog):
    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        functions = {path: function for path, function in self.store["functions"].items() if cascade and path.database_name == name}
        super().drop_database(name, ignore_if_not_exists, cascade)
        self.store["functions"].update(functions)


@bug("cascade drops tables of databases with similar names", "cascade_drops_what")
class _U(ShelfCatalog):
    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        super().drop_database(name, ignore_if_not_exists, cascade)
        for path in [path for path in self.store["tables"] if path.database_name.startswith(name)]:
            del self.store["tables"][path]


@bug("lists are the catalog's own", "lists_that_are_returned")
class _V(ShelfCatalog):
    def list_databases(self) -> list[str]:
        names: list[str] = self.store.setdefault("names", [])
        names += [name for name in self.store["databases"] if name not in names]
        return names


@bug("properties are the caller's own", "databases_share_no_properties")
class _W(ShelfCatalog):
    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        super().create_database(name, database, ignore_if_exists)
        self.store.setdefault("given", {})[name] = dict(database.properties)

    def get_database(self, database_name: str) -> CatalogDatabase:
        found = super().get_database(database_name)
        return _database(self.store["given"][database_name], found.comment) if database_name in self.store.get("given", {}) else found


def _database(properties: dict[str, str], comment: str | None) -> CatalogDatabase:
    made = CatalogDatabase({}, comment)
    object.__setattr__(made, "properties", properties)
    return made


@bug("altered properties are added to the old ones", "databases_are_altered")
class _X(ShelfCatalog):
    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        old = self.get_database(name).properties if self.database_exists(name) else {}
        super().alter_database(name, replace(new_database, properties={**old, **new_database.properties}), ignore_if_not_exists)


@bug("functions replace each other", "function_that_exists_is_not_created_again")
class _Y(ShelfCatalog):
    def create_function(self, function_path: ObjectPath, function: Any, ignore_if_exists: bool) -> None:
        self.store["functions"].pop(function_path, None)
        super().create_function(function_path, function, ignore_if_exists)


@bug("the order of partition keys matters", "order_of_keys_does_not_matter")
class _Z(ShelfCatalog):
    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        return str(partition_spec) in map(str, self.store["partitions"].get(table_path, {}))


@bug("a partition may lack keys", "part_of_the_keys_is_no_partition")
class _Aa(ShelfCatalog):
    def create_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, partition: Any, ignore_if_exists: bool
    ) -> None:
        self._check_partition_keys(table_path, partition_spec)
        if not self.partition_exists(table_path, partition_spec):
            self._put("partitions", table_path, partition_spec, partition)


@bug("partitions are not filtered", "listed_by_a_part")
class _Ab(ShelfCatalog):
    def list_partitions(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None) -> list[CatalogPartitionSpec]:
        return super().list_partitions(table_path)


@bug("a partition without a value is one of no text", "partitions_keep_their_values")
class _Ac(ShelfCatalog):
    def create_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, partition: Any, ignore_if_exists: bool
    ) -> None:
        values = {key: value or None for key, value in partition_spec.partition_spec.items()}
        super().create_partition(table_path, CatalogPartitionSpec(values), partition, True)


@bug("statistics of columns are replaced", "statistics_of_other_columns_stay")
class _Ad(ShelfCatalog):
    def alter_table_column_statistics(self, table_path: ObjectPath, column_statistics: Any, ignore_if_not_exists: bool) -> None:
        self._put("columns", table_path, None, column_statistics)


@bug("statistics of a missing table are kept", "statistics_of_unknown_objects")
class _Ae(ShelfCatalog):
    def alter_table_statistics(self, table_path: ObjectPath, table_statistics: CatalogTableStatistics, ignore_if_not_exists: bool) -> None:
        self._put("statistics", table_path, None, table_statistics)


@bug("a failed transaction keeps its changes", "transaction_that_fails_changes_nothing")
class _Af(ShelfCatalog):
    def undo(self, saved: dict[str, Any]) -> None:
        pass


@bug("a failed transaction keeps its partitions", "transaction_that_fails_changes_nothing")
class _Ag(ShelfCatalog):
    def undo(self, saved: dict[str, Any]) -> None:
        super().undo({key: kept for key, kept in saved.items() if key != "partitions"})


@bug("a transaction keeps nobody out", "nobody_changes_what_a_transaction_reads")
class _Ah(ShelfCatalog):
    def alter_table(self, table_path: ObjectPath, new_table: Any, ignore_if_not_exists: bool) -> None:
        self.store["tables"][table_path] = new_table


@bug("a catalog sees only its own tables", "two_catalogs_over_one_store")
class _Ai(ShelfCatalog):
    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.store = {**self.store, "tables": dict(self.store["tables"])}


@bug("changes that are declared as refused are made", "what_cannot_be_changed_is_refused")
class _Aj(ShelfCatalog):
    def create_model(self, model_path: ObjectPath, model: object, ignore_if_exists: bool) -> None:
        pass


@bug("a missing function exists", "nothing_exists_in_an_unknown_database")
class _Ak(ShelfCatalog):
    def function_exists(self, function_path: ObjectPath) -> bool:
        return True


class ShelfSuite(CatalogCompliance):
    """The suite over the correct catalog, or one that is wrong."""

    persists = True
    made: type[ShelfCatalog] = ShelfCatalog

    def create_catalog(self, folder: Path) -> Catalog:
        return self.made(str(folder))


def failing_tests(folder: Path, made: type[ShelfCatalog], part: str = "") -> list[str]:
    """Returns the tests that fail, among those with the part in their names."""
    failed = []
    suite = ShelfSuite()
    suite.made = made
    for name in dir(suite):
        if name.startswith("test_") and part in name:
            try:
                getattr(suite, name)(folder / name)
            except Exception:
                failed.append(name)
    return failed


def errors_found_by(suite: type) -> list[str]:
    """Returns the titles of the errors that a test of the suite itself, not of its bases, must find."""
    return [title for title, (_, part) in BUGS.items() if any(part in name for name in vars(suite) if name.startswith("test_"))]


def is_found(title: str, folder: Path) -> bool:
    """Returns whether the test about an error fails for the catalog that has it."""
    catalog, part = BUGS[title]
    return failing_tests(folder, catalog, part) != []
