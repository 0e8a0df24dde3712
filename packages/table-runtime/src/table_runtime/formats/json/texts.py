"""Writes columns as JSON text, by kernels. The text of a NULL value is NULL; the container that it is in writes ``null``."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException, TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.types import (
    ArrayType,
    BooleanType,
    CharacterType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
)
from table_runtime.casts.nested import compact
from table_runtime.formats.text.values import float_texts, to_text

_Write = Callable[[pa.Array], pa.Array]
_ESCAPES = (("\\", r"\\"), ('"', r"\""), ("\n", r"\n"), ("\r", r"\r"), ("\t", r"\t"), ("\b", r"\b"), ("\f", r"\f"))
_EMPTY = pa.scalar("")


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """How values are written: the format's name for messages, and its options."""

    format_name: str
    standard: str
    null_key_mode: str
    null_key: str
    ignore_null_fields: bool
    plain_decimals: bool


def text_writer(type_: LogicalType, style: JsonStyle) -> _Write:
    """Returns the function that writes values of a type as text.

    Raises:
        TableException: the format does not support the type.
    """
    match type_:
        case CharacterType():
            return quoted_texts
        case BooleanType():
            return lambda array: to_text(array, type_)
        case FloatType() | DoubleType():
            return _number_texts
        case DecimalType():
            return _plain_decimals if style.plain_decimals else lambda array: pc.cast(array, pa.string())
        case ArrayType():
            return _array_writer(type_, style)
        case MapType():
            return _map_writer(type_.key_type, type_.value_type, style)
        case MultisetType():
            return _map_writer(type_.element_type, IntType(), style)
        case RowType():
            return _row_writer(type_, style)
        case _:
            arrow_type = to_arrow_type(type_)
            if pa.types.is_integer(arrow_type):
                return lambda array: pc.cast(array, pa.string())
            if pa.types.is_duration(arrow_type) or not hasattr(type_, "summary"):
                raise TableException(f"The format '{style.format_name}' does not support values of the type {type_.summary()}.")
            return lambda array: _joined('"', to_text(array, type_, standard=style.standard), '"')


def quoted_texts(array: pa.Array) -> pa.Array:
    """Returns texts as JSON strings."""
    special = pc.match_substring_regex(array, r'["\\\x00-\x1f]')
    if pc.any(special).as_py() is True:
        escaped = array
        for character, escape in _ESCAPES:
            escaped = pc.replace_substring(escaped, character, escape)
        if pc.any(pc.match_substring_regex(escaped, r"[\x00-\x1f]")).as_py():
            escaped = pa.array(
                [None if text is None else json.dumps(text, ensure_ascii=False)[1:-1] for text in array.to_pylist()], pa.string()
            )
        array = escaped
    return _joined('"', array, '"')


def _joined(*parts: pa.Array | str) -> pa.Array:
    return pc.binary_join_element_wise(*(pa.scalar(part) if isinstance(part, str) else part for part in parts), _EMPTY)


def _number_texts(array: pa.Array) -> pa.Array:
    texts = float_texts(array)
    finite = pc.is_finite(array)
    return texts if pc.all(finite).as_py() is not False else pc.if_else(finite, texts, _joined('"', texts, '"'))


def _plain_decimals(array: pa.Array) -> pa.Array:
    return to_text(array, DecimalType(array.type.precision, array.type.scale))


def _or_null(texts: pa.Array) -> pa.Array:
    return pc.fill_null(texts, "null") if texts.null_count else texts


def _with_nulls_of(texts: pa.Array, array: pa.Array) -> pa.Array:
    return pc.if_else(pc.is_valid(array), texts, pa.scalar(None, pa.string())) if array.null_count else texts


def _lists(lengths: pa.Array, texts: pa.Array, start: str, end: str) -> pa.Array:
    """Returns the texts of lists; ``lengths`` are the numbers of their elements."""
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
    return _joined(start, pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ","), end)


def _array_writer(type_: ArrayType, style: JsonStyle) -> _Write:
    write = text_writer(type_.element_type, style)

    def run(array: pa.Array) -> pa.Array:
        lengths = pc.fill_null(pc.list_value_length(array), 0)
        return _with_nulls_of(_lists(lengths, _or_null(write(array.flatten())), "[", "]"), array)

    return run


def _map_writer(key_type: LogicalType, value_type: LogicalType, style: JsonStyle) -> _Write:
    write = text_writer(value_type, style)

    def run(array: pa.Array) -> pa.Array:
        array = compact(array)  # keys and items of a slice are those of the whole array
        keys, values, offsets = to_text(array.keys, key_type, standard=style.standard), _or_null(write(array.items)), array.offsets
        if keys.null_count:
            if style.null_key_mode == "FAIL":
                raise TableRuntimeException(
                    "A map with a NULL key cannot be written as JSON.",
                    hint=f"Set the table's option '{style.format_name}.map-null-key.mode'.",
                )
            if style.null_key_mode == "DROP":
                present = pc.is_valid(keys)
                before = pc.cumulative_sum(pc.cast(present, pa.int32()))
                offsets = pc.take(pa.concat_arrays([pa.array([0], pa.int32()), before]), offsets)
                keys, values = keys.filter(present), values.filter(present)
            else:
                keys = pc.fill_null(keys, style.null_key)
        keys, values, offsets = _last_of_equal_keys(keys, values, offsets)
        entries = _joined(quoted_texts(keys), ":", values)
        return _with_nulls_of(_joined("{", pc.binary_join(pa.ListArray.from_arrays(offsets, entries), ","), "}"), array)

    return run


def _last_of_equal_keys(keys: pa.Array, values: pa.Array, offsets: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Returns the entries without those whose key occurs again in the map: the last value takes the place of the first."""
    encoded = pc.dictionary_encode(keys)
    maps = pc.list_parent_indices(pa.ListArray.from_arrays(offsets, keys))
    numbers = pc.add(pc.multiply(pc.cast(maps, pa.int64()), len(encoded.dictionary)), pc.cast(encoded.indices, pa.int64()))
    if pc.count_distinct(numbers).as_py() == len(keys):
        return keys, values, offsets
    names, texts, ends = keys.to_pylist(), values.to_pylist(), offsets.to_pylist()
    kept: list[tuple[str, str]] = []
    new_offsets = [0]
    for start, end in pairwise(ends):
        kept += dict(zip(names[start:end], texts[start:end], strict=True)).items()
        new_offsets.append(len(kept))
    columns = [pa.array(column, pa.string()) for column in zip(*kept, strict=True)]
    return columns[0], columns[1], pa.array(new_offsets, pa.int32())


def _row_writer(type_: RowType, style: JsonStyle) -> _Write:
    writers = [text_writer(field.type, style) for field in type_.fields]
    names = [json.dumps(name, ensure_ascii=False) for name in type_.field_names]

    def run(array: pa.Array) -> pa.Array:
        columns = [write(array.field(number)) for number, write in enumerate(writers)]
        if not columns:
            texts = pa.repeat(pa.scalar("{}"), len(array))
        elif style.ignore_null_fields:
            members = [pc.fill_null(_joined(f",{name}:", column), "") for name, column in zip(names, columns, strict=True)]
            joined = _joined(*members)
            texts = _joined("{", pc.if_else(pc.equal(joined, ""), joined, pc.utf8_slice_codeunits(joined, 1)), "}")
        else:
            parts: list[pa.Array | str] = []
            for number, (name, column) in enumerate(zip(names, columns, strict=True)):
                parts += (f"{',' if number else '{'}{name}:", _or_null(column))
            texts = _joined(*parts, "}")
        return _with_nulls_of(texts, array)

    return run
