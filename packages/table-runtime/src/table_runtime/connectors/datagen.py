"""The connector ``datagen``: a table of generated rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from random import SystemRandom
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import to_arrow_schema
from table_common.configuration import ConfigOption, ConfigOptions, ReadableConfig
from table_common.connector import ArrowScanProvider, DynamicTableSource, InputSplit, ScanTableSource
from table_common.exact_decimals import is_whole
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory, validate_options
from table_common.frozen_dataclass import dataclass
from table_common.functions import MAX_VALUE_SIZE
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
from table_runtime.connectors.datagen_columns import ColumnPlan, default_range, generate, value_range
from table_runtime.connectors.datagen_stream import DataGenStream, PacedRows, block_rows

NUMBER_OF_ROWS = (
    ConfigOptions.key("number-of-rows")
    .int_type()
    .no_default_value()
    .with_description("The number of rows; without it the table is unbounded.")
)
ROWS_PER_SECOND = (
    ConfigOptions.key("rows-per-second")
    .int_type()
    .default_value(10_000)
    .with_description("The rate in streaming mode. A table with an end has its rows as fast as they are read unless the option is set.")
)
SEED = (
    ConfigOptions.key("seed")
    .int_type()
    .no_default_value()
    .with_description("The seed of random values, for reproducible rows; not an option of Flink.")
)

_NO_NUMBER = (
    "its rows end with the shortest sequence, but batch mode needs the option 'number-of-rows'; SET 'execution.runtime-mode' = 'streaming'"
    " (EnvironmentSettings.in_streaming_mode()) reads the table without it"
)
_BATCH_ROWS = 65_536
_SPLIT_ROWS = 8 * _BATCH_ROWS
_MOST_BYTES = 2**26
"""Maximum bytes of a batch, estimated from the length options."""
_LONGEST = 2**31 - 1
_NUMBERS = (TinyIntType, SmallIntType, IntType, BigIntType, FloatType, DoubleType, DecimalType)
_RANGES = (*_NUMBERS, YearMonthIntervalType, DayTimeIntervalType)
_LENGTHS = (CharacterType, BinaryStringType, ArrayType, MapType, MultisetType)
_CLOCKS = (DateType, TimeType, TimestampType, LocalZonedTimestampType)


class DataGenTableFactory(DynamicTableSourceFactory):
    """Creates sources of random and sequential values."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "datagen"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return ()

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (NUMBER_OF_ROWS, ROWS_PER_SECOND, SEED)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        table, where, row_type = context.catalog_table, context.where, context.physical_row_type
        keys: list[str] = []
        for field in row_type.fields:
            keys += _keys(f"fields.{field.name}", field.type, where)
        dynamic = [ConfigOptions.key(key).string_type().no_default_value() for key in keys]
        config = validate_options(table.options, self.required_options, (self.CONNECTOR, *self.optional_options, *dynamic), where)
        reader = _OptionReader(table.options, where)
        plans = tuple(reader.plan(f"fields.{field.name}", field.type) for field in row_type.fields)
        rows = config.get(NUMBER_OF_ROWS) if NUMBER_OF_ROWS.key in table.options else None
        if rows is not None and rows < 0:
            raise ValidationException(f"The option 'number-of-rows' of {where} must not be negative, but is {rows}.")
        rate = config.get(ROWS_PER_SECOND)
        if rate < 1:
            raise ValidationException(f"The option 'rows-per-second' of {where} must be at least 1, but is {rate}.")
        has_number = rows is not None
        for most in reader.sequence_lengths:
            rows = most if rows is None else min(rows, most)
        seed = config.get(SEED) if SEED.key in table.options else SystemRandom().getrandbits(62)
        return DataGenTableSource(row_type, plans, rows, seed, rate, has_number, ROWS_PER_SECOND.key in table.options)


def _keys(path: str, type_: LogicalType, where: str) -> list[str]:
    """Returns the option keys of a column of the type."""
    keys = [f"{path}.kind", f"{path}.null-rate"]
    if isinstance(type_, _RANGES):
        keys += [f"{path}.min", f"{path}.max"]
    if isinstance(type_, (*_NUMBERS, CharacterType)):
        keys += [f"{path}.start", f"{path}.end"]
    if isinstance(type_, _LENGTHS):
        keys += [f"{path}.length", f"{path}.var-len"]
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)):
        keys.append(f"{path}.max-past")
    parts = _parts(path, type_)
    if not parts and not isinstance(type_, (*_RANGES, *_LENGTHS, *_CLOCKS, BooleanType)):
        raise ValidationException(f"The connector 'datagen' cannot generate values of the type {type_.summary()} of '{path}' of {where}.")
    for part_path, part in parts:
        keys += _keys(part_path, part, where)
    return keys


