"""A schema as it is declared: types may be text, expressions are unresolved or SQL text."""

from __future__ import annotations

from typing import Any, Self

from table_common.catalog.resolved_schema import ResolvedSchema
from table_common.frozen_dataclass import dataclass, field
from table_common.types.data_type import DataType
from table_common.types.logical import LogicalType, RowType, quote_identifier, quote_string


@dataclass(frozen=True, slots=True)
class UnresolvedColumn:
    """A declared column: physical (``data_type``), computed (``expression``) or metadata (``is_metadata`` and ``data_type``).

    ``data_type`` is a type or its text; ``expression`` an expression of the Table API or SQL text.

    Source: Flink's ``org.apache.flink.table.api.Schema.UnresolvedColumn``.

    Example:
        >>> UnresolvedColumn("total", expression="price * amount").expression
        'price * amount'
    """

    name: str
    data_type: LogicalType | str | None = None
    expression: Any = None
    is_metadata: bool = False
    metadata_key: str | None = None
    is_virtual: bool = False
    comment: str | None = None

    def __str__(self) -> str:
        name = quote_identifier(self.name)
        if self.expression is not None:
            text = f"{name} AS {_sql_text(self.expression)}"
        elif self.is_metadata:
            key = "" if self.metadata_key is None else f" FROM {quote_string(self.metadata_key)}"
            text = f"{name} {_sql_text(self.data_type)} METADATA{key}{' VIRTUAL' if self.is_virtual else ''}"
        else:
            text = f"{name} {_sql_text(self.data_type)}"
        return text if self.comment is None else f"{text} COMMENT {quote_string(self.comment)}"


@dataclass(frozen=True, slots=True)
class UnresolvedWatermark:
    """A declared watermark.

    Source: Flink's ``org.apache.flink.table.api.Schema.UnresolvedWatermarkSpec``.

    Example:
        >>> UnresolvedWatermark("ts", "ts - INTERVAL '5' SECOND").column_name
        'ts'
    """

    column_name: str
    expression: Any

    def __str__(self) -> str:
        return f"WATERMARK FOR {quote_identifier(self.column_name)} AS {_sql_text(self.expression)}"


@dataclass(frozen=True, slots=True)
class UnresolvedPrimaryKey:
    """A declared primary key.

    Source: Flink's ``org.apache.flink.table.api.Schema.UnresolvedPrimaryKey``.

    Example:
        >>> Schema.new_builder().column("id", "INT").primary_key("id").build().primary_key
        UnresolvedPrimaryKey(constraint_name='PK_id', column_names=('id',))
    """

    constraint_name: str
    column_names: tuple[str, ...]

    def __str__(self) -> str:
        columns = ", ".join(map(quote_identifier, self.column_names))
        return f"CONSTRAINT {quote_identifier(self.constraint_name)} PRIMARY KEY ({columns}) NOT ENFORCED"


