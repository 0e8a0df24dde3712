"""A schema whose types and expressions are resolved: columns, watermarks, primary key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Self, overload

from table_common.catalog.column import Column, PhysicalColumn
from table_common.exceptions import ValidationException
from table_common.expressions.expression import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.types.data_type import DataType
from table_common.types.logical import LogicalType, RowType, quote_identifier


@dataclass(frozen=True, slots=True)
class Constraint(ABC):
    """A constraint of a table; the data is trusted, so no constraint is enforced.

    Source: Flink's ``org.apache.flink.table.catalog.Constraint``.

    Example:
        >>> isinstance(UniqueConstraint("PK_id", ("id",)), Constraint)
        True
    """

    name: str

    class ConstraintType(Enum):
        """The type of a constraint."""

        PRIMARY_KEY = 0
        UNIQUE_KEY = 1

    def get_name(self) -> str:
        """Returns the name of the constraint."""
        return self.name

    @abstractmethod
    def get_type(self) -> ConstraintType:
        """Returns the type of the constraint."""

    def is_enforced(self) -> bool:
        """Returns false: the data is trusted."""
        return False

    def as_summary_string(self) -> str:
        """Returns the declaration of the constraint."""
        return str(self)


@dataclass(frozen=True, slots=True)
class UniqueConstraint(Constraint):
    """A primary key. It is not enforced: the data is trusted.

    Source: Flink's ``org.apache.flink.table.catalog.UniqueConstraint``.

    Example:
        >>> str(UniqueConstraint("PK_id", ("id",)))
        'CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED'
    """

    columns: tuple[str, ...]

    @classmethod
    def primary_key(cls, name: str, columns: Sequence[str]) -> Self:
        """Returns a primary key of these columns."""
        return cls(name, tuple(columns))

    def get_columns(self) -> list[str]:
        """Returns the names of the key's columns."""
        return list(self.columns)

    def get_type(self) -> Constraint.ConstraintType:
        """Returns the type of the constraint."""
        return Constraint.ConstraintType.PRIMARY_KEY

    def get_type_string(self) -> str:
        """Returns the type of the constraint in SQL."""
        return "PRIMARY KEY"

    def __str__(self) -> str:
        return f"CONSTRAINT {quote_identifier(self.name)} PRIMARY KEY ({', '.join(map(quote_identifier, self.columns))}) NOT ENFORCED"


@dataclass(frozen=True, slots=True)
class WatermarkSpec:
    """A watermark: the event-time column, and the expression of the watermark, such as ``ts - INTERVAL '5' SECOND``.

    Source: Flink's ``org.apache.flink.table.catalog.WatermarkSpec``.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression
        >>> from table_common.types import TimestampType
        >>> str(WatermarkSpec("ts", FieldReferenceExpression("ts", TimestampType(3), 0, 0)))
        'WATERMARK FOR `ts` AS `ts`'
    """

    rowtime_attribute: str
    expression: ResolvedExpression

    @classmethod
    def of(cls, rowtime_attribute: str, watermark_expression: ResolvedExpression) -> Self:
        """Returns a watermark."""
        return cls(rowtime_attribute, watermark_expression)

    def get_rowtime_attribute(self) -> str:
        """Returns the name of the event-time column."""
        return self.rowtime_attribute

    def get_watermark_expression(self) -> ResolvedExpression:
        """Returns the expression of the watermark."""
        return self.expression

    def as_summary_string(self) -> str:
        """Returns the declaration of the watermark with the type of its time."""
        return f"WATERMARK FOR {quote_identifier(self.rowtime_attribute)}: {self.expression.output_type} AS {self.expression.as_serializable_string()}"

    def __str__(self) -> str:
        return f"WATERMARK FOR {quote_identifier(self.rowtime_attribute)} AS {self.expression.as_serializable_string()}"


