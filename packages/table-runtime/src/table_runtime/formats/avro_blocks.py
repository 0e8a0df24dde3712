"""Decodes blocks of Avro records into columns without creating a Python object per record.

A function is compiled for each schema. It walks over the bytes and appends each value to the list of its column: integers in their encoded
form, texts and floating point numbers as slices of the block. Arrow then decodes whole columns (signs, UTF-8, types). Columns that are not
read are skipped. fastavro decodes values of nested types in place.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.formats.avro_schema import Convert, Scaled, resolved_schema, without_logical_types

__all__ = ["BlockReader", "WantedColumn", "block_reader"]

_UNROLLED = 6
"""Bytes of a number that are decoded without a loop; six bytes hold the milliseconds of this century."""
_WIDTHS = {"double": 8, "float": 4}
_SIMPLE = ("null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "enum")
WantedColumn = tuple[str | None, Convert | None, pa.DataType]
"""The field of the records (None: no such field), the conversion from a physical value to a value for Arrow, and the column's type."""


@dataclass(frozen=True, slots=True)
class _Field:
    """The encoding of a field: the kind of its values, and the position of NULL in a union."""

    kind: str
    schema: Any
    null_branch: int | None
    is_union: bool


class BlockReader:
    """Decodes consecutive records."""

    def __init__(self, fields: Sequence[_Field], positions: Sequence[int | None], columns: Sequence[WantedColumn], library: Any) -> None:
        self._fields = fields
        self._positions = positions
        self._columns = columns
        selected = {position for position in positions if position is not None}
        readers = [_nested_reader(field, library) for field in fields]
        self._walk = _compiled(fields, selected, readers)

    def block(self, data: bytes, count: int) -> list[pa.Array]:
        """Returns the columns of ``count`` records, which take up all of ``data``.

        Raises:
            ValueError: the records do not end at the end of the data.
        """
        return self._arrays(*self._walk(data, (None,) * count, io.BytesIO(data)), count, len(data))

    def messages(self, messages: Sequence[bytes]) -> list[pa.Array]:
        """Returns the columns of records; each message is one record.

        Raises:
            ValueError: a message is not a record.
        """
        ends, end = [], 0
        for message in messages:
            end += len(message)
            ends.append(end)
        data = b"".join(messages)
        return self._arrays(*self._walk(data, ends, io.BytesIO(data)), len(messages), end)

    def _arrays(self, end: int, lists: Sequence[list[Any]], count: int, size: int) -> list[pa.Array]:
        if end != size:
            raise ValueError(f"the records end at byte {end} of {size}")
        arrays = []
        for position, (_, convert, arrow_type) in zip(self._positions, self._columns, strict=True):
            if position is None:
                arrays.append(pa.nulls(count, arrow_type))
            else:
                arrays.append(_array(self._fields[position], lists[position], convert, arrow_type))
        return arrays


def block_reader(written: Mapping[str, Any], names: Mapping[str, Any], columns: Sequence[WantedColumn], library: Any) -> BlockReader | None:
    """Returns the reader for records of a schema; None if only fastavro can read them: a nested schema refers to another one by name.

    ``names`` are the named schemas by name, ``library`` is fastavro.
    """
    if sys.byteorder != "little":  # Avro's floating point numbers are little-endian
        return None
    fields = []
    for entry in written["fields"]:
        field = _field(entry["type"], names)
        if field.kind == "nested" and _refers(field.schema, names):
            return None
        fields.append(field)
    by_name = {entry["name"]: position for position, entry in enumerate(written["fields"])}
    return BlockReader(fields, [None if name is None else by_name[name] for name, _, _ in columns], columns, library)


def _field(schema: Any, names: Mapping[str, Any]) -> _Field:
    schema = resolved_schema(schema, names)
    if not isinstance(schema, list):
        return _Field(_kind(schema), schema, None, False)
    branches = [resolved_schema(branch, names) for branch in schema]
    non_null = [branch for branch in branches if _kind(branch) != "null"]
    if len(non_null) != 1 or len(branches) > 2 or _kind(non_null[0]) == "nested":
        return _Field("nested", schema, None, True)
    return _Field(_kind(non_null[0]), non_null[0], next((i for i, branch in enumerate(branches) if _kind(branch) == "null"), None), True)


def _kind(schema: Any) -> str:
    kind = schema["type"] if isinstance(schema, Mapping) else schema
    return kind if kind in _SIMPLE else "nested"


def _refers(schema: Any, names: Mapping[str, Any]) -> bool:
    if isinstance(schema, str):
        return schema in names
    if isinstance(schema, list):
        return any(_refers(branch, names) for branch in schema)
    inner = (*(schema[key] for key in ("type", "items", "values") if key in schema), *(field["type"] for field in schema.get("fields", ())))
    return any(_refers(part, names) for part in inner)


def _nested_reader(field: _Field, library: Any) -> Callable[[io.BytesIO], Any] | None:
    if field.kind != "nested":
        return None
    schema = library.parse_schema(without_logical_types(field.schema), {})
    return lambda stream: library.schemaless_reader(stream, schema)


def _array(field: _Field, values: list[Any], convert: Convert | None, arrow_type: pa.DataType) -> pa.Array:
    physical = _physical(field, values)
    if isinstance(convert, Scaled) and not isinstance(physical, list):
        physical = convert.array(physical)
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


