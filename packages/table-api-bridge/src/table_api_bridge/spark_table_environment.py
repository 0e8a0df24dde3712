"""``SparkTableEnvironment``: converts between tables and DataFrames of a Spark session."""

from __future__ import annotations

from typing import Self

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fns

from table_api import Configuration, EnvironmentSettings, Table, TableConfig, TableEnvironment
from table_api.execution import TableSession
from table_api.operations import QueryOperation
from table_api_bridge.changelogs import ROW_KIND, rows_after_changes, with_row_kind
from table_api_bridge.operations import DataFrameQueryOperation
from table_api_bridge.spark_connect import is_spark_connect, streaming_on_connect
from table_api_bridge.types import from_spark_schema
from table_common.annotation import override
from table_common.catalog import ResolvedSchema, Schema
from table_common.exceptions import TableException, ValidationException
from table_common.tree import preorder
from table_common.types import DataType, LogicalType, RowType, parse_logical_type


class SparkTableEnvironment(TableEnvironment):
    """A ``TableEnvironment`` on the planner ``spark`` that converts DataFrames to tables and tables to DataFrames.

    Nothing is collected on the way: a table from a DataFrame is the DataFrame's plan, and a DataFrame from a table is not run until the
    program runs it. The session handed over stays the program's: statements run in clones of it, its options never change, and it is never
    stopped. A DataFrame is one of the program's session, keeps the meaning of its statement, and outlives the environment (not on Spark Connect).

    Example:
        >>> env = SparkTableEnvironment.create(spark)
        >>> env.create_temporary_view("events", spark.createDataFrame([("Mon",), ("Mon",)], "weekday STRING"))
        >>> env.to_data_frame(env.sql_query("SELECT weekday, COUNT(*) AS n FROM events GROUP BY weekday")).collect()
        [Row(weekday='Mon', n=2)]
    """

    @classmethod
    @override
    def create(  # type: ignore[override]  # the session comes first, as in Flink's bridge
        cls,
        spark: SparkSession | EnvironmentSettings | Configuration | TableConfig | None = None,
        environment_settings: EnvironmentSettings | Configuration | TableConfig | None = None,
    ) -> Self:
        """Creates an environment on a Spark session; without one, the planner starts a session with the first query.

        The default mode is batch, and the default time zone the one that the Spark session has now.

        Raises:
            ValidationException: the settings name another planner than ``spark``, or the Spark session's time zone is not known here.
        """
        if spark is not None and not isinstance(spark, SparkSession) and not is_spark_connect(spark):
            if environment_settings is not None:
                raise ValidationException(f"SparkTableEnvironment.create takes a SparkSession first, but got {type(spark).__name__}.")
            spark, environment_settings = None, spark
        return cls(TableSession(_settings(environment_settings), {} if spark is None else {"spark": spark}))

    def from_data_frame(self, data_frame: DataFrame, schema: Schema | ResolvedSchema | DataType | LogicalType | None = None) -> Table:
        """Returns a DataFrame as a table, without running it.

        A query over a streaming DataFrame that keeps no state is a streaming DataFrame too, which ``to_data_frame`` returns. An INSERT in streaming mode
        reads one, and may keep state: each batch of Spark is an epoch.

        Args:
            data_frame: a DataFrame of this environment's Spark session.
            schema: names and types of the columns, by position; by default those of the DataFrame. Spark casts values if its type differs. A ``Schema`` may
                have computed columns and a watermark besides, which counts in streaming mode.

        Raises:
            ValidationException: the DataFrame has no columns, or the schema has another number of physical columns, a metadata column or a wrong expression.
            TableException: a Spark type has no SQL type, or the DataFrame is a streaming one of Spark Connect.
        """
        if data_frame.isStreaming and is_spark_connect(data_frame.sparkSession):
            raise streaming_on_connect()
        if not data_frame.columns:
            raise ValidationException("The DataFrame has no columns, and a table has at least one.")
        resolved = from_spark_schema(data_frame.schema) if schema is None else _resolve(schema)
        if len(resolved.columns) != len(data_frame.columns):
            raise ValidationException(
                f"The schema has {len(resolved.columns)} columns ({', '.join(resolved.column_names)}), "
                f"but the DataFrame has {len(data_frame.columns)} ({', '.join(data_frame.columns)})."
            )
        rows = DataFrameQueryOperation.of(data_frame, resolved)
        if isinstance(schema, Schema) and (schema.watermark_specs or schema.primary_key or len(schema.columns) > len(resolved.columns)):
            return Table(self.session, self.session.rows_with_schema(rows, schema))
        return Table(self.session, rows)

    def to_data_frame(self, table: Table) -> DataFrame:
        """Returns a table as a DataFrame of this environment's Spark session, without running it; field metadata keeps the SQL types.

        Times of more than six digits, which Spark lacks, are BIGINT: nanoseconds since midnight or since 1970. Over streaming DataFrames the result is a
        streaming one, for ``writeStream``.

        Raises:
            TableException: Spark cannot run the plan, or it keeps state over a streaming DataFrame.
        """
        frame = self.session.to_external(table.query_operation)
        assert isinstance(frame, DataFrame)
        for node in preorder(table.query_operation, QueryOperation):
            if isinstance(node, DataFrameQueryOperation) and node.is_streaming:
                return frame if frame.isStreaming else self._empty_stream(node, frame)
        return frame

    def _empty_stream(self, leaf: DataFrameQueryOperation, rows: DataFrame) -> DataFrame:
        """Returns a streaming DataFrame without rows, like a plan from which ``leaf`` has been removed because it gives none."""
        stream = self.session.to_external(leaf)
        assert isinstance(stream, DataFrame)
        columns = [fns.lit(None).cast(field.dataType).alias(field.name, metadata=field.metadata) for field in rows.schema.fields]
        return stream.where(fns.lit(False)).select(*columns)

    def from_changelog_data_frame(self, data_frame: DataFrame, *, row_kind: str = ROW_KIND) -> Table:
        """Returns the rows that remain after all changes of a DataFrame, without running it.

        Args:
            data_frame: changes in any order. An update has two rows, the one before it and the one after it.
            row_kind: the column with the kind of each change: ``+I``, ``-U``, ``+U`` or ``-D``. Another value fails the job.

        Raises:
            ValidationException: the DataFrame has no such column, or it is not text.
            TableException: a Spark type has no SQL type or cannot be compared, or the DataFrame is a streaming one.
        """
        if data_frame.isStreaming:
            raise TableException(
                "The rows that remain after all changes of a streaming DataFrame are never known: it does not end.",
                hint="Take each batch that it gets: data_frame.writeStream.foreachBatch(lambda batch, epoch: env.from_changelog_data_frame(batch)…)",
            )
        columns = from_spark_schema(data_frame.schema).columns
        schema = ResolvedSchema(tuple(column for column in columns if column.name != row_kind))
        return self.from_data_frame(rows_after_changes(data_frame, row_kind), schema)

    def to_changelog_data_frame(self, table: Table, *, row_kind: str = ROW_KIND) -> DataFrame:
        """Returns a table as a DataFrame of changes, without running it: in batch mode each row is an insertion, ``+I``.

        Raises:
            ValidationException: the table has a column named like ``row_kind``.
            TableException: Spark cannot run the plan.
        """
        return with_row_kind(self.to_data_frame(table), row_kind)

    def create_spark_view(self, name: str, table: Table) -> None:
        """Registers a table as a temporary view of the Spark session, for ``spark.sql``; one of that name is replaced.

        The view stays when the environment is closed, until ``spark.catalog.dropTempView(name)``.

        Raises:
            TableException: Spark cannot run the plan.
        """
        self.to_data_frame(table).createOrReplaceTempView(name)

    @override
    def create_temporary_view(self, view_path: str, table_or_data_stream: Table | DataFrame | object) -> None:
        """Registers a table or a DataFrame as a view of this session.

        Raises:
            CatalogException: a temporary table or view of that name exists.
        """
        table = self.from_data_frame(table_or_data_stream) if isinstance(table_or_data_stream, DataFrame) else table_or_data_stream
        super().create_temporary_view(view_path, table)


