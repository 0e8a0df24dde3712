"""A catalog of a Spark session, by its name there: the session catalog (Hive metastore or in memory), Iceberg, Delta, JDBC and others."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

from pyspark.sql import SparkSession

from table_api_bridge.catalog.statements import SPARK_ERRORS, first_line, pairs, quoted, run, text, unquoted
from table_api_bridge.catalog.table_definition import create_statement, own_properties, read_definition
from table_common.annotation import override
from table_common.catalog import (
    Catalog,
    CatalogBaseTable,
    CatalogDatabase,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTable,
    CatalogTableStatistics,
    CatalogView,
    ObjectPath,
)
from table_common.catalog_exceptions import (
    DatabaseAlreadyExistException,
    DatabaseNotEmptyException,
    DatabaseNotExistException,
    PartitionAlreadyExistsException,
    TableAlreadyExistException,
    TableNotExistException,
)
from table_common.exceptions import CatalogException
from table_common.types import DataType, LogicalType, parse_logical_type

SESSION_CATALOG = "spark_catalog"
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class SparkCatalog(Catalog):
    """A view of a Spark catalog: each method runs a statement in Spark, and nothing is cached.

    Tables and views of Spark are tables of the connector ``spark``. A Spark view is read as a table, since its query is Spark SQL. As in Spark,
    dropping a managed table deletes its data.
    """

    def __init__(
        self, name: str, spark: Callable[[], SparkSession], spark_name: str = SESSION_CATALOG, default_database: str = "default"
    ) -> None:
        """``name`` is the name in the table environment, ``spark_name`` that in Spark; ``spark`` is called when the catalog is opened."""
        self.name = name
        self._session = spark
        self._spark_name = spark_name
        self._default_database = default_database
        self._opened: SparkSession | None = None

    @property
    @override
    def default_database(self) -> str:
        return self._default_database

    @override
    def open(self) -> None:
        self._opened = self._session()
        if self._spark_name != SESSION_CATALOG and self._spark.conf.get(f"spark.sql.catalog.{self._spark_name}", None) is None:
            prefix = "spark.sql.catalog."
            keys = (key.removeprefix(prefix) for key in self._spark.conf.getAll if key.startswith(prefix))
            known = {SESSION_CATALOG, *(key for key in keys if "." not in key)}
            error = CatalogException.unknown("Catalog", self._spark_name, known, where="the Spark session")
            error.hint = f"Spark finds it by the option spark.sql.catalog.{self._spark_name}"
            raise error

    # --- databases ---------------------------------------------------------------------------------------------------------------

    @override
    def list_databases(self) -> list[str]:
        rows = run(self._spark, f"SHOW NAMESPACES IN {quoted(self._spark_name)}", f"list the databases of catalog '{self.name}'")
        return sorted(unquoted(row[0]) for row in rows)

    @override
    def database_exists(self, database_name: str) -> bool:
        return database_name in self.list_databases()

    @override
    def get_database(self, database_name: str) -> CatalogDatabase:
        if not self.database_exists(database_name):
            raise DatabaseNotExistException.unknown("Database", database_name, self.list_databases(), where=f"catalog '{self.name}'")
        rows = run(self._spark, f"DESCRIBE NAMESPACE EXTENDED {self._database(database_name)}", f"describe the database '{database_name}'")
        values = {row[0]: row[1] for row in rows}
        return CatalogDatabase({"location": values["Location"]} if values.get("Location") else {}, values.get("Comment") or None)

    @override
    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        if self.database_exists(name):
            if ignore_if_exists:
                return
            raise DatabaseAlreadyExistException(f"Database '{name}' exists already in catalog '{self.name}'.")
        properties = dict(database.properties)
        location = properties.pop("location", None)
        clauses = [
            f"CREATE NAMESPACE {'IF NOT EXISTS ' if ignore_if_exists else ''}{self._database(name)}",
            f"COMMENT {text(database.comment)}" if database.comment is not None else "",
            f"LOCATION {text(location)}" if location is not None else "",
            f"WITH DBPROPERTIES {pairs(properties)}" if properties else "",
        ]
        run(self._spark, " ".join(filter(None, clauses)), f"create the database '{name}'")

    @override
    def alter_database(self, name: str, new_database: CatalogDatabase, ignore_if_not_exists: bool) -> None:
        if ignore_if_not_exists and not self.database_exists(name):
            return
        self.get_database(name)
        properties = {key: value for key, value in new_database.properties.items() if key != "location"}
        if properties:
            run(self._spark, f"ALTER NAMESPACE {self._database(name)} SET DBPROPERTIES {pairs(properties)}", f"alter the database '{name}'")

    @override
    def drop_database(self, name: str, ignore_if_not_exists: bool, cascade: bool = False) -> None:
        if ignore_if_not_exists and not self.database_exists(name):
            return
        self.get_database(name)
        tables = self.list_tables(name)
        if tables and not cascade:
            raise DatabaseNotEmptyException(
                f"Database '{name}' of catalog '{self.name}' is not empty: it contains {len(tables)} tables and views.",
                hint="DROP DATABASE … CASCADE drops them too.",
            )
        run(self._spark, f"DROP NAMESPACE {self._database(name)}{' CASCADE' if cascade else ''}", f"drop the database '{name}'")

    # --- tables ------------------------------------------------------------------------------------------------------------------

    @override
    def list_tables(self, database_name: str) -> list[str]:
        rows = self._listed("SHOW TABLES", database_name)
        return sorted(row["tableName"] for row in rows if not row["isTemporary"])

    @override
    def list_views(self, database_name: str) -> list[str]:
        if self._spark_name != SESSION_CATALOG:  # Spark lists the views of its own catalog only
            self.get_database(database_name)
            return []
        return sorted(row["viewName"] for row in self._listed("SHOW VIEWS", database_name) if not row["isTemporary"])

    @override
    def table_exists(self, table_path: ObjectPath) -> bool:
        try:
            return self._spark.catalog.tableExists(self._table(table_path))
        except SPARK_ERRORS as error:
            raise CatalogException(f"Spark cannot look for {table_path}: {first_line(error)}") from error

    @override
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        if not self.table_exists(table_path):
            names = self.list_tables(table_path.database_name)
            raise TableNotExistException.unknown("Table", table_path.object_name, names, where=f"{self.name}.{table_path.database_name}")
        return read_definition(self._spark, self._table(table_path))

    @override
    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        if isinstance(table, CatalogView) or not isinstance(table, CatalogTable):
            raise CatalogException(
                f"The view {table_path} cannot be stored in Spark, which would read its query as Spark SQL.",
                hint="CREATE TEMPORARY VIEW, or create it in a catalog of another type",
            )
        self.get_database(table_path.database_name)
        if self.table_exists(table_path):
            if ignore_if_exists:
                return
            raise TableAlreadyExistException(f"Table or view {table_path} exists already in catalog '{self.name}'.")
        statement = create_statement(self._table(table_path), table, is_session_catalog=self._spark_name == SESSION_CATALOG)
        run(self._spark, statement, f"create the table {table_path}")

    @override
    def alter_table(self, table_path: ObjectPath, new_table: CatalogBaseTable, ignore_if_not_exists: bool) -> None:
        if ignore_if_not_exists and not self.table_exists(table_path):
            return
        old = self.get_table(table_path)
        if _columns(old) != _columns(new_table):
            raise CatalogException(f"The columns of {table_path} cannot be altered here, only its properties and comment: use Spark.")
        before, after = own_properties(old.options), own_properties(new_table.options)
        if {key: old.options.get(key) for key in old.options.keys() - before.keys()} != {
            key: new_table.options.get(key) for key in new_table.options.keys() - after.keys()
        }:
            raise CatalogException(f"Provider, location and options of {table_path} cannot be altered: drop the table and create it again.")
        name, doing = self._table(table_path), f"alter the table {table_path}"
        changed = {key: value for key, value in after.items() if before.get(key) != value}
        if changed:
            run(self._spark, f"ALTER TABLE {name} SET TBLPROPERTIES {pairs(changed)}", doing)
        removed = sorted(before.keys() - after.keys())
        if removed:
            run(self._spark, f"ALTER TABLE {name} UNSET TBLPROPERTIES ({', '.join(map(text, removed))})", doing)
        if new_table.comment != old.comment:
            run(self._spark, f"COMMENT ON TABLE {name} IS {text(new_table.comment) if new_table.comment is not None else 'NULL'}", doing)

    @override
    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        if ignore_if_not_exists and not self.table_exists(table_path):
            return
        self.get_table(table_path)
        new_path = ObjectPath(table_path.database_name, new_table_name)
        if self.table_exists(new_path):
            raise TableAlreadyExistException(f"Table or view {new_path} exists already in catalog '{self.name}'.")
        run(
            self._spark,
            f"ALTER TABLE {self._table(table_path)} RENAME TO {quoted(new_path.database_name, new_path.object_name)}",
            f"rename the table {table_path}",
        )

    @override
    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        if ignore_if_not_exists and not self.table_exists(table_path):
            return
        kind = "VIEW" if self.get_table(table_path).options.get("type") == "VIEW" else "TABLE"
        run(self._spark, f"DROP {kind} {self._table(table_path)}", f"drop the table {table_path}")

    # --- partitions and statistics -----------------------------------------------------------------------------------------------

    @override
    def list_partitions(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec | None = None) -> list[CatalogPartitionSpec]:
        self._check_partition_keys(table_path, partition_spec)
        rows = run(self._spark, f"SHOW PARTITIONS {self._table(table_path)}", f"list the partitions of {table_path}")
        specs = [_spec(row[0]) for row in rows]
        return sorted((spec for spec in specs if partition_spec is None or partition_spec.contains(spec)), key=str)

    @override
    def partition_exists(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> bool:
        return partition_spec in self.list_partitions(table_path)

    @override
    def get_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec) -> CatalogPartition:
        if not self.partition_exists(table_path, partition_spec):
            raise self._no_partition(table_path, partition_spec)
        return CatalogPartition()

    @override
    def create_partition(
        self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, partition: CatalogPartition, ignore_if_exists: bool
    ) -> None:
        spec = partition_spec.completed(self._check_partition_keys(table_path, partition_spec), f"table {table_path}")
        if self.partition_exists(table_path, spec):
            if ignore_if_exists:
                return
            raise PartitionAlreadyExistsException(f"Partition ({spec}) exists already in table {table_path}.")
        unknown = sorted(partition.properties.keys() - {"location"})
        if unknown:
            raise CatalogException(f"A partition of Spark has no options but 'location', and got '{unknown[0]}'.")
        location = f" LOCATION {text(partition.properties['location'])}" if "location" in partition.properties else ""
        self._alter_partition(table_path, f"ADD PARTITION {_clause(spec)}{location}", "add a partition to")

    @override
    def drop_partition(self, table_path: ObjectPath, partition_spec: CatalogPartitionSpec, ignore_if_not_exists: bool) -> None:
        if self.partition_exists(table_path, partition_spec):
            self._alter_partition(table_path, f"DROP PARTITION {_clause(partition_spec)}", "drop a partition of")
        elif not ignore_if_not_exists:
            raise self._no_partition(table_path, partition_spec)

    @override
    def get_table_statistics(self, table_path: ObjectPath) -> CatalogTableStatistics:
        self.get_table(table_path)
        rows = run(self._spark, f"DESCRIBE TABLE EXTENDED {self._table(table_path)}", f"describe {table_path}")
        parts = next((str(row[1]) for row in rows if row[0] == "Statistics"), "").split(", ")
        found = {unit: int(number) for number, _, unit in (part.partition(" ") for part in parts) if number.isdigit()}
        return CatalogTableStatistics(found.get("rows"), total_size=found.get("bytes"))

    # --- parts -------------------------------------------------------------------------------------------------------------------

    @property
    def _spark(self) -> SparkSession:
        if self._opened is None:
            raise CatalogException(f"The catalog '{self.name}' is not open.")
        return self._opened

    def _database(self, database_name: str) -> str:
        return quoted(self._spark_name, database_name)

    def _table(self, path: ObjectPath) -> str:
        return quoted(self._spark_name, path.database_name, path.object_name)

    def _listed(self, statement: str, database_name: str) -> list[dict[str, str]]:
        try:
            return [row.asDict() for row in self._spark.sql(f"{statement} IN {self._database(database_name)}").collect()]
        except SPARK_ERRORS as error:
            if not self.database_exists(database_name):
                raise DatabaseNotExistException.unknown(
                    "Database", database_name, self.list_databases(), where=f"catalog '{self.name}'"
                ) from error
            raise CatalogException(f"Spark cannot list the tables of '{database_name}': {first_line(error)}") from error

    def _alter_partition(self, table_path: ObjectPath, change: str, doing: str) -> None:
        run(self._spark, f"ALTER TABLE {self._table(table_path)} {change}", f"{doing} {table_path}")

    @override
    def _read_only(self, what: str) -> CatalogException:
        return CatalogException(f"The catalog '{self.name}' cannot {what}: do this in Spark.", hint="spark.sql(…)")


def _columns(table: CatalogBaseTable) -> object:
    """Returns the parts that cannot be altered here, with normalized types, without NOT NULL, which tables of files do not have."""
    schema = table.schema
    columns = [
        (column.name, _type_text(column.data_type), column.expression, column.metadata_key, column.comment) for column in schema.columns
    ]
    return columns, schema.watermark_specs, schema.primary_key, tuple(getattr(table, "partition_keys", ()))


def _type_text(data_type: LogicalType | DataType | str | None) -> str | None:
    if isinstance(data_type, DataType):
        data_type = data_type.logical_type
    if isinstance(data_type, str):
        data_type = parse_logical_type(data_type)
    return data_type.with_nullability(True).serializable() if data_type is not None else None


def _spec(text_: str) -> CatalogPartitionSpec:
    parts = (part.partition("=") for part in text_.split("/"))
    return CatalogPartitionSpec({unquote(key): None if value == _NO_VALUE else unquote(value) for key, _, value in parts})


def _clause(spec: CatalogPartitionSpec) -> str:
    values = ((key, "NULL" if value is None else text(value)) for key, value in spec.partition_spec.items())
    return "(" + ", ".join(f"{quoted(key)} = {value}" for key, value in values) + ")"