def _parts(path: str, type_: LogicalType) -> list[tuple[str, LogicalType]]:
    match type_:
        case RowType():
            return [(f"{path}.{field.name}", field.type) for field in type_.fields]
        case ArrayType() | MultisetType():
            return [(f"{path}.element", type_.element_type)]
        case MapType():
            return [(f"{path}.key", type_.key_type), (f"{path}.value", type_.value_type)]
    return []


def _has_sequence(plan: ColumnPlan) -> bool:
    return plan.start is not None or any(map(_has_sequence, plan.parts))


class _OptionReader:
    """Reads the options of columns and creates their plans."""

    def __init__(self, options: Any, where: str) -> None:
        self._options = options
        self._where = where
        self.sequence_lengths: list[int] = []

    def plan(self, path: str, type_: LogicalType) -> ColumnPlan:
        kind = self._options.get(f"{path}.kind", "random")
        if kind not in ("random", "sequence"):
            raise self._wrong(f"{path}.kind", "'random' or 'sequence'")
        null_rate = self._number(f"{path}.null-rate") or Decimal(0)
        if not 0 <= null_rate <= 1:
            raise self._wrong(f"{path}.null-rate", "a number from 0 to 1")
        start = self._sequence(path, type_) if kind == "sequence" else None
        low, high = self._bounds(path, type_)
        parts = tuple(self._part(part_path, part, type_) for part_path, part in _parts(path, type_))
        past = ConfigOptions.key(f"{path}.max-past").duration_type().default_value(timedelta(0))
        max_past = ReadableConfig(self._options).get(past)
        var_len = self._options.get(f"{path}.var-len", "false").lower() == "true"
        plan = ColumnPlan(path, type_, start, low, high, self._length(path, type_), var_len, max_past, float(null_rate), parts)
        if plan.size > MAX_VALUE_SIZE:
            raise ValidationException(
                f"The values of '{path}' of {self._where} would have {plan.size:,} characters, bytes or elements,"
                f" but a value may have {MAX_VALUE_SIZE:,}.",
                hint=f"The option '{path}.length' sets a lower length.",
            )
        return plan

    def _part(self, path: str, type_: LogicalType, outer: LogicalType) -> ColumnPlan:
        """Returns the plan of a field, or of the elements, keys or values of a collection."""
        plan = self.plan(path, type_)
        if _has_sequence(plan) and not isinstance(outer, RowType):
            raise self._wrong(f"{path}.kind", "'random' inside of arrays, maps and multisets")
        is_key = isinstance(outer, MultisetType) or (isinstance(outer, MapType) and path.endswith(".key"))
        if is_key and plan.null_rate:
            raise self._wrong(f"{path}.null-rate", "0, since keys of maps and elements of multisets are never NULL")
        return plan

    def _bounds(self, path: str, type_: LogicalType) -> tuple[Decimal | None, Decimal | None]:
        low, high = self._value(f"{path}.min", type_), self._value(f"{path}.max", type_)
        default = default_range(type_)
        if default is not None:
            least, greatest = (default[0] if low is None else low), (default[1] if high is None else high)
            if least > greatest and low is not None:
                raise self._wrong(f"{path}.min", f"at most '{path}.max', which is {greatest}")
            if least > greatest:
                raise self._wrong(f"{path}.max", f"at least '{path}.min', which is {least}")
        return low, high

    def _sequence(self, path: str, type_: LogicalType) -> int:
        if not isinstance(type_, (*_NUMBERS, CharacterType)):
            raise self._wrong(f"{path}.kind", f"'random' for the type {type_.summary()}")
        bound_type = type_ if isinstance(type_, _NUMBERS) else BigIntType()
        start, end = self._value(f"{path}.start", bound_type), self._value(f"{path}.end", bound_type)
        if start is None or end is None or start > end:
            raise ValidationException(
                f"A sequence needs the options '{path}.start' and '{path}.end' of {self._where}; the end must not be less than the start."
            )
        for key, bound in ((f"{path}.start", start), (f"{path}.end", end)):
            if not is_whole(bound) or not -(2**63) <= bound < 2**63:
                raise self._wrong(key, "a whole number of 64 bits")
        self.sequence_lengths.append(int(end) - int(start) + 1)
        return int(start)

    def _value(self, key: str, type_: LogicalType) -> Decimal | None:
        """Returns a number that a column of the type can hold."""
        value, limits = self._number(key), value_range(type_)
        if value is None or limits is None:
            return value
        if not limits[0] <= value <= limits[1]:
            raise self._wrong(key, f"in the range of the type {type_.summary()}")
        takes_fractions = isinstance(type_, (FloatType, DoubleType, DecimalType))
        if not takes_fractions and not is_whole(value):
            raise self._wrong(key, "a whole number")
        return value

    def _length(self, path: str, type_: LogicalType) -> int:
        if not isinstance(type_, _LENGTHS):
            return 0
        longest = type_.length if isinstance(type_, (CharacterType, BinaryStringType)) else _LONGEST
        default = 3 if isinstance(type_, (ArrayType, MapType, MultisetType)) else 100 if longest == _LONGEST else longest
        length = self._number(f"{path}.length")
        if length is not None and not 0 <= length <= longest:
            raise self._wrong(f"{path}.length", f"a number from 0 to {longest}")
        return default if length is None else int(length)

    def _number(self, key: str) -> Decimal | None:
        text = self._options.get(key)
        try:
            number = None if text is None else Decimal(text)
        except InvalidOperation as error:
            raise self._wrong(key, "a number") from error
        if number is not None and not number.is_finite():
            raise self._wrong(key, "a number")
        return number

    def _wrong(self, key: str, accepted: str) -> ValidationException:
        return ValidationException(f"The option '{key}' of {self._where} must be {accepted}, but is '{self._options.get(key)}'.")