def _settings(source: EnvironmentSettings | Configuration | TableConfig | None) -> EnvironmentSettings:
    if isinstance(source, TableConfig):
        source = source.get_configuration()
    if source is None:
        configuration = EnvironmentSettings.in_batch_mode().get_configuration()
    elif isinstance(source, EnvironmentSettings):
        configuration = source.get_configuration()
    else:
        configuration = EnvironmentSettings.in_batch_mode().get_configuration().add_all(source)
    settings = EnvironmentSettings.new_instance().with_configuration(configuration).build()
    if settings.planner not in (None, "spark"):
        raise ValidationException(
            f"SparkTableEnvironment runs on the planner 'spark', but the settings name '{settings.planner}'.",
            hint="use TableEnvironment for other planners",
        )
    return EnvironmentSettings.new_instance().with_configuration(configuration).with_planner("spark").build()


def _resolve(schema: Schema | ResolvedSchema | DataType | LogicalType) -> ResolvedSchema:
    match schema:
        case ResolvedSchema():
            return schema
        case DataType():
            return _resolve(schema.logical_type)
        case RowType():
            return ResolvedSchema.physical(zip(schema.field_names, schema.field_types, strict=True))
        case Schema():
            fields: list[tuple[str, LogicalType]] = []
            for column in schema.columns:
                if column.is_metadata:
                    raise ValidationException(
                        f"The column '{column.name}' is a metadata column, and a DataFrame has physical columns only."
                    )
                type_ = column.data_type
                if type_ is None:
                    continue  # computed from the others
                fields.append((column.name, parse_logical_type(type_) if isinstance(type_, str) else type_))
            return ResolvedSchema.physical(fields)
        case _:
            raise ValidationException(f"The schema of a DataFrame must be a Schema or a ROW type, but got {schema}.")