@dataclass(frozen=True, slots=True)
class Schema:
    """A declared schema, built by ``Schema.new_builder()``. Its text is that of Flink, close to the column list of CREATE TABLE.

    Source: Flink's ``org.apache.flink.table.api.Schema``.

    Example:
        >>> schema = Schema.new_builder().column("id", "INT NOT NULL").column_by_expression("twice", "2 * id").primary_key("id").build()
        >>> [column.name for column in schema.columns]
        ['id', 'twice']
    """

    columns: tuple[UnresolvedColumn, ...] = ()
    watermark_specs: tuple[UnresolvedWatermark, ...] = ()
    primary_key: UnresolvedPrimaryKey | None = None

    def __str__(self) -> str:
        parts = [*self.columns, *self.watermark_specs, *([] if self.primary_key is None else [self.primary_key])]
        return "(\n" + ",\n".join(f"  {part}" for part in parts) + "\n)"

    @staticmethod
    def new_builder() -> Schema.Builder:
        """Begins a schema."""
        return Schema.Builder()

    @dataclass
    class Builder:
        """Collects columns, watermarks and a key.

        Example:
            >>> Schema.new_builder().column("id", "INT").build().columns[0].name
            'id'
        """

        _columns: list[UnresolvedColumn] = field(default_factory=list)
        _watermarks: list[UnresolvedWatermark] = field(default_factory=list)
        _primary_key: UnresolvedPrimaryKey | None = None

        def column(self, column_name: str, data_type: str | DataType | LogicalType) -> Self:
            """Adds a physical column."""
            self._columns.append(UnresolvedColumn(column_name, _logical(data_type)))
            return self

        def column_by_expression(self, column_name: str, expr: Any) -> Self:
            """Adds a computed column from an expression or SQL text."""
            self._columns.append(UnresolvedColumn(column_name, expression=expr))
            return self

        def column_by_metadata(
            self, column_name: str, data_type: str | DataType | LogicalType, metadata_key: str | None = None, is_virtual: bool = False
        ) -> Self:
            """Adds a metadata column; the key defaults to the column's name."""
            self._columns.append(
                UnresolvedColumn(column_name, _logical(data_type), is_metadata=True, metadata_key=metadata_key, is_virtual=is_virtual)
            )
            return self

        def with_comment(self, comment: str) -> Self:
            """Gives the last column a comment."""
            last = self._columns.pop()
            self._columns.append(
                UnresolvedColumn(last.name, last.data_type, last.expression, last.is_metadata, last.metadata_key, last.is_virtual, comment)
            )
            return self

        def add(self, column: UnresolvedColumn) -> Self:
            """Adds a declared column."""
            self._columns.append(column)
            return self

        def watermark(self, column_name: str, watermark_expr: Any) -> Self:
            """Declares event time."""
            self._watermarks.append(UnresolvedWatermark(column_name, watermark_expr))
            return self

        def primary_key(self, *column_names: str) -> Self:
            """Declares the primary key; its name is made from the columns."""
            return self.primary_key_named("PK_" + "_".join(column_names), *column_names)

        def primary_key_named(self, constraint_name: str, *column_names: str) -> Self:
            """Declares the primary key under a name."""
            self._primary_key = UnresolvedPrimaryKey(constraint_name, column_names)
            return self

        def from_schema(self, unresolved_schema: Schema) -> Self:
            """Adds everything of another schema."""
            self._columns.extend(unresolved_schema.columns)
            self._watermarks.extend(unresolved_schema.watermark_specs)
            self._primary_key = unresolved_schema.primary_key or self._primary_key
            return self

        def from_resolved_schema(self, resolved_schema: ResolvedSchema) -> Self:
            """Adds the physical columns and the key of a resolved schema."""
            for column in resolved_schema.columns:
                self._columns.append(UnresolvedColumn(column.name, column.data_type, comment=column.comment))
            if resolved_schema.primary_key is not None:
                self.primary_key_named(resolved_schema.primary_key.name, *resolved_schema.primary_key.columns)
            return self

        def from_row_data_type(self, data_type: DataType | RowType) -> Self:
            """Adds the fields of a row type.

            Raises:
                TypeError: the type is not a ROW.
            """
            row = _logical(data_type)
            if not isinstance(row, RowType):
                raise TypeError(f"from_row_data_type takes a ROW type, but got {row}")
            return self.from_fields(list(row.field_names), [DataType(t) for t in row.field_types])

        def from_fields(self, field_names: list[str], field_data_types: list[DataType]) -> Self:
            """Adds columns from two lists of equal length."""
            for name, data_type in zip(field_names, field_data_types, strict=True):
                self.column(name, data_type)
            return self

        def build(self) -> Schema:
            """Returns the schema."""
            return Schema(tuple(self._columns), tuple(self._watermarks), self._primary_key)


def _sql_text(given: Any) -> str:
    """Returns a type or an expression; what was given as SQL text is in brackets, as Flink shows it."""
    return f"[{given}]" if isinstance(given, str) else str(given)


def _logical(data_type: str | DataType | LogicalType) -> LogicalType | str:
    return data_type.logical_type if isinstance(data_type, DataType) else data_type
