"""Converts Spark's table definitions to catalog tables, and these to Spark's CREATE TABLE.

A table created here stores the SQL types of its columns as table properties in Spark, since some have no Spark type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from table_api_bridge.catalog.statements import SPARK_ERRORS, first_line, pairs, quoted, run, text
from table_api_bridge.types import LOGICAL_TYPE_KEY, from_spark_schema, spark_type_sql, to_spark_type
from table_common.catalog import CatalogTable, Schema, UnresolvedColumn
from table_common.exceptions import CatalogException, TableError
from table_common.types import LogicalType, parse_logical_type

CONNECTOR = "spark"
_TYPE_PROPERTY = "table.type."
_OPTION = "option."
_RESERVED = ("connector", "table", "provider", "location", "type")
_RAW_TYPE = "__CHAR_VARCHAR_TYPE_STRING"
"""The field metadata in which Spark stores CHAR and VARCHAR, which its schemas show as STRING."""


def read_definition(spark: SparkSession, name: str) -> CatalogTable:
    """Returns the definition of a table or view of Spark; ``name`` is quoted.

    Its options are those of the connector ``spark`` (``table``, ``provider``, ``location``, ``type``, ``option.…``) and the table's properties.

    Raises:
        CatalogException: Spark cannot describe it, or a column has a Spark type without a SQL type.
    """
    described = _described(spark, name)
    try:
        schema = spark.table(name).schema
    except SPARK_ERRORS as error:
        raise CatalogException(f"Spark cannot read the columns of {name}: {first_line(error)}") from error
    properties = {key: str(value) for key, value in described.get("table_properties", {}).items()}
    types = {key.removeprefix(_TYPE_PROPERTY): value for key, value in properties.items() if key.startswith(_TYPE_PROPERTY)}
    fields = [_with_own_type(field, types.get(field.name)) for field in schema.fields]
    try:
        resolved = from_spark_schema(spark_types.StructType(fields))
    except TableError as error:
        raise CatalogException(f"The table {name} of Spark cannot be used: {error.message}", hint=error.hint) from error
    columns = tuple(
        UnresolvedColumn(column.name, column.data_type, comment=field.metadata.get("comment"))
        for column, field in zip(resolved.columns, schema.fields, strict=True)
    )
    options = {
        "connector": CONNECTOR,
        "table": name,
        **{key: str(described[key]) for key in ("provider", "location", "type") if described.get(key)},
        **{f"{_OPTION}{key}": str(value) for key, value in described.get("storage_properties", {}).items()},
        **{key: value for key, value in properties.items() if key not in _RESERVED and not key.startswith(_TYPE_PROPERTY)},
    }
    return CatalogTable(Schema(columns), described.get("comment"), options, tuple(described.get("partition_columns", ())))


def _described(spark: SparkSession, name: str) -> dict[str, Any]:
    try:
        return dict(json.loads(spark.sql(f"DESCRIBE TABLE EXTENDED {name} AS JSON").collect()[0][0]))
    except SPARK_ERRORS:
        pass  # tables of catalogs other than Spark's own have no description in JSON
    rows = run(spark, f"DESCRIBE TABLE EXTENDED {name}", f"describe {name}")
    values = {str(row[0]).lower(): row[1] for row in rows if row[0] and row[1]}
    names = [row[0] for row in rows]
    description: dict[str, Any] = {key: values[key] for key in ("provider", "location", "type", "comment") if key in values}
    if "# Partition Information" in names:
        start = names.index("# Partition Information") + 2
        stop = next((i for i in range(start, len(names)) if not names[i] or names[i].startswith("#")), len(names))
        description["partition_columns"] = names[start:stop]
    try:
        description["table_properties"] = {row[0]: row[1] for row in spark.sql(f"SHOW TBLPROPERTIES {name}").collect()}
    except SPARK_ERRORS:
        description["table_properties"] = {}
    return description


def _with_own_type(field: spark_types.StructField, declared: str | None) -> spark_types.StructField:
    metadata = dict(field.metadata or {})
    raw = metadata.get(_RAW_TYPE)
    if declared is None and isinstance(raw, str):
        declared = raw.upper()
    if declared is not None:
        metadata[LOGICAL_TYPE_KEY] = declared
    return spark_types.StructField(field.name, field.dataType, field.nullable, metadata)


def own_properties(options: Mapping[str, str]) -> dict[str, str]:
    """Returns the options that Spark stores as table properties."""
    return {key: value for key, value in options.items() if key not in _RESERVED and not key.startswith(_OPTION)}


def create_statement(name: str, table: CatalogTable, *, is_session_catalog: bool) -> str:
    """Returns Spark's CREATE TABLE for a table; ``name`` is quoted.

    Raises:
        CatalogException: Spark cannot store a part of the definition.
    """
    schema, options = table.schema, table.options
    for present, what in (
        (any(column.expression is not None for column in schema.columns), "computed columns"),
        (any(column.is_metadata for column in schema.columns), "metadata columns"),
        (bool(schema.watermark_specs), "watermarks"),
        (schema.primary_key is not None, "primary keys"),
        (table.distribution is not None, "DISTRIBUTED BY"),
        (options.get("connector", CONNECTOR) != CONNECTOR, f"tables of the connector '{options.get('connector')}'"),
        ("table" in options, "the option 'table', which is the name of the table itself"),
    ):
        if present:
            raise CatalogException(f"Spark's catalogs cannot store {what}, so {name} is not created.", hint="use a catalog of another type")
    types: dict[str, str] = {}
    columns = []
    for column in schema.columns:
        data_type = parse_logical_type(column.data_type) if isinstance(column.data_type, str) else column.data_type
        assert isinstance(data_type, LogicalType)
        types[f"{_TYPE_PROPERTY}{column.name}"] = data_type.with_nullability(True).serializable()
        comment = f" COMMENT {text(column.comment)}" if column.comment is not None else ""
        not_null = "" if data_type.nullable else " NOT NULL"
        columns.append(f"{quoted(column.name)} {_type_text(data_type)}{not_null}{comment}")
    provider = options.get("provider", "parquet" if is_session_catalog else None)
    settings = {key.removeprefix(_OPTION): value for key, value in options.items() if key.startswith(_OPTION)}
    clauses = [
        f"CREATE TABLE {name} ({', '.join(columns)})",
        f"USING {quoted(provider)}" if provider is not None else "",
        f"OPTIONS {pairs(settings)}" if settings else "",
        f"PARTITIONED BY ({', '.join(map(quoted, table.partition_keys))})" if table.partition_keys else "",
        f"COMMENT {text(table.comment)}" if table.comment is not None else "",
        f"LOCATION {text(options['location'])}" if "location" in options else "",
        f"TBLPROPERTIES {pairs({**own_properties(options), **types})}" if is_session_catalog or own_properties(options) else "",
    ]
    return " ".join(filter(None, clauses))


def _type_text(data_type: LogicalType) -> str:
    try:
        return spark_type_sql(to_spark_type(data_type))
    except TableError as error:
        raise CatalogException(f"Spark cannot store a column of type {data_type}: {error.message}", hint=error.hint) from error
