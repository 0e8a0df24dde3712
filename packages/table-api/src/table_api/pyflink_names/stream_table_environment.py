"""``StreamTableEnvironment``: rows of Python and data frames stand for data streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

from table_api.environment.table_environment import TableEnvironment
from table_api.environment_settings import EnvironmentSettings
from table_api.expressions import Expression
from table_api.pyflink_names.datastream import DataStream, StreamExecutionEnvironment
from table_api.table_config import TableConfig
from table_api.table_result import CloseableIterator
from table_api.tables.table import Table
from table_common.annotation import override
from table_common.catalog import Schema, UnresolvedColumn
from table_common.configuration import Configuration
from table_common.connector import ChangelogMode
from table_common.data import Row, RowKind
from table_common.exceptions import ValidationException
from table_common.types import DataType, RowType, VarCharType, is_rowtime, parse_logical_type


class StreamTableEnvironment(TableEnvironment):
    """A ``TableEnvironment`` with PyFlink's methods of data streams. A stream is an iterable of rows, a data frame, or a ``DataStream``.

    Example:
        >>> t_env = StreamTableEnvironment.create(environment_settings=EnvironmentSettings.in_batch_mode())
        >>> numbers = t_env.from_data_stream([(1, "a"), (2, "b")], col("id"), col("name"))
        >>> [tuple(row) for row in t_env.to_data_stream(numbers.filter(numbers.id > 1))]
        [(2, 'b')]

    Source: PyFlink's ``pyflink.table.StreamTableEnvironment``.
    """

    @classmethod
    @override
    def create(  # type: ignore[override]  # the environment of streams comes first, as in PyFlink
        cls,
        stream_execution_environment: StreamExecutionEnvironment | None = None,
        environment_settings: EnvironmentSettings | Configuration | TableConfig | None = None,
    ) -> Self:
        """Creates an environment; the options of ``environment_settings`` replace those of the environment of streams.

        Raises:
            ValidationException: the planner is not installed, or an option does not accept its value.
        """
        if stream_execution_environment is None:
            return super().create(environment_settings)
        if not isinstance(stream_execution_environment, StreamExecutionEnvironment):
            raise ValidationException(
                f"StreamTableEnvironment.create takes a StreamExecutionEnvironment first, but got {type(stream_execution_environment).__name__}.",
                hint="StreamTableEnvironment.create(environment_settings=…)",
            )
        configuration = stream_execution_environment.get_configuration()
        if isinstance(environment_settings, (EnvironmentSettings, TableConfig)):
            environment_settings = environment_settings.get_configuration()
        if environment_settings is not None:
            configuration.add_all(environment_settings)
        made = super().create(configuration)
        for method, arguments in stream_execution_environment.dependencies:
            getattr(made, method)(*arguments)
        return made

    def from_data_stream(self, data_stream: DataStream | Iterable[Any] | Any, *fields_or_schema: Expression | Schema) -> Table:
        """Returns a stream as a table of inserted rows.

        Args:
            data_stream: rows, Arrow data or a data frame of pandas or polars, or a ``DataStream``.
            fields_or_schema: the names of the columns by position; or expressions over the columns ``f0``, ``f1``, … or the names of the
                rows; or one ``Schema`` with physical and computed columns, a key, a watermark and the metadata column ``rowtime``. Its
                physical columns are columns of the stream by name, or by position if the stream has no such names; its expressions may use
                those that it leaves out, too.

        Raises:
            ValidationException: the columns do not match the rows, or the schema has a metadata column other than ``rowtime``.
        """
        if len(fields_or_schema) == 1 and isinstance(schema := fields_or_schema[0], Schema):
            return self._with_schema(self._physical(data_stream, _physical_columns(schema)), schema, _timestamp_column(data_stream))
        table = self._table_of(data_stream, None)
        fields = [field for field in fields_or_schema if isinstance(field, Expression)]
        if len(fields) != len(fields_or_schema):
            raise ValidationException(
                "from_data_stream takes expressions, or one Schema.", hint="from_data_stream(stream, col('a'), col('b'))"
            )
        if not fields:
            return table
        names = [str(field) for field in fields]
        is_positional = all(name.isidentifier() for name in names) and not set(names) & set(table.get_schema().get_field_names())
        return table.alias(*names) if is_positional else table.select(*fields)

    def from_changelog_stream(
        self, data_stream: DataStream | Iterable[Any], schema: Schema | None = None, changelog_mode: ChangelogMode | None = None
    ) -> Table:
        """Returns rows, each with its ``RowKind``, as a table that they insert into, update and delete from.

        Args:
            data_stream: ``Row`` objects, as ``Row.of_kind`` makes them.
            schema: physical columns, by name or else by position, computed columns, the metadata column ``rowtime``, a watermark and a key;
                by default the columns are those of the stream.
            changelog_mode: the kinds that occur; other kinds are an error. Without UPDATE_BEFORE, the schema needs a key, and an update or a
                deletion concerns the row with its key.

        Raises:
            ValidationException: an element is not a ``Row``, has a kind that ``changelog_mode`` does not have, or upserts have no key.
        """
        rows = list(data_stream)
        for number, row in enumerate(rows, 1):
            if not isinstance(row, Row):
                raise ValidationException(
                    f"Element {number} of the changelog is a {type(row).__name__}, but a change is a Row.",
                    hint="Row.of_kind(RowKind.INSERT, …)",
                )
            if changelog_mode is not None and not changelog_mode.contains(row.get_row_kind()):
                raise ValidationException(
                    f"Element {number} is of the kind {row.get_row_kind().name}, which the changelog mode does not have."
                )
        key = () if schema is None or schema.primary_key is None else schema.primary_key.column_names
        is_upsert = (
            changelog_mode is not None
            and changelog_mode.contains(RowKind.UPDATE_AFTER)
            and not changelog_mode.contains(RowKind.UPDATE_BEFORE)
        )
        if is_upsert and not key:
            raise ValidationException(
                "The changelog has UPDATE_AFTER but no UPDATE_BEFORE, so its rows need a key.",
                hint="Schema.new_builder().primary_key('id').build()",
            )
        schema = Schema() if schema is None else schema
        elements = DataStream(lambda: (tuple(row) for row in rows), data_stream.get_type() if isinstance(data_stream, DataStream) else None)
        values = self._physical(elements, _physical_columns(schema))
        names = values.get_schema().get_field_names()
        types = values.get_resolved_schema().to_row_type().field_types
        if is_upsert:
            from table_api.pyflink_names.stream_schemas import changes_of_upserts  # few streams are upserts

            rows = list(changes_of_upserts(rows, [names.index(name) for name in key if name in names]))
        if not self.session.is_streaming_mode:
            remaining = self.from_elements(
                _remaining(rows), DataType(RowType.of(list(zip(names, types, strict=True)))), verify_schema=False
            )
            return self._with_schema(remaining, schema, _timestamp_column(data_stream))
        fields = [("op", VarCharType()), *((f"column_{position}", type_) for position, type_ in enumerate(types))]
        changes = self.from_elements([(row.get_row_kind().name, *row) for row in rows], DataType(RowType.of(fields)), verify_schema=False)
        return self._with_schema(changes.from_changelog().alias(*names), schema, _timestamp_column(data_stream))

    def to_data_stream(self, table: Table) -> DataStream:
        """Returns the rows of a table as a stream; the query runs when they are read.

        While the rows are read, a row that updates or deletes another is an error.
        """
        return self._stream(table, lambda rows: map(_inserted, rows))

    def to_changelog_stream(
        self, table: Table, target_schema: Schema | None = None, changelog_mode: ChangelogMode | None = None
    ) -> DataStream:
        """Returns the changes of a table as a stream of ``Row`` objects with their kinds; the query runs when they are read.

        Args:
            table: the table.
            target_schema: the physical columns that the values are cast to, by position.
            changelog_mode: accepted if it has all kinds; changes are not converted.

        Raises:
            ValidationException: the changelog mode is not that of all kinds.
        """
        if changelog_mode is not None and not all(map(changelog_mode.contains, RowKind)):
            raise ValidationException(
                f"to_changelog_stream returns changes as they are, but the mode {changelog_mode} needs a conversion.",
                hint="Leave it out, or use table.to_changelog() and a condition.",
            )
        if target_schema is not None:
            row_type = _row_type(target_schema)
            names = table.get_schema().get_field_names()
            if len(names) != len(row_type.fields):
                raise ValidationException(f"The schema has {len(row_type.fields)} columns, but the table has {len(names)}.")
            from table_api.expressions import col

            casts = [col(name).cast(DataType(field.type)).alias(field.name) for name, field in zip(names, row_type.fields, strict=True)]
            table = table.select(*casts)
        return self._stream(table, lambda rows: rows)

    def to_append_stream(self, table: Table, type_info: DataType) -> DataStream:
        """Returns the rows of a table as a stream, as ``to_data_stream`` does; ``type_info`` must have as many fields as the table.

        Raises:
            ValidationException: it has another number of fields.
        """
        _check_width(table, type_info)
        return self.to_data_stream(table)

    def to_retract_stream(self, table: Table, type_info: DataType) -> DataStream:
        """Returns the changes of a table as pairs: whether the row is added, and the row.

        Raises:
            ValidationException: ``type_info`` has another number of fields than the table.
        """
        _check_width(table, type_info)
        return self._stream(table, lambda rows: ((row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER), row) for row in rows))

    @override
    def create_temporary_view(
        self, view_path: str, table_or_data_stream: Table | DataStream | object, *fields_or_schema: Expression | Schema
    ) -> None:
        """Registers a table or a stream as a view of this session; the further arguments are those of ``from_data_stream``.

        Raises:
            CatalogException: a temporary table or view of that name exists.
            ValidationException: it is neither a table nor data of this process.
        """
        if isinstance(table_or_data_stream, DataStream) or fields_or_schema:
            table_or_data_stream = self.from_data_stream(table_or_data_stream, *fields_or_schema)
        super().create_temporary_view(view_path, table_or_data_stream)

    # --- parts -------------------------------------------------------------------------------------------------------------------

    def _table_of(self, data: Any, row_type: RowType | None) -> Table:
        if isinstance(data, DataStream):
            declared = data.get_type()
            if row_type is None and declared is not None:
                type_ = declared.logical_type
                row_type = type_ if isinstance(type_, RowType) else RowType.of([("f0", type_)])
        elif hasattr(data, "columns") or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
            return self.from_arrow(data, row_type)
        elements = [element if isinstance(element, (tuple, list, dict, Row)) else (element,) for element in data]
        table = self.from_elements(elements, None if row_type is None else DataType(row_type), verify_schema=False)
        names = table.get_schema().get_field_names()
        is_unnamed = row_type is None and names == [f"_{position}" for position in range(1, len(names) + 1)]
        return table.alias(*(f"f{position}" for position in range(len(names)))) if is_unnamed else table

    def _with_schema(self, table: Table, schema: Schema, timestamp_column: str | None) -> Table:
        if any(column.is_metadata for column in schema.columns):
            from table_api.pyflink_names.stream_schemas import with_times_computed  # few schemas have metadata columns

            schema = with_times_computed(schema, timestamp_column)
        return Table(self.session, self.session.rows_with_schema(table.query_operation, schema))

    def _physical(self, data: Any, columns: tuple[UnresolvedColumn, ...]) -> Table:
        """Returns the columns of a stream: its own ones if these have the declared names, else the declared ones by position."""
        if not columns:
            return self._table_of(data, None)
        is_stream = isinstance(data, DataStream) or hasattr(data, "columns") or hasattr(data, "__arrow_c_stream__")
        rows = data if is_stream else list(data)
        declared = [column.name for column in columns]
        try:
            own = self._table_of(rows, None)
            names = own.get_schema().get_field_names()
        except ValidationException:  # the values alone have no types
            return self._table_of(rows, _row_type(Schema(columns)))
        return own if names != declared and set(declared) <= set(names) else self._table_of(rows, _row_type(Schema(columns)))

    def _stream(self, table: Table, convert: Any) -> DataStream:
        def read() -> CloseableIterator[Any]:
            rows = table.execute().collect()
            return CloseableIterator(iter(convert(rows)), rows.close)

        schema = table.get_resolved_schema()
        times = next((column.name for column in schema.columns if is_rowtime(column.data_type)), None)
        return DataStream(read, DataType(schema.to_row_type()), times)


def _row_type(schema: Schema) -> RowType:
    fields = []
    for column in schema.columns:
        if column.data_type is None or column.is_metadata:
            raise ValidationException(f"The column '{column.name}' is not physical; a changelog has physical columns only.")
        type_ = column.data_type
        fields.append((column.name, parse_logical_type(type_) if isinstance(type_, str) else type_))
    return RowType.of(fields)


def _physical_columns(schema: Schema) -> tuple[UnresolvedColumn, ...]:
    return tuple(column for column in schema.columns if column.data_type is not None and not column.is_metadata)


def _timestamp_column(data_stream: object) -> str | None:
    return data_stream.timestamp_column if isinstance(data_stream, DataStream) else None


def _check_width(table: Table, type_info: DataType) -> None:
    type_ = type_info.logical_type
    expected = len(type_.fields) if isinstance(type_, RowType) else 1
    if expected != (width := len(table.get_schema().get_field_names())):
        raise ValidationException(f"The table has {width} columns, but the type {type_info} has {expected}.")


def _remaining(changes: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Returns the rows that are left after all changes, in the order of their insertion."""
    places: dict[str, list[int]] = {}
    remaining: dict[int, tuple[Any, ...]] = {}
    for number, change in enumerate(changes):
        row = tuple(change)
        same = places.setdefault(repr(row), [])  # values may have no hash
        if change.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            same.append(number)
            remaining[number] = row
        elif same:
            del remaining[same.pop()]
        else:
            raise ValidationException(
                f"Element {number + 1} of the changelog retracts {row}, which was not inserted before.",
                hint="Check the order of the changes.",
            )
    return list(remaining.values())


def _inserted(row: Row) -> Row:
    if row.get_row_kind() is not RowKind.INSERT:
        raise ValidationException(
            f"to_data_stream reads inserted rows only, but the table has a change of the kind {row.get_row_kind().name}.",
            hint="to_changelog_stream(table)",
        )
    return row
