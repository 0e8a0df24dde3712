"""The columns of a resolved schema: physical, computed, and of metadata."""

from __future__ import annotations

from typing import Self

from table_common.expressions.expression import ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.object_names import check_no_nul
from table_common.types.data_type import DataType
from table_common.types.logical import LogicalType, quote_identifier


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; one of the three kinds below.

    Source: Flink's ``org.apache.flink.table.catalog.Column``.

    Example:
        >>> from table_common.types import IntType
        >>> column = Column.physical("id", IntType())
        >>> type(column).__name__, column.is_persisted()
        ('PhysicalColumn', True)
    """

    name: str
    data_type: LogicalType
    comment: str | None = None

    def __post_init__(self) -> None:
        check_no_nul(self.name, "the name of a column")

    def is_physical(self) -> bool:
        """Whether the external system stores it as a field of the row."""
        return False

    def is_persisted(self) -> bool:
        """Whether it is written by a sink."""
        return False

    @staticmethod
    def physical(name: str, data_type: DataType | LogicalType) -> PhysicalColumn:
        """Returns a column that the external system stores."""
        return PhysicalColumn(name, _logical(data_type))

    @staticmethod
    def computed(name: str, resolved_expression: ResolvedExpression) -> ComputedColumn:
        """Returns a column that is computed by an expression."""
        return ComputedColumn(name, resolved_expression.output_type, expression=resolved_expression)

    @staticmethod
    def metadata(name: str, data_type: DataType | LogicalType, metadata_key: str | None, is_virtual: bool) -> MetadataColumn:
        """Returns a column of metadata."""
        return MetadataColumn(name, _logical(data_type), metadata_key=metadata_key, virtual=is_virtual)

    def get_name(self) -> str:
        """Returns the name."""
        return self.name

    def get_data_type(self) -> DataType:
        """Returns the type."""
        return DataType(self.data_type)

    def get_comment(self) -> str | None:
        """Returns the comment, if there is one."""
        return self.comment

    def with_comment(self, comment: str | None) -> Self:
        """Returns the column with another comment."""
        return replace(self, comment=comment)

    def copy(self, new_type: DataType | LogicalType) -> Self:
        """Returns the column with another type."""
        return replace(self, data_type=_logical(new_type))

    def rename(self, new_name: str) -> Self:
        """Returns the column under another name."""
        return replace(self, name=new_name)

    def explain_extras(self) -> str | None:
        """Returns the declaration after the type, such as ``METADATA VIRTUAL``; None for physical columns."""
        return None

    def as_summary_string(self) -> str:
        """Returns the declaration of the column."""
        extras = self.explain_extras()
        return f"{quote_identifier(self.name)} {self.data_type}{'' if extras is None else ' ' + extras}"

    def __str__(self) -> str:
        return self.as_summary_string()


@dataclass(frozen=True, slots=True)
class PhysicalColumn(Column):
    """A field that the external system stores.

    Example:
        >>> from table_common.types import IntType
        >>> PhysicalColumn("id", IntType()).rename("key").name
        'key'

    Source: Flink's ``org.apache.flink.table.catalog.Column.PhysicalColumn``.
    """

    def is_physical(self) -> bool:
        return True

    def is_persisted(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class ComputedColumn(Column):
    """A column computed from others when the table is read.

    Source: Flink's ``org.apache.flink.table.catalog.Column.ComputedColumn``.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression
        >>> from table_common.types import IntType
        >>> str(ComputedColumn("copy", IntType(), expression=FieldReferenceExpression("id", IntType(), 0, 0)))
        '`copy` INT AS `id`'
    """

    expression: ResolvedExpression | None = None

    def get_expression(self) -> ResolvedExpression | None:
        """Returns the expression."""
        return self.expression

    def explain_extras(self) -> str | None:
        return f"AS {self.expression.as_serializable_string()}" if self.expression is not None else None


@dataclass(frozen=True, slots=True)
class MetadataColumn(Column):
    """A column whose values the connector provides; virtual metadata columns are not written.

    Source: Flink's ``org.apache.flink.table.catalog.Column.MetadataColumn``.

    Example:
        >>> from table_common.types import BigIntType
        >>> column = MetadataColumn("position", BigIntType(), metadata_key="offset", virtual=True)
        >>> column.key, column.is_persisted()
        ('offset', False)
    """

    metadata_key: str | None = None
    virtual: bool = False

    def is_persisted(self) -> bool:
        return not self.virtual

    @property
    def key(self) -> str:
        """The connector's name of the metadata."""
        return self.metadata_key if self.metadata_key is not None else self.name

    def is_virtual(self) -> bool:
        """Whether sinks do not write it."""
        return self.virtual

    def get_metadata_key(self) -> str | None:
        """Returns the connector's name of the metadata; None if it is the column's name."""
        return self.metadata_key

    def explain_extras(self) -> str | None:
        text = "METADATA"
        if self.metadata_key is not None:
            text += f" FROM '{self.metadata_key}'"
        return text + (" VIRTUAL" if self.virtual else "")


def _logical(type_: DataType | LogicalType) -> LogicalType:
    return type_.logical_type if isinstance(type_, DataType) else type_
