"""Generated columns of the connector ``datagen``."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from sys import float_info
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from table_common.arrow import to_arrow_field, to_arrow_type
from table_common.exact_decimals import ceiling, difference, floor, from_unscaled, unscaled
from table_common.frozen_dataclass import dataclass
from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    YearMonthIntervalType,
)
from table_runtime.columns.batches import cast_array

_HEX = bytes(b"0123456789abcdef"[byte % 16] for byte in range(256))
_BITS: dict[type[LogicalType], int] = {TinyIntType: 7, SmallIntType: 15, IntType: 31, BigIntType: 63}
_PER_MILLISECOND = {"ms": 1, "us": 1000, "ns": 1_000_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST_FLOAT = Decimal((2**24 - 1) * 2**104)


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """How the values of a column, or of an element or field in it, are generated. ``path`` is its name in options and part of the seed."""

    path: str
    type: LogicalType
    start: int | None = None
    """The first value of a sequence; None for random values."""
    low: Decimal | None = None
    high: Decimal | None = None
    length: int = 0
    """The length in characters, bytes or elements."""
    var_len: bool = False
    max_past: timedelta = timedelta(0)
    null_rate: float = 0.0
    parts: tuple[ColumnPlan, ...] = ()

    @property
    def size(self) -> int:
        """The greatest size of a value: characters, bytes or elements; of nested values, those of all elements."""
        inner = sum(part.size for part in self.parts)
        return inner if isinstance(self.type, RowType) else self.length * max(1, inner)


def has_clock(plan: ColumnPlan) -> bool:
    """Returns whether values of the column, or in it, depend on the time."""
    is_clock = isinstance(plan.type, (DateType, TimeType, TimestampType, LocalZonedTimestampType))
    return is_clock or any(map(has_clock, plan.parts))


def generate(plan: ColumnPlan, first: int, count: int, seed: int, time: int | None = None) -> pa.Array:
    """Returns the values of ``count`` rows from ``first``.

    Equal seeds, ranges and times (in milliseconds since 1970, by default the current one) give equal values.
    """
    now = datetime.now(UTC) if time is None else _EPOCH + timedelta(milliseconds=time)
    return _values(plan, first, count, seed, now)


def _values(plan: ColumnPlan, first: int, count: int, seed: int, now: datetime) -> pa.Array:
    rng = Random(f"{seed}/{plan.path}/{first}")
    values = _sequence(plan, first, count) if plan.start is not None else _random(plan, first, count, seed, rng, now)
    if plan.null_rate > 0:
        values = pc.if_else(pc.less(_uniform(count, rng), plan.null_rate), pa.scalar(None, values.type), values)
    return values


def _sequence(plan: ColumnPlan, first: int, count: int) -> pa.Array:
    assert plan.start is not None
    numbers = pa.array(range(plan.start + first, plan.start + first + count), pa.int64())
    target = to_arrow_type(plan.type)
    if pa.types.is_decimal(target):
        return pa.array([Decimal(value) for value in numbers.to_pylist()], target)
    return numbers.cast(target)


def _random(plan: ColumnPlan, first: int, count: int, seed: int, rng: Random, now: datetime) -> pa.Array:
    target = to_arrow_type(plan.type)
    match plan.type:
        case BooleanType():
            return pc.less(_uniform(count, rng), 0.5)
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            low, high = _bounds(plan)
            return _integers(count, int(low), int(high), rng).cast(target)
        case YearMonthIntervalType():
            low, high = _bounds(plan)
            return _integers(count, int(low), int(high), rng).cast(target)
        case DayTimeIntervalType():
            low, high = _bounds(plan)
            return pc.multiply(_integers(count, int(low), int(high), rng), _PER_MILLISECOND[target.unit]).cast(target)
        case FloatType() | DoubleType():
            low, high = _bounds(plan)
            return pc.add(pc.multiply(_uniform(count, rng), float(difference(high, low))), float(low)).cast(target)
        case DecimalType():
            scale = plan.type.scale
            low, high = _bounds(plan)
            least = unscaled(ceiling(low, scale), scale) or 0
            greatest = max(least, unscaled(floor(high, scale), scale) or 0)
            return pa.array([from_unscaled(rng.randint(least, greatest), scale) for _ in range(count)], target)
        case CharacterType() | BinaryStringType():
            return _bytes(plan, count, target, rng)
        case DateType() | TimeType() | TimestampType() | LocalZonedTimestampType():
            return _clock(plan, count, target, rng, now)
        case RowType():
            columns = [_values(part, first, count, seed, now) for part in plan.parts]
            return pa.StructArray.from_arrays(columns, fields=[to_arrow_field(f.name, f.type) for f in plan.type.fields])
        case ArrayType():
            lengths = _lengths(plan, count, rng)
            items = _values(plan.parts[0], first * max(plan.length, 1), sum(lengths), seed, now)
            return pa.ListArray.from_arrays(_offsets(lengths), items, type=target)
        case MapType() | MultisetType():
            return _maps(plan, first, count, seed, rng, now)
    raise AssertionError(plan.type)


def value_range(type_: LogicalType) -> tuple[Decimal, Decimal] | None:
    """Returns the smallest and the largest value of a numeric or interval type (months, milliseconds); None of other types."""
    match type_:
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            return Decimal(-(2 ** _BITS[type(type_)])), Decimal(2 ** _BITS[type(type_)] - 1)
        case YearMonthIntervalType():
            return Decimal(-(2**31)), Decimal(2**31 - 1)
        case DayTimeIntervalType():
            milliseconds = (2**63 - 1) // _PER_MILLISECOND[to_arrow_type(type_).unit]
            return Decimal(-milliseconds), Decimal(milliseconds)
        case FloatType():
            return -_LARGEST_FLOAT, _LARGEST_FLOAT
        case DoubleType():
            return Decimal(-float_info.max), Decimal(float_info.max)
        case DecimalType():
            most = 10**type_.precision - 1
            return from_unscaled(-most, type_.scale), from_unscaled(most, type_.scale)
    return None


def default_range(type_: LogicalType) -> tuple[Decimal, Decimal] | None:
    """Returns the bounds of random values that no option gives; None of types without bounds."""
    match type_:
        case YearMonthIntervalType():
            return Decimal(0), Decimal(120_000)
        case DayTimeIntervalType():
            least, greatest = value_range(type_) or (Decimal(0), Decimal(0))
            return max(Decimal(0), least), min(Decimal(3_650_000 * 86_400_000), greatest)
        case FloatType() | DoubleType():
            return Decimal(0), Decimal(1)
    return value_range(type_)


def _bounds(plan: ColumnPlan) -> tuple[Decimal, Decimal]:
    default = default_range(plan.type)
    assert default is not None
    return (default[0] if plan.low is None else plan.low, default[1] if plan.high is None else plan.high)


def _uniform(count: int, rng: Random) -> pa.Array:
    return pc.random(count, initializer=rng.getrandbits(62))


def _integers(count: int, low: int, high: int, rng: Random) -> pa.Array:
    span = high - low + 1
    if span <= 2**52:
        return pc.add(pc.floor(pc.multiply(_uniform(count, rng), float(span))).cast(pa.int64()), pa.scalar(low, pa.int64()))
    if span == 2**64:
        return pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(rng.randbytes(8 * count))])
    return pa.array([rng.randint(low, high) for _ in range(count)], pa.int64())


def _lengths(plan: ColumnPlan, count: int, rng: Random) -> list[int]:
    if not plan.var_len:
        return [plan.length] * count
    lengths: list[int] = _integers(count, min(1, plan.length), plan.length, rng).to_pylist()
    return lengths


def _offsets(lengths: list[int]) -> pa.Array:
    offsets = array("i", [0])
    total = 0
    for length in lengths:
        total += length
        offsets.append(total)
    return pa.array(offsets, pa.int32())


def _bytes(plan: ColumnPlan, count: int, target: pa.DataType, rng: Random) -> pa.Array:
    lengths = _lengths(plan, count, rng)
    data = rng.randbytes(sum(lengths))
    is_text = isinstance(plan.type, CharacterType)
    buffers = [None, _offsets(lengths).buffers()[1], pa.py_buffer(data.translate(_HEX) if is_text else data)]
    return pa.Array.from_buffers(pa.string() if is_text else pa.binary(), count, buffers).cast(target)


def _clock(plan: ColumnPlan, count: int, target: pa.DataType, rng: Random, now: datetime) -> pa.Array:
    """Returns the current time, or random times up to ``max_past`` before it; for DATE and TIME always the current time."""
    if isinstance(plan.type, DateType):
        return pa.repeat(pa.scalar(now.date(), target), count)
    if isinstance(plan.type, TimeType):
        return pa.repeat(pa.scalar(now.time().replace(microsecond=0), target), count)
    last = (now - _EPOCH) // timedelta(milliseconds=1)
    span = plan.max_past // timedelta(milliseconds=1)
    millis = _integers(count, last - span, last, rng)
    if isinstance(plan.type, (TimestampType, LocalZonedTimestampType)) and plan.type.precision < 3:
        step = 10 ** (3 - plan.type.precision)
        millis = pc.multiply(pc.divide(millis, step), step)
    return pc.multiply(millis, 1000 if target.unit == "us" else 1_000_000).cast(target)


def _maps(plan: ColumnPlan, first: int, count: int, seed: int, rng: Random, now: datetime) -> pa.Array:
    """Returns maps; duplicate keys of a map are removed."""
    lengths = _lengths(plan, count, rng)
    total = sum(lengths)
    base = first * max(plan.length, 1)
    keys = _values(plan.parts[0], base, total, seed, now)
    values = _values(plan.parts[1], base, total, seed, now) if len(plan.parts) > 1 else pa.repeat(pa.scalar(1, pa.int32()), total)
    key_texts: list[Any] = [repr(key) for key in keys.to_pylist()]
    selected_entries: list[int] = []
    sizes: list[int] = []
    start = 0
    for length in lengths:
        last_of_key = list({key_texts[index]: index for index in range(start, start + length)}.values())
        selected_entries += last_of_key
        sizes.append(len(last_of_key))
        start += length
    indices = pa.array(selected_entries, pa.int64())
    return cast_array(pa.MapArray.from_arrays(_offsets(sizes), keys.take(indices), values.take(indices)), to_arrow_type(plan.type))
