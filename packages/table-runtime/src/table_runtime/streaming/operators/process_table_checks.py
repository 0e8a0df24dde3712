"""Whether the state of a process table function has its declared type, looked at after each call.

A call is quick, so the look at its state must be: it compares classes. Only a value of an unexpected class is written as a checkpoint does, whose error says
what is wrong with it. The elements of lists, maps and views are left to the checkpoint.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
from operator import attrgetter
from typing import Any

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import DataView, StateEntry
from table_common.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    MapType,
    RowType,
    SmallIntType,
    StructuredType,
    TinyIntType,
    VarCharType,
)
from table_runtime.streaming.state.object_column import ObjectColumn

Check = Callable[[Any], None]
_NONE = type(None)
_BITS: dict[type[LogicalType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}
_CLASSES: dict[type[LogicalType], tuple[type, ...]] = {
    BooleanType: (bool,),
    FloatType: (float, int),
    DoubleType: (float, int),
    DecimalType: (Decimal,),
    VarCharType: (str,),
    CharType: (str,),
    DateType: (datetime.date,),
    ArrayType: (list, tuple),
    MapType: (dict,),
}


def check_of(entry: StateEntry, column: ObjectColumn, function: str) -> Check | None:
    """Returns what looks at a state entry after a call; None if there is nothing to look at."""
    type_ = entry.extracted.type
    class_ = entry.extracted.conversion
    if not isinstance(type_, RowType | StructuredType) or (isinstance(class_, type) and issubclass(class_, DataView)):
        return None
    fields = [
        (field.name, _CLASSES.get(type(field.type), ()), _BITS.get(type(field.type), 0), field.type.nullable) for field in type_.fields
    ]
    fields = [field for field in fields if field[1] or field[2]]
    if not fields:
        return None
    names = [name for name, _, _, _ in fields]
    limits = [(number, 1 << bits - 1) for number, (_, _, bits, _) in enumerate(fields) if bits]
    accepted = [(*classes, *([int] if bits else []), *([_NONE] if is_nullable else [])) for _, classes, bits, is_nullable in fields]
    get = _getter([type_.field_names.index(name) for name in names], names)
    known: set[tuple[type, ...]] = set()
    """The classes of values that were found to be right."""

    def check(value: Any) -> None:
        given = get(value)
        classes = tuple(map(type, given))
        if classes not in known:
            for name, one, right in zip(names, given, accepted, strict=True):
                if type(one) not in right:
                    refuse(value, name, one)
                    break
            else:
                known.add(classes)
        for number, limit in limits:
            one = given[number]
            if one is not None and type(one) is int and not -limit <= one < limit:
                refuse(value, names[number], one)

    def refuse(value: Any, name: str, one: Any) -> None:
        try:
            column.write([value])
        except TableRuntimeException as error:
            raise TableRuntimeException(
                f"The state '{entry.name}' of the function {function} has {_shown(one)} in its field '{name}' after a call, which is not of its "
                f"declared type {type_.field_types[type_.field_names.index(name)].summary()}.",
                hint=f"convert the value before it is set, or declare the field of the state with the type that it has: {error.message}",
            ) from error

    return check


def _getter(positions: Sequence[int], names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    of_object = attrgetter(*names, "__class__")  # with one more, so that it returns a tuple

    def get(value: Any) -> tuple[Any, ...]:
        return tuple([value[position] for position in positions]) if isinstance(value, Row) else of_object(value)[:-1]

    return get


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
