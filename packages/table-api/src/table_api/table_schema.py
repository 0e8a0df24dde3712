"""``TableSchema``: names and types of columns, as ``Table.get_schema`` returns them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.types import DataType, LogicalType


class TableSchema:
    """Names and types of columns. ``ResolvedSchema`` also has watermarks, the primary key and the kinds of columns.

    Example:
        >>> schema = env.sql_query("SELECT 1 AS a, 'x' AS b").get_schema()
        >>> schema.get_field_names(), str(schema.get_field_data_type("a"))
        (['a', 'b'], 'INT NOT NULL')

    Source: Flink's ``org.apache.flink.table.legacy.api.TableSchema``.
    """

    def __init__(self, field_names: Sequence[str], data_types: Sequence[DataType | LogicalType]) -> None:
        """Makes a schema of names and as many types.

        Raises:
            ValidationException: there are not as many types as names, or a name occurs twice.
        """
        twice = next((name for name in field_names if list(field_names).count(name) > 1), None)
        if twice is not None:
            raise ValidationException(f"The column '{twice}' occurs twice in a schema.", hint="Give each column a name of its own.")
        self._schema = ResolvedSchema.physical(list(field_names), list(data_types))

    @classmethod
    def of(cls, schema: ResolvedSchema) -> Self:
        """Returns the names and types of a resolved schema."""
        made = cls.__new__(cls)
        made._schema = schema
        return made

    @classmethod
    def builder(cls) -> TableSchema.Builder:
        """Returns a builder without columns."""
        return TableSchema.Builder()

    def get_field_count(self) -> int:
        """Returns the number of columns."""
        return self._schema.get_column_count()

    def get_field_names(self) -> list[str]:
        """Returns the names of the columns."""
        return self._schema.get_column_names()

    def get_field_name(self, field_index: int) -> str | None:
        """Returns the name of the column at a position from 0; None if there is none."""
        column = self._schema.get_column(field_index)
        return None if column is None else column.name

    def get_field_data_types(self) -> list[DataType]:
        """Returns the types of the columns."""
        return self._schema.get_column_data_types()

    def get_field_data_type(self, field: int | str) -> DataType | None:
        """Returns the type of the column of a name or position; None if there is none."""
        column = self._schema.get_column(field)
        return None if column is None else column.get_data_type()

    def to_row_data_type(self) -> DataType:
        """Returns the columns as a NOT NULL row."""
        return self._schema.to_source_row_data_type()

    def copy(self) -> TableSchema:
        """Returns the schema itself: it cannot be changed."""
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableSchema) and list(self._fields()) == list(other._fields())

    def __hash__(self) -> int:
        return hash(tuple(self._fields()))

    def __repr__(self) -> str:
        return "root\n" + "".join(f" |-- {name}: {type_}\n" for name, type_ in self._fields())

    def _fields(self) -> Iterable[tuple[str, LogicalType]]:
        return zip(self._schema.column_names, self._schema.column_types, strict=True)

    class Builder:
        """Builds a ``TableSchema``."""

        def __init__(self) -> None:
            self._names: list[str] = []
            self._types: list[DataType | LogicalType] = []

        def field(self, name: str, data_type: DataType | LogicalType) -> Self:
            """Adds a column."""
            self._names.append(name)
            self._types.append(data_type)
            return self

        def build(self) -> TableSchema:
            """Returns the schema.

            Raises:
                ValidationException: a name occurs twice.
            """
            return TableSchema(self._names, self._types)
