"""Strategies for one argument of a call: the accepted types, and the type to which it is cast.

The combinators of ``input_strategies`` combine them to argument lists. Names are those of FLIP-65 where it has one:
``family`` is its *logical*, ``explicit`` its *explicit*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.inference.call_context import CallContext
from table_common.types.casts import supports_avoiding_cast, supports_implicit_cast
from table_common.types.logical import ArrayType, LogicalType, MapType, MultisetType, NullType, RowType, SymbolType


class ArgumentTypeStrategy(ABC):
    """Says whether one argument fits, and to which type it is cast.

    Source: Flink's ``org.apache.flink.table.types.inference.ArgumentTypeStrategy``.

    Example:
        >>> class Text(ArgumentTypeStrategy):
        ...     def infer(self, context, position):
        ...         type_ = context.argument_types[position]
        ...         return type_ if type_.ROOT in ("CHAR", "VARCHAR") else None
        ...     def describe(self):
        ...         return "<TEXT>"
        >>> from table_common.types import VarCharType
        >>> str(Text().infer(CallContext("F", (VarCharType(),), {}), 0))
        'STRING'
    """

    @abstractmethod
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        """Returns the type to cast the argument to, its own if no cast is needed, None if it does not fit."""

    @abstractmethod
    def describe(self) -> str:
        """Returns the text in a signature, such as ``<STRING>``."""


@dataclass(frozen=True, slots=True)
class _Family(ArgumentTypeStrategy):
    label: str
    classes: tuple[type[LogicalType], ...]
    default: LogicalType | None

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        if isinstance(given, self.classes):
            return given
        if self.default is None:
            return None
        if isinstance(given, NullType):
            return self.default.with_nullability(True)
        return self.default.with_nullability(given.nullable) if supports_implicit_cast(given, self.default) else None

    @override
    def describe(self) -> str:
        return f"<{self.label}>"


def family(label: str, *classes: type[LogicalType], default: LogicalType | None = None) -> ArgumentTypeStrategy:
    """An argument of one of the classes, kept as it is; NULL and what casts implicitly become ``default``.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> str(family("<INTEGER>", IntType, BigIntType).infer(CallContext("F", (IntType(),), {}), 0))
        'INT'
    """
    return _Family(label, classes, default)


_NESTED = (ArrayType, MapType, MultisetType, RowType)


@dataclass(frozen=True, slots=True)
class _Explicit(ArgumentTypeStrategy):
    expected: LogicalType

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        if given.nullable and not self.expected.nullable:
            return None
        if isinstance(given, NullType):
            return self.expected
        wanted = self.expected.with_nullability(given.nullable)
        if isinstance(given, _NESTED) and supports_avoiding_cast(given, wanted):
            return given
        if given == wanted or supports_implicit_cast(given, wanted):
            return wanted
        return None

    @override
    def describe(self) -> str:
        return f"<{self.expected}>"


def explicit_argument(expected: LogicalType) -> ArgumentTypeStrategy:
    """An argument that is or casts implicitly to ``expected``; it keeps its own nullability, NULL needs a nullable type.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> str(explicit_argument(BigIntType()).infer(CallContext("F", (IntType(),), {}), 0))
        'BIGINT'
    """
    return _Explicit(expected)


@dataclass(frozen=True, slots=True)
class _Any(ArgumentTypeStrategy):
    null: bool

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        return None if isinstance(given, NullType) and not self.null else given

    @override
    def describe(self) -> str:
        return "<ANY>"


def any_type(*, null: bool = False) -> ArgumentTypeStrategy:
    """An argument of any type; the untyped NULL only if ``null``.

    Example:
        >>> from table_common.types import IntType
        >>> str(any_type().infer(CallContext("F", (IntType(),), {}), 0))
        'INT'
    """
    return _Any(null)


@dataclass(frozen=True, slots=True)
class _Matching(ArgumentTypeStrategy):
    label: str
    accepts: Callable[[LogicalType], bool]

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        return given if self.accepts(given) else None

    @override
    def describe(self) -> str:
        return f"<{self.label}>"


def matching(label: str, accepts: Callable[[LogicalType], bool]) -> ArgumentTypeStrategy:
    """An argument whose type satisfies ``accepts``; it is not cast.

    Example:
        >>> from table_common.types import IntType
        >>> rule = matching("<NOT NULL>", lambda type_: not type_.nullable)
        >>> rule.infer(CallContext("F", (IntType(),), {}), 0) is None
        True
    """
    return _Matching(label, accepts)


@dataclass(frozen=True, slots=True)
class _Constant(ArgumentTypeStrategy):
    of: ArgumentTypeStrategy

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        return self.of.infer(context, position) if context.is_literal(position) else None

    @override
    def describe(self) -> str:
        return f"{self.of.describe()} constant"


def constant(of: ArgumentTypeStrategy) -> ArgumentTypeStrategy:
    """An argument that fits ``of`` and is a constant.

    Example:
        >>> from table_common.types import IntType
        >>> rule = constant(any_type())
        >>> rule.infer(CallContext("F", (IntType(),), {}), 0) is None, str(rule.infer(CallContext("F", (IntType(),), {0: 7}), 0))
        (True, 'INT')
    """
    return _Constant(of)


@dataclass(frozen=True, slots=True)
class _NotNegative(ArgumentTypeStrategy):
    of: ArgumentTypeStrategy

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        value = context.literal(position)
        if isinstance(value, int) and value < 0:
            raise ValidationException(f"{context.name}: argument {position + 1} is {value}, but must not be negative.")
        return self.of.infer(context, position)

    @override
    def describe(self) -> str:
        return self.of.describe()


def not_negative(of: ArgumentTypeStrategy) -> ArgumentTypeStrategy:
    """An argument that fits ``of``; a constant must not be negative.

    Example:
        >>> from table_common.types import IntType
        >>> str(not_negative(any_type()).infer(CallContext("F", (IntType(),), {0: 7}), 0))
        'INT'

    Raises:
        ValidationException: when the types are inferred, for a negative constant.
    """
    return _NotNegative(of)


@dataclass(frozen=True, slots=True)
class _Symbol(ArgumentTypeStrategy):
    kind: type[Enum]
    members: tuple[Enum, ...]

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        return given if isinstance(given, SymbolType) and context.literal(position) in self.members else None

    @override
    def describe(self) -> str:
        return "|".join(str(member.value) for member in self.members)


def symbol(kind: type[Enum], *members: Enum) -> ArgumentTypeStrategy:
    """A keyword: a symbol of the enum, or only of its ``members`` given.

    Example:
        >>> from table_common.types.symbols import TrimMode
        >>> "LEADING" in symbol(TrimMode).describe()
        True
    """
    return _Symbol(kind, members or tuple(kind))


@dataclass(frozen=True, slots=True)
class _TypeLiteral(ArgumentTypeStrategy):
    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        return context.argument_types[position] if position in context.type_literals else None

    @override
    def describe(self) -> str:
        return "<TYPE>"


def type_literal() -> ArgumentTypeStrategy:
    """A type given as an argument.

    Example:
        >>> from table_common.types import IntType
        >>> str(type_literal().infer(CallContext("F", (IntType(),), {}, type_literals={0}), 0))
        'INT'
    """
    return _TypeLiteral()