@dataclass
class DataGenTableSource(ScanTableSource):
    """Generates rows while they are read. In batch mode a table without ``number-of-rows`` is refused, as in Flink."""

    row_type: RowType
    columns: tuple[ColumnPlan, ...]
    rows: int | None
    """The number of rows, by ``number-of-rows`` and the shortest sequence."""
    seed: int
    rows_per_second: int
    has_number: bool
    has_rate: bool = False
    """Whether ``rows-per-second`` is set."""

    @override
    def as_summary_string(self) -> str:
        return "datagen"

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        # Differs from Flink: a table of 'datagen' with an end has a rate only in streaming mode and if 'rows-per-second' is set, so that a
        # first try does not wait.
        if not context.is_bounded_required and self.rows is not None and self.has_rate:
            return PacedRows(DataGenStream(self.row_type, self.columns, self.rows, self.seed, self.rows_per_second))
        if context.is_bounded_required or self.rows is not None:
            rows = self.rows if self.has_number or not context.is_bounded_required else None
            refusal = _NO_NUMBER if rows is None and self.rows is not None else None
            return DataGenProvider(self.row_type, self.columns, rows, self.seed, refusal)
        return DataGenStream(self.row_type, self.columns, None, self.seed, self.rows_per_second)


@dataclass(frozen=True)
class DataGenProvider(ArrowScanProvider):
    """Ranges of rows, each generated independently."""

    row_type: RowType
    columns: tuple[ColumnPlan, ...]
    rows: int | None
    seed: int
    refusal: str | None = None
    """Why batch mode refuses a table whose rows end."""

    @property
    @override
    def is_bounded(self) -> bool:
        return self.rows is not None

    @override
    def splits(self) -> Sequence[InputSplit]:
        rows = self.rows or 0
        return [(start, min(_SPLIT_ROWS, rows - start)) for start in range(0, max(rows, 1), _SPLIT_ROWS)]

    @override
    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        first, count = split
        schema = to_arrow_schema(self.row_type)
        step = block_rows(self.columns, _BATCH_ROWS, _MOST_BYTES)
        for start in range(first, first + count, step):
            size = min(step, first + count - start)
            yield pa.RecordBatch.from_arrays([generate(column, start, size, self.seed) for column in self.columns], schema=schema)
