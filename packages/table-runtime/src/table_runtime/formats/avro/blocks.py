"""Decodes blocks of Avro records into columns without creating a Python object per record.

A function is compiled for each schema (``avro.generated_decoder``). It walks over the bytes and appends each value to the list of its
column: integers in their
encoded form, texts and floating point numbers as slices of the block, lengths of arrays. Arrow then decodes whole columns (signs, UTF-8,
types) and puts rows, arrays and maps together. fastavro decodes unions of several types in place.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import RowType
from table_runtime.columns.batches import with_counted_keys
from table_runtime.formats.avro.generated_decoder import WIDTHS, Node, Walk, compiled, tree
from table_runtime.formats.avro.schema import Convert, Scaled, Unscaled, reader_of, resolved_schema, without_logical_types

if TYPE_CHECKING:
    from table_runtime.formats.avro.columnar_decoder import LaneReader

FEWEST_LANES = 64
"""Records for which it is worthwhile to decode them at the same time."""
_Values = Mapping[int, pa.Array | list[Any]]
"""The values by the slots of the nodes: arrays of physical values, or what the compiled walk has collected."""
WantedColumn = tuple[str | None, Convert | None, pa.DataType]
"""The field of the records (None: no such field), the conversion from a physical value to a value for Arrow, and the column's type."""


class EqualKeys(Exception):
    """A map has a key twice; fastavro then keeps the last value."""


class BlockReader:
    """Decodes consecutive records."""

    def __init__(
        self,
        walk: Walk,
        lanes: LaneReader | None,
        nodes: Sequence[Node | None],
        columns: Sequence[WantedColumn],
        names: Mapping[str, Any],
    ) -> None:
        self._walk = walk
        self._lanes = lanes
        self._nodes = nodes
        self._columns = columns
        self._names = names

    def block(self, data: bytes, count: int) -> list[pa.Array]:
        """Returns the columns of ``count`` records, which take up all of ``data``.

        Raises:
            ValueError: the records do not end at the end of the data.
            EqualKeys: a map has a key twice.
        """
        if self._lanes is not None and count >= FEWEST_LANES:
            values = self._lanes.block(data, count)
            if values is not None:
                return self._arrays(values, count)
        return self._walked(*self._walk(data, (None,) * count, io.BytesIO(data)), count, len(data))

    def messages(self, messages: pa.BinaryArray) -> list[pa.Array]:
        """Returns the columns of records; each message is one record. No message is NULL.

        Raises:
            ValueError: a message is not a record.
            EqualKeys: a map has a key twice.
        """
        if self._lanes is not None and len(messages) >= FEWEST_LANES:
            values = self._lanes.messages(messages)
            if values is not None:
                return self._arrays(values, len(messages))
        ends, end = [], 0
        texts = messages.to_pylist()
        for message in texts:
            end += len(message)
            ends.append(end)
        data = b"".join(texts)
        return self._walked(*self._walk(data, ends, io.BytesIO(data)), len(texts), end)

    def _walked(self, end: int, lists: Sequence[list[Any]], count: int, size: int) -> list[pa.Array]:
        if end != size:
            raise ValueError(f"the records end at byte {end} of {size}")
        return self._arrays(dict(enumerate(lists)), count)

    def _arrays(self, lists: _Values, count: int) -> list[pa.Array]:
        return [
            pa.nulls(count, arrow_type) if node is None else self._array(node, lists, convert, arrow_type)
            for node, (_, convert, arrow_type) in zip(self._nodes, self._columns, strict=True)
        ]

    def _array(self, node: Node, lists: _Values, convert: Convert | None, arrow_type: pa.DataType) -> pa.Array:
        values = lists.get(node.slot, ())
        match node.kind:
            case "record":
                return self._rows(node, lists, _as_array(values, pa.bool_()), arrow_type)
            case "array" | "map":
                lengths = _as_array(values, pa.int32())
                offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(pc.fill_null(lengths, 0))])
                validity = pc.is_valid(lengths).buffers()[1] if lengths.null_count else None
                return self._collections(node, lists, [validity, offsets.buffers()[1]], offsets, arrow_type)
            case _:
                return _array(node, values, convert, arrow_type)

    def _inner(self, node: Node, lists: _Values, arrow_type: pa.DataType) -> pa.Array:
        assert node.type is not None
        return self._array(node, lists, reader_of(node.schema, node.type, self._names, ""), arrow_type)

    def _rows(self, node: Node, lists: _Values, present: pa.Array, arrow_type: pa.DataType) -> pa.Array:
        children = dict(zip(node.names, node.children, strict=True))
        fields = [
            self._inner(children[field.name], lists, field.type) if field.name in children else pa.nulls(len(present), field.type)
            for field in arrow_type
        ]
        mask = pc.is_null(present) if present.null_count else None
        return pa.StructArray.from_arrays(fields, fields=list(arrow_type), mask=mask) if fields else _without_fields(present, arrow_type)

    def _collections(self, node: Node, lists: _Values, buffers: list[Any], offsets: pa.Array, arrow_type: pa.DataType) -> pa.Array:
        if node.kind == "array":
            elements = self._inner(node.children[0], lists, arrow_type.value_type)
        else:
            keys, items = (
                self._inner(child, lists, inner)
                for child, inner in zip(node.children, (arrow_type.key_type, arrow_type.item_type), strict=True)
            )
            if _has_equal_keys(pa.ListArray.from_arrays(offsets, keys), keys):
                raise EqualKeys
            elements = pa.StructArray.from_arrays([keys, items], fields=[arrow_type.key_field, arrow_type.item_field])
        return with_counted_keys(pa.Array.from_buffers(arrow_type, len(offsets) - 1, buffers, children=[elements]))


