"""Whether the state of a process table function has its declared type, looked at after each call.

A call is quick, so the look at its state must be: it compares classes. Only a value of an unexpected class is written as a checkpoint does, whose error says
what is wrong with it. The elements of lists, maps and views are left to the checkpoint.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
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
    accepted = [(name, frozenset((*classes, *([_NONE] if is_nullable else []))), bits) for name, classes, bits, is_nullable in fields]
    positions = [type_.field_names.index(name) for name, _, _ in accepted]

    def check(value: Any) -> None:
        given: Sequence[Any] = [value[position] for position in positions] if isinstance(value, Row) else ()
        for number, (name, classes, bits) in enumerate(accepted):
            one = given[number] if given else getattr(value, name, None)
            if bits and type(one) is int:
                if -1 << bits - 1 <= one < 1 << bits - 1:
                    continue
            elif type(one) in classes:
                continue
            refuse(value, name, one)

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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
