"""Encodes columns as Avro records by kernels, without a Python object per record.

Each column becomes a list of pieces, arrays of bytes whose concatenation per row is the encoded value. A record is the concatenation of all pieces.
Integers are divided into groups of bits, and the bytes of each group are looked up in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.types import ArrayType, CharacterType, DecimalType, IntType, LogicalType, MapType, MultisetType, RowType
from table_runtime.casts.nested import compact
from table_runtime.formats.avro.schema import Scaled, encoder_of, resolved_schema

Pieces = list[pa.Array]
Encode = Callable[[pa.Array], Pieces]
_GROUP = 14
"""Bits of an integer that are looked up at once: two bytes, each with seven bits."""
_MOST = 1 << _GROUP
_NOTHING = pa.scalar(b"")
_LONGEST_DECIMAL = 18
"""Digits of the decimals that are 64-bit integers."""


class _NoKernel(Exception):
    """The schema is not the one that is derived from the type."""


def record_pieces(schema: Any, row_type: RowType, names: Mapping[str, Any]) -> Encode | None:
    """Returns the function that encodes rows (a struct array without NULL) as records of the schema; None if it is not derived from the type."""
    try:
        return _encode(schema, row_type.with_nullability(False), names)
    except _NoKernel:
        return None


def concatenated(pieces: Pieces) -> pa.Array:
    """Returns the bytes of each row."""
    return pc.binary_join_element_wise(*pieces, _NOTHING)


def _encode(schema: Any, type_: LogicalType, names: Mapping[str, Any]) -> Encode:
    schema = resolved_schema(schema, names)
    if not isinstance(schema, list):
        return _without_nulls(_encode_value(schema, type_, names))
    branches = [resolved_schema(branch, names) for branch in schema]
    values = [branch for branch in branches if branch != "null"]
    if len(branches) != 2 or len(values) != 1:
        raise _NoKernel
    value_branch = branches.index(values[0])
    encode = _encode_value(values[0], type_, names)
    marks = [bytes([2 * value_branch]), bytes([2 * (1 - value_branch)])]

    def run(array: pa.Array) -> Pieces:
        if not array.null_count:
            return [pa.scalar(marks[0]), *encode(array)]
        valid = pc.is_valid(array)
        mark = pc.if_else(valid, pa.scalar(marks[0]), pa.scalar(marks[1]))
        if array.null_count == len(array):
            return [mark]
        present = array.filter(valid)
        # NULL at the positions of NULLs, else the position of the value.
        positions = pc.if_else(valid, pc.subtract(pc.cumulative_sum(pc.cast(valid, pa.int64())), 1), pa.scalar(None, pa.int64()))
        return [mark, pc.fill_null(pc.take(concatenated(encode(present)), positions), b"")]

    return run


def _without_nulls(encode: Encode) -> Encode:
    def run(array: pa.Array) -> Pieces:
        if array.null_count:
            raise ValueError("a value is NULL, but its type is NOT NULL")
        return encode(array)

    return run


def _encode_value(schema: Any, type_: LogicalType, names: Mapping[str, Any]) -> Encode:
    """Returns the function that encodes an array without NULL."""
    kind = schema["type"] if isinstance(schema, Mapping) else schema
    match type_:
        case CharacterType() if kind == "string":
            return _texts
        case DecimalType() if kind == "bytes":
            if type_.precision > _LONGEST_DECIMAL:
                return _long_decimals(type_)
            return _decimals
        case ArrayType() if kind == "array":
            return _arrays(_encode(schema["items"], type_.element_type, names))
        case MapType() if kind == "map":
            return _maps(_encode(schema["values"], type_.value_type, names))
        case MultisetType() if kind == "map":
            return _maps(_encode(schema["values"], IntType(nullable=False), names))
        case RowType() if kind == "record":
            return _rows(schema, type_, names)
    arrow_type = to_arrow_type(type_)
    match kind:
        case "boolean" if pa.types.is_boolean(arrow_type):
            return lambda array: [pc.if_else(array, pa.scalar(b"\1"), pa.scalar(b"\0"))]
        case "bytes" if pa.types.is_binary(arrow_type):
            return _texts
        case "float" if pa.types.is_float32(arrow_type):
            return lambda array: [_fixed(array, 4)]
        case "double" if pa.types.is_float64(arrow_type):
            return lambda array: [_fixed(array, 8)]
        case "int" | "long" if pa.types.is_integer(arrow_type) or pa.types.is_temporal(arrow_type):
            prepare, convert = encoder_of(type_)
            scaled = convert.array if isinstance(convert, Scaled) else None

            def integers(array: pa.Array) -> Pieces:
                values = pc.cast(prepare(array), pa.int64())
                return _integers(values if scaled is None else scaled(values))

            return integers
        case _:
            raise _NoKernel


def _fixed(array: pa.Array, width: int) -> pa.Array:
    # A fresh array without an offset: a view of a slice would show the whole buffer.
    compacted = pa.concat_arrays([array])
    return pc.cast(compacted.view(pa.binary(width)), pa.binary())


@cache
def _varints() -> pa.Array:
    """Returns the bytes of each group of bits, first as the last group of an integer, then as another one; then no bytes."""
    last = [bytes([value]) if value < 128 else bytes([value & 127 | 128, value >> 7]) for value in range(_MOST)]
    others = [bytes([value & 127 | 128, value >> 7 | 128]) for value in range(_MOST)]
    return pa.array([*last, *others, b""], pa.binary())


def _integers(values: pa.Array) -> Pieces:
    """Encodes integers: the sign in the lowest bit, then seven bits per byte, the low ones first."""
    return _unsigned(pc.bit_wise_xor(pc.shift_left(values, 1), _signs(values)).view(pa.uint64()))


def _signs(values: pa.Array) -> pa.Array:
    """Returns -1 for negative integers, else 0. (Arrow does not shift by all bits.)"""
    return pc.negate(pc.cast(pc.less(values, 0), pa.int64()))


def _unsigned(rest: pa.Array) -> Pieces:
    pieces = []
    highest = pc.max(rest).as_py() or 0
    group_mask, bits, most = (pa.scalar(number, pa.uint64()) for number in (_MOST - 1, _GROUP, _MOST))
    is_there: pa.Array | None = None
    while True:
        group = pc.bit_wise_and(rest, group_mask)
        if highest < _MOST:
            index = group
        else:
            index = pc.add(group, pc.if_else(pc.greater_equal(rest, most), most, pa.scalar(0, pa.uint64())))
        if is_there is not None:
            index = pc.if_else(is_there, index, pa.scalar(2 * _MOST, pa.uint64()))
        pieces.append(pc.take(_varints(), index))
        highest >>= _GROUP
        if not highest:
            return pieces
        rest = pc.shift_right(rest, bits)
        is_there = pc.greater(rest, pa.scalar(0, pa.uint64()))


def _lengths(lengths: pa.Array) -> Pieces:
    return _unsigned(pc.cast(pc.multiply(pc.cast(lengths, pa.int64()), 2), pa.uint64()))


def _texts(array: pa.Array) -> Pieces:
    return [*_lengths(pc.binary_length(array)), pc.cast(array, pa.binary())]


@cache
def _byte_pairs() -> pa.Array:
    """Returns all pairs of bytes, then all single bytes, then no bytes."""
    pairs = [value.to_bytes(2, "big") for value in range(1 << 16)]
    return pa.array([*pairs, *(bytes([value]) for value in range(256)), b""], pa.binary())


def _decimals(array: pa.Array) -> Pieces:
    """Encodes decimals: their unscaled values, as few bytes as possible, the high ones first."""
    numbers = pc.cast(pa.concat_arrays([array]), pa.decimal64(array.type.precision, array.type.scale)).view(pa.int64())
    magnitudes = pc.bit_wise_xor(numbers, _signs(numbers))
    largest = pc.max(magnitudes).as_py() or 0
    most = largest.bit_length() // 8 + 1
    counts = pa.repeat(pa.scalar(1), len(array))
    for count in range(1, most):
        counts = pc.add(counts, pc.cast(pc.greater_equal(magnitudes, 1 << (8 * count - 1)), pa.int64()))
    pieces = []
    for low in range((most - 1) // 2 * 2, -1, -2):
        pair = pc.bit_wise_and(pc.shift_right(numbers, 8 * low), 0xFFFF)
        single = pc.add(pc.bit_wise_and(pair, 0xFF), 1 << 16)
        nothing = pa.scalar((1 << 16) + 256)
        index = pc.if_else(pc.greater_equal(counts, low + 2), pair, pc.if_else(pc.equal(counts, low + 1), single, nothing))
        pieces.append(pc.take(_byte_pairs(), index))
    return [*_lengths(counts), *pieces]


def _long_decimals(type_: DecimalType) -> Encode:
    _, convert = encoder_of(type_)
    assert convert is not None
    write: Callable[[Any], bytes] = convert
    return lambda array: _texts(pa.array([write(value) for value in array.to_pylist()], pa.binary()))


def _blocks(counts: pa.Array, offsets: pa.Array, elements: Pieces) -> Pieces:
    """Encodes the elements of each row as one block, and no elements as none."""
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, concatenated(elements)), b"")
    numbers = [pc.if_else(pc.greater(counts, 0), piece, _NOTHING) for piece in _lengths(counts)]
    return [*numbers, joined, pa.scalar(b"\0")]


def _arrays(encode: Encode) -> Encode:
    def run(array: pa.Array) -> Pieces:
        counts = pc.list_value_length(array)
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(counts)])
        return _blocks(counts, offsets, encode(array.flatten()))

    return run


def _maps(encode: Encode) -> Encode:
    def run(array: pa.Array) -> Pieces:
        array = compact(array)  # keys and items of a slice are those of the whole array
        if array.keys.null_count:
            raise ValueError("a key is NULL")
        offsets = array.offsets
        counts = pc.subtract(offsets[1:], offsets[:-1])
        _require_distinct(array.keys, offsets)
        return _blocks(counts, offsets, [*_texts(array.keys), *encode(array.items)])

    return run


def _require_distinct(keys: pa.Array, offsets: pa.Array) -> None:
    encoded = pc.dictionary_encode(keys)
    maps = pc.list_parent_indices(pa.ListArray.from_arrays(offsets, keys))
    numbers = pc.add(pc.multiply(pc.cast(maps, pa.int64()), len(encoded.dictionary)), pc.cast(encoded.indices, pa.int64()))
    if pc.count_distinct(numbers).as_py() != len(keys):
        raise ValueError("a key occurs twice")


def _rows(schema: Mapping[str, Any], type_: RowType, names: Mapping[str, Any]) -> Encode:
    written = schema["fields"]
    if [field["name"] for field in written] != list(type_.field_names):
        raise _NoKernel
    encoders = [_encode(entry["type"], field.type, names) for entry, field in zip(written, type_.fields, strict=True)]

    def run(array: pa.Array) -> Pieces:
        if not encoders:
            return [pa.repeat(_NOTHING, len(array))]
        return [piece for number, encode in enumerate(encoders) for piece in encode(array.field(number))]

    return run