def _physical(field: _Field, values: list[Any]) -> pa.Array | list[Any]:
    """Returns the collected values as an array of their physical type; values of nested types unchanged, as a list."""
    match field.kind:
        case "int" | "long" | "enum":
            numbers = _signed(pa.array(values, type=pa.uint64()))
            return pa.array(field.schema["symbols"], type=pa.string()).take(numbers) if field.kind == "enum" else numbers
        case "double" | "float":
            return _floating(values, _WIDTHS[field.kind])
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


def _compiled(
    fields: Sequence[_Field], selected: set[int], readers: Sequence[Callable[[io.BytesIO], Any] | None]
) -> Callable[[bytes, Sequence[int | None], io.BytesIO], tuple[int, list[list[Any]]]]:
    """Returns a function that decodes records.

    Its arguments are the data, the end of each record (None: unknown) and a stream of the data; its results are the end position and a list
    per field. The generated source contains positions of fields only, no names.
    """
    lines = ["def walk(data, ends, stream):", "    p = 0"]
    for position in range(len(fields)):
        lines += [f"    l{position} = []", f"    a{position} = l{position}.append"]
    lines.append("    for end in ends:")
    for position, field in enumerate(fields):
        lines += _step(position, field, position in selected)
    lines += [
        "        if p != end and end is not None:",
        "            raise ValueError(f'a record ends at byte {p} instead of {end}')",
        f"    return p, [{', '.join(f'l{position}' for position in range(len(fields)))}]",
    ]
    namespace: dict[str, Any] = {f"r{position}": reader for position, reader in enumerate(readers)}
    exec(compile("\n".join(lines), "<avro schema>", "exec"), namespace)  # generated from numbers only
    walk: Callable[[bytes, Sequence[int | None], io.BytesIO], tuple[int, list[list[Any]]]] = namespace["walk"]
    return walk


def _step(position: int, field: _Field, selected: bool) -> list[str]:
    """Returns the source lines that decode one field at ``p`` and move ``p`` to its end."""
    if not field.is_union or field.kind == "nested":
        return _value(position, field, selected, " " * 8, 0)
    branches = {0, 1} if field.null_branch is not None else {0}
    value_branch = min(branches - {field.null_branch})
    lines = ["        t = data[p]", f"        if t == {value_branch * 2}:", *_value(position, field, selected, " " * 12, 1)]
    if field.null_branch is not None:
        lines += [f"        elif t == {field.null_branch * 2}:", "            p += 1"]
        lines += [f"            a{position}(None)"] if selected else []
    return [*lines, "        else:", "            raise ValueError(f'there is no branch {t >> 1} of a union')"]


def _value(position: int, field: _Field, selected: bool, indent: str, offset: int) -> list[str]:
    """Returns the source lines that decode a value at ``p + offset``."""
    take = f"{indent}a{position}(%s)"
    match field.kind:
        case "null":
            return ([take % "None"] if selected else []) + [f"{indent}p += {offset}"]
        case "boolean":
            return ([take % f"data[{_at(offset)}]"] if selected else []) + [f"{indent}p += {offset + 1}"]
        case "int" | "long" | "enum":
            return [*_number(indent, offset), take % "v"] if selected else _skipped_number(indent, offset)
        case "double" | "float" | "fixed":
            width = _WIDTHS[field.kind] if field.kind in _WIDTHS else int(field.schema["size"])
            return ([take % f"data[{_at(offset)}:{_at(offset + width)}]"] if selected else []) + [f"{indent}p += {offset + width}"]
        case "bytes" | "string":
            check = [f"{indent}if v & 1:", f"{indent}    raise ValueError('a length is negative')", f"{indent}q = p + (v >> 1)"]
            return [*_number(indent, offset), *check, *([take % "data[p:q]"] if selected else []), f"{indent}p = q"]
        case _:
            value = [f"{indent}stream.seek({_at(offset)})", f"{indent}v = r{position}(stream)", f"{indent}p = stream.tell()"]
            return [*value, *([take % "v"] if selected else [])]


def _number(indent: str, offset: int) -> list[str]:
    """Returns the source lines that decode a number, seven bits per byte, to ``v``."""
    lines = [f"{indent}v = data[{_at(offset)}]"]
    terms, excess = "v", 0
    for count in range(1, _UNROLLED):
        # Each byte but the last has its highest bit set; the sum of these bits is a constant.
        done = f"p += {offset + count}" if count == 1 else f"p += {offset + count}; v = {terms} - {excess}"
        lines += [f"{indent}if {'v' if count == 1 else f'b{count - 1}'} < 128:", f"{indent}    {done}", f"{indent}else:"]
        indent += "    "
        lines.append(f"{indent}b{count} = data[{_at(offset + count)}]")
        excess += 128 << (7 * (count - 1))
        terms += f" + (b{count} << {7 * count})"
    lines += [
        f"{indent}p += {offset + _UNROLLED}",
        f"{indent}v = {terms} - {excess}",
        f"{indent}s, b = {7 * _UNROLLED}, b{_UNROLLED - 1}",
        f"{indent}while b > 127:",
        f"{indent}    b = data[p]",
        f"{indent}    p += 1",
        f"{indent}    v += (b << s) - (128 << (s - 7))",
        f"{indent}    s += 7",
    ]
    return lines


def _skipped_number(indent: str, offset: int) -> list[str]:
    start = [f"{indent}p += {offset}"] if offset else []
    return [*start, f"{indent}while data[p] > 127:", f"{indent}    p += 1", f"{indent}p += 1"]


def _at(offset: int) -> str:
    return f"p + {offset}" if offset else "p"
