"""Which casts happen by themselves (implicit: nothing is lost) and which can be asked for."""

from __future__ import annotations

from table_common.types.logical import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    INTERVALS,
    NUMERICS,
    TIMESTAMPS,
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    CharType,
    DateType,
    DecimalType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    RowType,
    StructuredType,
    TimeType,
    VarCharType,
    VariantType,
)

__all__ = ["supports_explicit_cast", "supports_implicit_cast"]


def supports_implicit_cast(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether ``source`` becomes ``target`` without being asked; a nullable type never becomes a NOT NULL one."""
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
            return supports_implicit_cast(source.key_type, target.key_type) and supports_implicit_cast(
                source.value_type, target.value_type
            )
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
    if isinstance(source, EXACT_INTEGERS) and isinstance(target, EXACT_INTEGERS):
        return EXACT_INTEGERS.index(type(source)) <= EXACT_INTEGERS.index(type(target))
    if isinstance(target, DecimalType):
        return not isinstance(source, APPROXIMATE_NUMERICS)
    if isinstance(target, APPROXIMATE_NUMERICS):
        return not isinstance(source, APPROXIMATE_NUMERICS) or APPROXIMATE_NUMERICS.index(type(source)) <= APPROXIMATE_NUMERICS.index(
            type(target)
        )
    return False


def supports_explicit_cast(source: LogicalType, target: LogicalType) -> bool:
    """Returns whether CAST takes ``source`` to ``target``."""
    if supports_implicit_cast(source.with_nullability(True), target.with_nullability(True)):
        return True
    scalars = (BooleanType, *NUMERICS, BinaryStringType, DateType, TimeType, *TIMESTAMPS)
    match source, target:
        case VariantType(), _:
            return False
        case _, CharacterType():
            return True
        case CharacterType(), _:
            return isinstance(target, scalars)
        case _:
            pass
    if isinstance(source, (BooleanType, *NUMERICS)):
        return isinstance(target, (BooleanType, *NUMERICS))
    return isinstance(source, (DateType, TimeType, *TIMESTAMPS)) and isinstance(target, (DateType, TimeType, *TIMESTAMPS))