def block_reader(
    written: Mapping[str, Any], names: Mapping[str, Any], columns: Sequence[WantedColumn], row_type: RowType, library: Any
) -> BlockReader | None:
    """Returns the reader for records of a schema; None if only fastavro can read them: a nested schema refers to another one by name.

    ``names`` are the named schemas by name, ``library`` is fastavro.
    """
    if sys.byteorder != "little":  # Avro's floating point numbers are little-endian
        return None
    if any(_is_nested(entry["type"], names) and _refers(entry["type"], names) for entry in written["fields"]):
        return None
    types = {field.name: field.type for (name, _, _), field in zip(columns, row_type.fields, strict=True) if name is not None}
    slots = count()
    nodes = {entry["name"]: tree(entry["type"], types.get(entry["name"]), names, slots) for entry in written["fields"]}
    readers = {node.slot: _nested_reader(node, library) for field in nodes.values() for node in field.all() if node.kind == "nested"}
    try:
        walk = compiled(list(nodes.values()), next(slots), readers)
    except SyntaxError:  # too deep for Python
        return None
    return BlockReader(
        walk, _lane_reader(list(nodes.values())), [None if name is None else nodes[name] for name, _, _ in columns], columns, names
    )


def _is_nested(schema: Any, names: Mapping[str, Any]) -> bool:
    schema = resolved_schema(schema, names)
    if isinstance(schema, list):
        return any(_is_nested(branch, names) for branch in schema)
    return isinstance(schema, Mapping) and schema["type"] in ("record", "array", "map")


def _refers(schema: Any, names: Mapping[str, Any]) -> bool:
    if isinstance(schema, str):
        return schema in names
    if isinstance(schema, list):
        return any(_refers(branch, names) for branch in schema)
    # The kind "record" is not the name of a schema, even if one has this name.
    inner = [schema[key] for key in ("type", "items", "values") if key in schema and schema[key] not in ("record", "array", "map")]
    inner += [field["type"] for field in schema.get("fields", ())]
    return any(_refers(part, names) for part in inner)


def _nested_reader(node: Node, library: Any) -> Callable[[io.BytesIO], Any]:
    schema = library.parse_schema(without_logical_types(node.schema), {})
    return lambda stream: library.schemaless_reader(stream, schema)


def _without_fields(present: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    validity = pc.is_valid(present).buffers()[1] if present.null_count else None
    return pa.Array.from_buffers(arrow_type, len(present), [validity])


def _has_equal_keys(maps: pa.ListArray, keys: pa.Array) -> bool:
    encoded = pc.dictionary_encode(keys)
    numbers = pc.multiply(pc.cast(pc.list_parent_indices(maps), pa.int64()), len(encoded.dictionary))
    return bool(pc.count_distinct(pc.add(numbers, pc.cast(encoded.indices, pa.int64()))).as_py() != len(keys))


def _as_array(values: pa.Array | Sequence[Any], type_: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, type_)


def _lane_reader(nodes: Sequence[Node]) -> LaneReader | None:
    from table_runtime.formats.avro.columnar_decoder import LaneReader, supports_lanes

    return LaneReader(nodes) if supports_lanes(nodes) else None


def _array(field: Node, values: pa.Array | list[Any], convert: Convert | None, arrow_type: pa.DataType) -> pa.Array:
    physical = _physical(field, values)
    whole = convert.array(physical) if isinstance(convert, Scaled | Unscaled) and not isinstance(physical, list) else None
    if whole is not None:
        physical = whole
    elif convert is not None:
        python_values = physical if isinstance(physical, list) else physical.to_pylist()
        return pa.array([None if value is None else convert(value) for value in python_values], type=arrow_type)
    if isinstance(physical, list):
        return pa.array(physical, type=arrow_type)
    if physical.type == arrow_type:
        return physical
    if pa.types.is_temporal(arrow_type):
        return physical.cast(pa.int32() if arrow_type.bit_width == 32 else pa.int64()).view(arrow_type)
    return physical.cast(arrow_type)


def _physical(field: Node, values: pa.Array | list[Any]) -> pa.Array | list[Any]:
    """Returns the collected values as an array of their physical type; values of nested types unchanged, as a list."""
    if isinstance(values, pa.Array):
        match field.kind:
            case "enum":
                return pa.array(field.schema["symbols"], type=pa.string()).take(values)
            case "string":
                return values.cast(pa.string())
            case _:
                return values
    match field.kind:
        case "int" | "long" | "enum":
            numbers = _signed(pa.array(values, type=pa.uint64()))
            return pa.array(field.schema["symbols"], type=pa.string()).take(numbers) if field.kind == "enum" else numbers
        case "double" | "float":
            return _floating(values, WIDTHS[field.kind])
        case "boolean":
            return pa.array(values, type=pa.uint8()).cast(pa.bool_())
        case "string":
            return pa.array(values, type=pa.binary()).cast(pa.string())
        case "bytes" | "fixed":
            return pa.array(values, type=pa.binary())
        case "null":
            return pa.array(values, type=pa.null())
        case _:
            return values


def _floating(values: list[bytes | None], width: int) -> pa.Array:
    type_ = pa.float64() if width == 8 else pa.float32()
    try:
        joined = b"".join(values)  # type: ignore[arg-type]  # faster, and fails if there is a NULL
    except TypeError:
        return pa.array(values, type=pa.binary(width)).view(type_)
    return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(joined)])


def _signed(numbers: pa.Array) -> pa.Array:
    """Decodes zigzag-encoded integers, whose lowest bit is the sign."""
    inverted = pc.negate(pc.bit_wise_and(numbers, pa.scalar(1, pa.uint64())).view(pa.int64()))
    return pc.bit_wise_xor(pc.shift_right(numbers, pa.scalar(1, pa.uint64())).view(pa.int64()), inverted)
