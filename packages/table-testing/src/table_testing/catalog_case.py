"""The declaration of a catalog under test, and helpers of the suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from table_common.catalog import Catalog, CatalogBaseTable, CatalogDatabase, CatalogTable, CatalogView, ObjectPath, Schema
from table_common.exceptions import CatalogConflictException, CatalogException
from table_common.types import DataType, LogicalType, parse_logical_type

FAMILIES = frozenset({"databases", "tables", "views", "functions", "partitions", "statistics", "models"})
"""The kinds of objects that a catalog may let its users change."""
MISSING = "no_such_object"


class CatalogCase:
    """One catalog under test; subclass it through ``CatalogCompliance``, and say:

    - ``create_catalog``: returns a catalog that is not open yet; what it stores is in ``folder``, if it stores anything;
    - ``families``: which kinds of objects users may change; those that are left out have to be refused. An empty set is a read-only catalog;
    - ``persists``: whether two catalogs over one folder show the same objects;
    - ``table``, ``full_table``, ``view``: a small table, one with everything that the catalog keeps, and a view;
    - ``names``: names that are kept as they are; leave out those that the external system cannot have.
    """

    families: ClassVar[frozenset[str]] = FAMILIES - {"models"}
    persists: ClassVar[bool] = False
    table_options: ClassVar[Mapping[str, str]] = {"connector": "datagen"}
    names: ClassVar[tuple[str, ...]] = (
        "lower",
        "Lower",
        "LOWER",
        "a `tick`",
        "a.b",
        "a/b\\c",
        'a "quote"',
        "an 'apostrophe'",
        " spaces ",
        "Größe ✓ 表",
        "per%cent_",
        "select",
        "-- comment; DROP",
        "1",
    )

    def create_catalog(self, folder: Path) -> Catalog:
        """Returns a catalog that is not open; ``folder`` is the test's own, and catalogs with the same folder share what they store.

        Raises:
            NotImplementedError: the suite does not define the method.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no create_catalog")

    def table(self, comment: str | None = None, partition_keys: tuple[str, ...] = ()) -> CatalogTable:
        """Returns a table with the columns ``id``, ``name``, ``day`` and ``hour``."""
        builder = Schema.new_builder().column("id", "BIGINT NOT NULL").column("name", "STRING")
        schema = builder.column("day", "STRING").column("hour", "STRING").build()
        return CatalogTable(schema, comment, self.table_options, partition_keys)

    def full_table(self) -> CatalogTable:
        """Returns a table with all kinds of columns, comments, a key, a watermark and partition keys; omit what the catalog cannot store."""
        builder = Schema.new_builder().column("id", "BIGINT NOT NULL").with_comment("the 'key' of a row; ✓")
        builder = builder.column("na`me", "ROW<`a b` DECIMAL(10, 2), tags ARRAY<STRING NOT NULL>>").column("day", "STRING")
        builder = builder.column_by_expression("twice", "`id` * 2").column("at", "TIMESTAMP(3)").with_comment("")
        builder = builder.column_by_metadata("file", "STRING", "file.name", True)
        schema = builder.watermark("at", "`at` - INTERVAL '5' SECOND").primary_key("id").build()
        options = {**self.table_options, "Größe": "a 'b' \"c\" `d`\n\\", "empty": "", "name": "${env:NAME}"}
        return CatalogTable(schema, 'what it\'s for: "everything" ✓\n', options, ("day",))

    def view(self, comment: str | None = "a view's comment") -> CatalogView:
        """Returns a view."""
        schema = Schema.new_builder().column("twice", "BIGINT NOT NULL").column("say", "STRING").build()
        return CatalogView(
            schema,
            comment,
            {},
            "SELECT id * 2 AS twice, 'it''s' AS say FROM t",
            "SELECT `t`.`id` * 2 AS `twice`, 'it''s' AS `say` FROM `c`.`d`.`t`",
        )

    # --- helpers of the suites ------------------------------------------------------------------------------------------------------

    def changes(self, *families: str) -> bool:
        """Returns whether users may change objects of all these kinds."""
        return self.families.issuperset(families)

    @contextmanager
    def opened(self, folder: Path) -> Iterator[Catalog]:
        """Opens a catalog for the duration of the context."""
        catalog = self.create_catalog(folder)
        catalog.open()
        try:
            yield catalog
        finally:
            catalog.close()

    def database(self, catalog: Catalog, name: str = "suite_db") -> str:
        """Returns an empty database; where databases cannot be created, the default one."""
        if not self.changes("databases"):
            return catalog.default_database
        catalog.create_database(name, CatalogDatabase(), False)
        return name

    def stored(self, catalog: Catalog, name: str = "t", partition_keys: tuple[str, ...] = ()) -> ObjectPath:
        """Returns the path of a new table; in the database ``suite_db`` where databases can be created."""
        database = "suite_db" if self.changes("databases") else catalog.default_database
        if not catalog.database_exists(database):
            self.database(catalog)
        path = ObjectPath(database, name)
        catalog.create_table(path, self.table(partition_keys=partition_keys), False)
        return path


def fails(name: str, call: Any, *arguments: Any) -> str:
    """Returns the message of the ``CatalogException`` that a call raises, which has the object's name.

    Raises:
        AssertionError: the call raises no ``CatalogException``.
    """
    try:
        call(*arguments)
    except CatalogConflictException as error:
        raise AssertionError(f"{call.__name__} says that somebody else changed an object: {error}") from error
    except CatalogException as error:
        message = str(error)
    except Exception as error:
        raise AssertionError(f"{call.__name__} raises {type(error).__name__}, which is no CatalogException: {error}") from error
    else:
        raise AssertionError(f"{call.__name__} does not raise an error")
    assert name in message.replace("``", "`"), f"{call.__name__} does not name '{name}' in its error: {message}"
    return message


def described(table: CatalogBaseTable) -> dict[str, object]:
    """Returns all parts of a table or view that a catalog stores, with normalized types."""
    parts: dict[str, object] = {"comment": table.comment, "options": dict(table.options)}
    schema = table.schema
    parts["columns"] = [
        (column.name, _type_text(column.data_type), column.expression, column.metadata_key, column.is_virtual, column.comment)
        for column in schema.columns
    ]
    parts["watermarks"] = [(spec.column_name, spec.expression) for spec in schema.watermark_specs]
    parts["primary key"] = schema.primary_key.column_names if schema.primary_key is not None else None
    if isinstance(table, CatalogTable):
        parts["partition keys"], parts["distribution"] = tuple(table.partition_keys), table.distribution
    if isinstance(table, CatalogView):
        parts["queries"] = (table.original_query, table.expanded_query)
    return parts


def try_to_change(mapping: Mapping[str, str]) -> None:
    """Changes a mapping, unless it is immutable."""
    if hasattr(mapping, "__setitem__"):
        mapping["changed"] = "from outside"


def _type_text(data_type: LogicalType | DataType | str | None) -> str | None:
    if isinstance(data_type, DataType):
        data_type = data_type.logical_type
    if isinstance(data_type, str):
        data_type = parse_logical_type(data_type)
    return data_type.serializable() if data_type is not None else None
