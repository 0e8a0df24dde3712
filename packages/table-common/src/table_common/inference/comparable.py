"""Strategies of comparisons: comparable types, and the common type to which both sides are cast."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.annotation import override
from table_common.frozen_dataclass import dataclass
from table_common.inference.argument_types import ArgumentTypeStrategy
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import ArgumentCount, InputTypeStrategy
from table_common.types.casts import supports_explicit_cast
from table_common.types.logical import (
    INTERVALS,
    NUMERICS,
    TIMESTAMPS,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    LogicalType,
    NullType,
    TimeType,
    VarCharType,
)
from table_common.types.merging import exceed_decimal_digits, find_common_type, to_decimal_type

_ORDERED_GROUPS: tuple[tuple[type[LogicalType], ...], ...] = (
    NUMERICS,
    (CharacterType,),
    (BinaryStringType,),
    (BooleanType,),
    (DateType,),
    (TimeType,),
    TIMESTAMPS,
    (INTERVALS[0],),
    (INTERVALS[1],),
)

_READ_FROM_TEXT = (*NUMERICS, BooleanType, DateType, TimeType, *TIMESTAMPS)
"""The types of a value to which IN casts text."""


def is_orderable(type_: LogicalType) -> bool:
    """Returns whether values of the type are ordered: less, greater."""
    return any(isinstance(type_, group) for group in _ORDERED_GROUPS)


def _comparison_types(types: Sequence[LogicalType], *, ordered: bool) -> tuple[LogicalType, ...] | None:
    known = [type_ for type_ in types if not isinstance(type_, NullType)]
    if not known:
        return tuple(types)
    group = next((group for group in _ORDERED_GROUPS if isinstance(known[0], group)), None)
    if group is None:
        if ordered:
            return None
    elif not all(isinstance(type_, group) for type_ in known):
        return None
    if group in ((CharacterType,), (BinaryStringType,)):
        # Lengths do not matter to a comparison: CHAR is not padded.
        return tuple(known[0].with_nullability(True) if isinstance(type_, NullType) else type_ for type_ in types)
    if exceed_decimal_digits(known):  # engines compare these as they are
        return tuple(to_decimal_type(known[0].with_nullability(True) if isinstance(type_, NullType) else type_) or type_ for type_ in types)
    common = find_common_type(list(dict.fromkeys(known)))
    if common is None:
        return None
    nullable, not_null = common.with_nullability(True), common.with_nullability(False)
    return tuple(nullable if type_.nullable else not_null for type_ in types)


@dataclass(frozen=True, slots=True)
class _Comparable(InputTypeStrategy):
    count: ArgumentCount
    ordered: bool
    converts_items: bool = False
    reads_temporal_text: bool = False

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return self.count

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        types: Sequence[LogicalType] = context.argument_types
        if self.converts_items:
            types = _with_items_converted(types)
        return _comparison_types(_with_text_read(types) if self.reads_temporal_text else types, ordered=self.ordered)

    @override
    def signatures(self) -> list[str]:
        text = ", ".join(["<COMPARABLE>"] * self.count.minimum)
        return [text if self.count.maximum is not None else f"{text}, [<COMPARABLE>]..."]

    @override
    def hint(self, context: CallContext) -> str | None:
        return _cast_hint(context.argument_types)


def _cast_hint(types: Sequence[LogicalType]) -> str | None:
    """Returns a hint with the CAST that makes the first two incomparable types comparable, if there is one."""
    given = list(dict.fromkeys(type_.with_nullability(True) for type_ in types if not isinstance(type_, NullType)))
    other = next((type_ for type_ in given if _comparison_types([given[0], type_], ordered=False) is None), None)
    if other is None or not (supports_explicit_cast(given[0], other) and supports_explicit_cast(other, given[0])):
        return None
    first, second = ("STRING" if isinstance(type_, CharacterType) else str(type_) for type_ in (given[0], other))
    return f"compare values of one type: CAST the {given[0]} AS {second}, or the {other} AS {first}"


def _with_items_converted(types: Sequence[LogicalType]) -> Sequence[LogicalType]:
    """Returns the types of a value and a list; a list of text gets the type of a value that is no text, a list of numbers becomes text beside text."""
    value, *items = types
    known = [type_ for type_ in items if not isinstance(type_, NullType)]
    if isinstance(value, CharacterType) and known and all(isinstance(type_, NUMERICS) for type_ in known):
        return [VarCharType(nullable=type_.nullable) for type_ in types]
    if isinstance(value, _READ_FROM_TEXT) and all(isinstance(type_, CharacterType) for type_ in known):
        return [value, *(type_ if isinstance(type_, NullType) else value.with_nullability(type_.nullable) for type_ in items)]
    return types


def _with_text_read(types: Sequence[LogicalType]) -> Sequence[LogicalType]:
    """Returns the types; text that is compared with a date, time or timestamp gets that type."""
    temporal = next((type_ for type_ in types if isinstance(type_, (DateType, TimeType, *TIMESTAMPS))), None)
    if temporal is None:
        return types
    return [temporal.with_nullability(type_.nullable) if isinstance(type_, CharacterType) else type_ for type_ in types]


def comparable(count: int, *, ordered: bool = False, reads_temporal_text: bool = False) -> InputTypeStrategy:
    """``count`` arguments of types that compare, cast to their common type; ``ordered`` leaves out what only knows equality.

    With ``reads_temporal_text``, text that is compared with a date, a time or a timestamp is cast to it.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> context = CallContext("F", (IntType(), BigIntType()), {})
        >>> [str(type_) for type_ in comparable(2).infer(context)]
        ['BIGINT', 'BIGINT']
    """
    return _Comparable(ArgumentCount(count, count), ordered, reads_temporal_text=reads_temporal_text)


def in_list() -> InputTypeStrategy:
    """A value and the list it is looked up in. As in Flink, text in the list is cast to the type of the value; numbers are cast to text if the value is text."""
    return _Comparable(ArgumentCount(2, None), ordered=False, converts_items=True)


@dataclass(frozen=True, slots=True)
class _Orderable(ArgumentTypeStrategy):
    without: tuple[type[LogicalType], ...]

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        return given if is_orderable(given) and not isinstance(given, self.without) else None

    @override
    def describe(self) -> str:
        return "<COMPARABLE>"


def orderable_argument(*without: type[LogicalType]) -> ArgumentTypeStrategy:
    """An argument whose values have an order, but for the classes given."""
    return _Orderable(without)


@dataclass(frozen=True, slots=True)
class _Ordered(InputTypeStrategy):
    strategy: InputTypeStrategy

    @property
    @override
    def argument_count(self) -> ArgumentCount:
        return self.strategy.argument_count

    @override
    def infer(self, context: CallContext) -> tuple[LogicalType, ...] | None:
        types = self.strategy.infer(context)
        return types if types is not None and all(is_orderable(type_) or isinstance(type_, NullType) for type_ in types) else None

    @override
    def signatures(self) -> list[str]:
        return [text.replace("<COMMON>", "<COMPARABLE>") for text in self.strategy.signatures()]


def ordered(strategy: InputTypeStrategy) -> InputTypeStrategy:
    """What the strategy takes, if its values have an order: less, greater."""
    return _Ordered(strategy)
