"""The cast matrix: implicit casts, which lose nothing, and explicit casts."""

from __future__ import annotations

from table_common.types.logical import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    INTERVALS,
    MAX_LENGTH,
    NUMERICS,
    TIMESTAMPS,
    ArrayType,
    BinaryStringType,
    BitmapType,
    BooleanType,
    CharacterType,
    CharType,
    DateType,
    DecimalType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RawType,
    RowType,
    StructuredType,
    TimeType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
)


def supports_implicit_cast(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether ``source`` casts implicitly to ``target``; a nullable type never casts to a NOT NULL one.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> supports_implicit_cast(IntType(), BigIntType()), supports_implicit_cast(BigIntType(), IntType())
        (True, False)
    """
    if source.nullable and not target.nullable:
        return False
    if isinstance(source, NullType) or source.with_nullability(True) == target.with_nullability(True):
        return True
    match source, target:
        case CharType(), CharType() | VarCharType():
            return source.length <= target.length
        case VarCharType(), VarCharType():
            return source.length <= target.length
        case BinaryStringType(), BinaryStringType():
            return source.length <= target.length
        case ArrayType(), ArrayType():
            return supports_implicit_cast(source.element_type, target.element_type)
        case MultisetType(), MultisetType():
            return supports_implicit_cast(source.element_type, target.element_type)
        case MapType(), MapType():
            return supports_implicit_cast(source.key_type, target.key_type) and supports_implicit_cast(source.value_type, target.value_type)
        case RowType() | StructuredType(), RowType() | StructuredType():
            return len(source.fields) == len(target.fields) and all(
                supports_implicit_cast(a, b) for a, b in zip(source.field_types, target.field_types, strict=True)
            )
        case TimeType(), TimeType():
            return source.precision <= target.precision
        case _:
            pass
    if isinstance(source, TIMESTAMPS) and isinstance(target, TIMESTAMPS):
        return True
    if isinstance(source, INTERVALS):
        return type(source) is type(target)
    return _widens(source, target)


def _widens(source: LogicalType, target: LogicalType) -> bool:
    if not isinstance(source, NUMERICS) or not isinstance(target, NUMERICS):
        return False
    if holds_integers_of(target, source):
        return True
    if isinstance(target, DecimalType):
        return not isinstance(source, APPROXIMATE_NUMERICS)
    if isinstance(target, APPROXIMATE_NUMERICS):
        return not isinstance(source, APPROXIMATE_NUMERICS) or APPROXIMATE_NUMERICS.index(type(source)) <= APPROXIMATE_NUMERICS.index(
            type(target)
        )
    return False


def holds_integers_of(target: LogicalType, source: LogicalType) -> bool:
    """Returns whether both are integer types and ``target`` holds every value of ``source``; nullability is ignored.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> holds_integers_of(BigIntType(), IntType()), holds_integers_of(IntType(), BigIntType())
        (True, False)
    """
    both = isinstance(source, EXACT_INTEGERS) and isinstance(target, EXACT_INTEGERS)
    return both and EXACT_INTEGERS.index(type(source)) <= EXACT_INTEGERS.index(type(target))


def supports_explicit_cast(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether CAST converts ``source`` to ``target``, possibly with an error for some values; nullability is ignored.

    Example:
        >>> from table_common.types import IntType, VarCharType
        >>> supports_explicit_cast(VarCharType(), IntType())
        True
    """
    match source, target:
        case _ if isinstance(source, NullType):
            return True
        case ArrayType(), ArrayType():
            return supports_explicit_cast(source.element_type, target.element_type)
        case MultisetType(), MultisetType():
            return supports_explicit_cast(source.element_type, target.element_type)
        case MapType(), MapType():
            return supports_explicit_cast(source.key_type, target.key_type) and supports_explicit_cast(source.value_type, target.value_type)
        case RowType() | StructuredType(), RowType() | StructuredType():
            return len(source.fields) == len(target.fields) and all(
                supports_explicit_cast(a, b) for a, b in zip(source.field_types, target.field_types, strict=True)
            )
        case BitmapType(), VarBinaryType():
            # Differs from Flink: a BITMAP casts to BYTES, as its serialized form, also outside of a ROW, where Flink cannot run it.
            return target.length == MAX_LENGTH
        case _:
            pass
    if supports_implicit_cast(source.with_nullability(True), target.with_nullability(True)):
        return True
    group = next((targets for kinds, targets in _EXPLICIT if isinstance(source, kinds)), ())
    return isinstance(target, group)


_TIMES = (DateType, TimeType, *TIMESTAMPS)
# From kinds of types to kinds of types, the first row that holds the source.
_EXPLICIT: tuple[tuple[tuple[type[LogicalType], ...], tuple[type[LogicalType], ...]], ...] = (
    ((*EXACT_INTEGERS, DecimalType), (CharacterType, BooleanType, *NUMERICS, YearMonthIntervalType)),
    ((BooleanType, *NUMERICS), (CharacterType, BooleanType, *NUMERICS)),
    ((CharacterType,), (CharacterType, BinaryStringType, BooleanType, *NUMERICS, *_TIMES)),
    ((BinaryStringType,), (CharacterType, BinaryStringType)),
    ((DateType,), (CharacterType, DateType, *TIMESTAMPS)),
    ((TimeType,), (CharacterType, TimeType, *TIMESTAMPS)),
    (TIMESTAMPS, (CharacterType, *_TIMES)),
    (INTERVALS, (CharacterType,)),
    ((ArrayType, MultisetType, MapType, RowType, StructuredType, RawType, BitmapType), (CharacterType,)),
)


def supports_avoiding_cast(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether every value of ``source`` is a value of ``target`` unchanged, so that no cast is needed.

    This holds for equal types, for text and bytes with a greater variable length, and for types composed of such types, whatever the names of
    their fields; not from a nullable type to a NOT NULL one.

    Example:
        >>> from table_common.types import CharType, IntType, VarCharType
        >>> supports_avoiding_cast(CharType(3), VarCharType(5)), supports_avoiding_cast(IntType(), VarCharType())
        (True, False)
    """
    if source.nullable and not target.nullable:
        return False
    if source.with_nullability(True) == target.with_nullability(True):
        return True
    match source, target:
        case CharacterType(), VarCharType():
            return source.length <= target.length
        case BinaryStringType(), VarBinaryType():
            return source.length <= target.length
        case ArrayType(), ArrayType():
            return supports_avoiding_cast(source.element_type, target.element_type)
        case MultisetType(), MultisetType():
            return supports_avoiding_cast(source.element_type, target.element_type)
        case MapType(), MapType():
            return supports_avoiding_cast(source.key_type, target.key_type) and supports_avoiding_cast(source.value_type, target.value_type)
        case RowType(), RowType():
            return len(source.fields) == len(target.fields) and all(
                supports_avoiding_cast(a, b) for a, b in zip(source.field_types, target.field_types, strict=True)
            )
        case _:
            return False
