"""Resolved expressions: typed and independent of engines; the only expressions that planners and connectors receive."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass, field
from table_common.tree import Node, children_of
from table_common.tree.node import HOLDS_NO_NODES
from table_common.types.data_type import DataType
from table_common.types.logical import NUMERICS, LogicalType, quote_identifier

if TYPE_CHECKING:
    from table_common.functions.definition import FunctionDefinition

_R = TypeVar("_R")


class ResolvedExpression(Node):
    """An expression whose names are resolved and whose type is known.

    Source: Flink's ``org.apache.flink.table.expressions.ResolvedExpression``.

    Example:
        >>> from table_common.functions.builtin import comparison
        >>> from table_common.types import BooleanType, IntType
        >>> column = FieldReferenceExpression("id", IntType(), 0, 0)
        >>> is_null = CallExpression(comparison.IS_NULL, (column,), BooleanType(nullable=False))
        >>> str(is_null), is_null.children == (column,)
        ('(id IS NULL)', True)
    """

    __slots__ = ()

    output_type: LogicalType

    @property
    def output_data_type(self) -> DataType:
        """The type as a ``DataType`` with its default conversion class."""
        return DataType(self.output_type)

    @property
    def children(self) -> tuple[ResolvedExpression, ...]:
        """The arguments, left to right."""
        return children_of(self, ResolvedExpression)

    def as_summary_string(self) -> str:
        """Returns a short text for plans and messages."""
        return self.as_serializable_string()

    def as_serializable_string(self) -> str:
        """Returns SQL text that resolves to an equal expression over the same input.

        Raises:
            NotImplementedError: the class does not define the method.
            ValidationException: SQL text cannot express a value in it.
        """
        raise NotImplementedError

    def accept(self, visitor: ExpressionVisitor[_R]) -> _R:
        """Calls the visitor's method for this class.

        Raises:
            NotImplementedError: the class does not define the method.
        """
        raise NotImplementedError

    def __str__(self) -> str:
        return self.as_summary_string()


@dataclass(frozen=True, slots=True)
class FieldReferenceExpression(ResolvedExpression):
    """A column of an input: the input's ordinal (0 but for the right side of a join) and the column's position in it.

    Source: Flink's ``org.apache.flink.table.expressions.FieldReferenceExpression``.

    Example:
        >>> from table_common.types import IntType
        >>> column = FieldReferenceExpression("id", IntType(), input_index=0, field_index=2)
        >>> str(column), column.as_serializable_string()
        ('id', '`id`')
    """

    name: str
    output_type: LogicalType
    input_index: int
    field_index: int

    @override
    def as_serializable_string(self) -> str:
        return quote_identifier(self.name)

    @override
    def as_summary_string(self) -> str:
        return self.name

    @override
    def accept(self, visitor: ExpressionVisitor[_R]) -> _R:
        return visitor.visit_field_reference(self)


@dataclass(frozen=True, slots=True)
class ValueLiteralExpression(ResolvedExpression):
    """A constant.

    ``value`` is None for NULL, else: bool, int, float, decimal.Decimal, str, bytes; datetime.date for DATE; int nanoseconds of the
    day for TIME; int nanoseconds since 1970-01-01 (local for TIMESTAMP, UTC for TIMESTAMP_LTZ); int months and int nanoseconds for
    the intervals; an ``Enum`` member for a symbol.

    Source: Flink's ``org.apache.flink.table.expressions.ValueLiteralExpression``.

    Example:
        >>> from table_common.types import CharType
        >>> ValueLiteralExpression("it's", CharType(4, nullable=False)).as_serializable_string()
        "'it''s'"
    """

    value: Any
    output_type: LogicalType

    def is_null(self) -> bool:
        """Returns whether this is NULL."""
        return self.value is None

    @override
    def as_serializable_string(self) -> str:
        from table_common.expressions.literal_text import literal_to_sql

        return literal_to_sql(self.value, self.output_type)

    @override
    def as_summary_string(self) -> str:
        if self.value is None:
            return "NULL"
        if isinstance(self.value, (int, Decimal)) and isinstance(self.output_type, NUMERICS):
            return f"{self.value:f}" if isinstance(self.value, Decimal) else str(self.value)
        return self.as_serializable_string()

    @override
    def accept(self, visitor: ExpressionVisitor[_R]) -> _R:
        return visitor.visit_value_literal(self)


@dataclass(frozen=True, slots=True)
class TypeLiteralExpression(ResolvedExpression):
    """A type given as an argument, such as the target of CAST.

    Source: Flink's ``org.apache.flink.table.expressions.TypeLiteralExpression``.

    Example:
        >>> from table_common.types import IntType
        >>> str(TypeLiteralExpression(IntType()))
        'INT'
    """

    output_type: LogicalType

    @override
    def as_serializable_string(self) -> str:
        return self.output_type.serializable()

    @override
    def as_summary_string(self) -> str:
        return str(self.output_type)

    @override
    def accept(self, visitor: ExpressionVisitor[_R]) -> _R:
        return visitor.visit_type_literal(self)


@dataclass(frozen=True, slots=True)
class CallExpression(ResolvedExpression):
    """A function or operator with its arguments; AND, OR and CONCAT take any number of them.

    Source: Flink's ``org.apache.flink.table.expressions.CallExpression``.

    Example:
        >>> from table_common.functions.builtin import strings
        >>> from table_common.types import VarCharType
        >>> name = FieldReferenceExpression("name", VarCharType(), 0, 0)
        >>> str(CallExpression(strings.UPPER, (name,), VarCharType()))
        'UPPER(name)'
    """

    function: FunctionDefinition = field(metadata=HOLDS_NO_NODES)
    args: tuple[ResolvedExpression, ...]
    output_type: LogicalType

    @override
    def as_serializable_string(self) -> str:
        return self.function.render_sql([arg.as_serializable_string() for arg in self.args])

    @override
    def as_summary_string(self) -> str:
        return self.function.render_sql([arg.as_summary_string() for arg in self.args])

    @override
    def accept(self, visitor: ExpressionVisitor[_R]) -> _R:
        return visitor.visit_call(self)


class ExpressionVisitor(Generic[_R]):
    """The visitor with which connectors traverse expressions; methods that are not overridden call ``default``.

    Source: Flink's ``org.apache.flink.table.expressions.ExpressionVisitor``.

    Example:
        >>> from table_common.types import IntType
        >>> class Columns(ExpressionVisitor[list[str]]):
        ...     def visit_field_reference(self, expression):
        ...         return [expression.name]
        ...     def default(self, expression):
        ...         return [name for child in expression.children for name in child.accept(self)]
        >>> FieldReferenceExpression("id", IntType(), 0, 0).accept(Columns())
        ['id']
    """

    def visit_field_reference(self, expression: FieldReferenceExpression) -> _R:
        """Visits a column."""
        return self.default(expression)

    def visit_value_literal(self, expression: ValueLiteralExpression) -> _R:
        """Visits a constant."""
        return self.default(expression)

    def visit_type_literal(self, expression: TypeLiteralExpression) -> _R:
        """Visits a type."""
        return self.default(expression)

    def visit_call(self, expression: CallExpression) -> _R:
        """Visits a call."""
        return self.default(expression)

    def default(self, expression: ResolvedExpression) -> _R:
        """Handles the classes whose method is not overridden.

        Raises:
            NotImplementedError: the visitor does not define the method.
        """
        raise NotImplementedError(f"{type(self).__name__} does not visit {type(expression).__name__}")