@dataclass(frozen=True, slots=True)
class ResolvedSchema:
    """The columns of a table or query, in order.

    Source: Flink's ``org.apache.flink.table.catalog.ResolvedSchema``.

    Example:
        >>> from table_common.types import IntType, VarCharType
        >>> ResolvedSchema.physical([("id", IntType()), ("name", VarCharType())]).get_column_names()
        ['id', 'name']
    """

    columns: tuple[Column, ...]
    watermark_specs: tuple[WatermarkSpec, ...] = ()
    primary_key: UniqueConstraint | None = None

    @classmethod
    def of(cls, *columns: Column | Iterable[Column]) -> Self:
        """Builds a schema of columns alone, without watermarks and primary key; a list of columns may be given as PyFlink does."""
        return cls(tuple(column for given in columns for column in ((given,) if isinstance(given, Column) else given)))

    @overload
    @classmethod
    def physical(cls, fields: Iterable[tuple[str, LogicalType]], /) -> Self: ...
    @overload
    @classmethod
    def physical(cls, column_names: Sequence[str], column_data_types: Sequence[DataType | LogicalType]) -> Self: ...
    @classmethod
    def physical(cls, column_names: Iterable[Any], column_data_types: Sequence[DataType | LogicalType] | None = None) -> Self:
        """Builds a schema of physical columns from pairs of name and type, or from names and types as in PyFlink.

        Raises:
            ValidationException: there are not as many types as names.
        """
        if column_data_types is None:
            return cls(tuple(PhysicalColumn(name, type_) for name, type_ in column_names))
        names = list(column_names)
        if len(names) != len(column_data_types):
            raise ValidationException(
                f"A schema takes a type for each column, but got {len(names)} names and {len(column_data_types)} types."
            )
        return cls(tuple(map(Column.physical, names, column_data_types)))

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def column_types(self) -> tuple[LogicalType, ...]:
        return tuple(column.data_type for column in self.columns)

    # PyFlink's names of the same.

    def get_columns(self) -> list[Column]:
        """Returns all columns."""
        return list(self.columns)

    def get_column_count(self) -> int:
        """Returns the number of columns."""
        return len(self.columns)

    def get_column_names(self) -> list[str]:
        """Returns the names of all columns."""
        return list(self.column_names)

    def get_field_names(self) -> list[str]:
        """Returns the names of all columns, under the name of PyFlink's older ``TableSchema``."""
        return list(self.column_names)

    def get_column_data_types(self) -> list[DataType]:
        """Returns the types of all columns."""
        return [DataType(column.data_type) for column in self.columns]

    def get_primary_key(self) -> UniqueConstraint | None:
        """Returns the primary key, if there is one."""
        return self.primary_key

    def get_primary_key_indexes(self) -> list[int]:
        """Returns the positions of the primary key among the physical columns, which begin at 0; empty without a primary key."""
        if self.primary_key is None:
            return []
        names = self.to_physical_row_type().field_names
        return [names.index(column) for column in self.primary_key.columns]

    def to_physical_row_data_type(self) -> DataType:
        """Returns the physical columns as a NOT NULL row: the stored columns, without computed and metadata columns."""
        return DataType(self.to_physical_row_type())

    def to_source_row_data_type(self) -> DataType:
        """Returns all columns as a NOT NULL row: the row type of a query over the table."""
        return DataType(self.to_row_type())

    def to_sink_row_data_type(self) -> DataType:
        """Returns the persisted columns as a NOT NULL row: without computed and virtual metadata columns, which sinks do not write."""
        return DataType(RowType.of([(c.name, c.data_type) for c in self.columns if c.is_persisted()], nullable=False))

    def get_watermark_specs(self) -> list[WatermarkSpec]:
        """Returns the watermarks."""
        return list(self.watermark_specs)

    def get_column(self, column_index_or_name: str | int) -> Column | None:
        """Returns a column by name or by position from 0; None if there is none."""
        if isinstance(column_index_or_name, int):
            return self.columns[column_index_or_name] if 0 <= column_index_or_name < len(self.columns) else None
        return next((column for column in self.columns if column.name == column_index_or_name), None)

    def index_of(self, name: str) -> int:
        """Returns the position of a column.

        Raises:
            ValidationException: there is no such column; close names are suggested.
        """
        for index, column in enumerate(self.columns):
            if column.name == name:
                return index
        raise ValidationException.unknown("Column", name, self.column_names)

    def to_row_type(self) -> RowType:
        """Returns all columns as a NOT NULL row."""
        return RowType.of([(c.name, c.data_type) for c in self.columns], nullable=False)

    def to_physical_row_type(self) -> RowType:
        """Returns the physical columns as a NOT NULL row."""
        return RowType.of([(c.name, c.data_type) for c in self.columns if c.is_physical()], nullable=False)

    def __str__(self) -> str:
        lines = [str(column) for column in self.columns]
        lines += [str(spec) for spec in self.watermark_specs]
        if self.primary_key is not None:
            lines.append(str(self.primary_key))
        return "(\n" + ",\n".join(f"  {line}" for line in lines) + "\n)"
