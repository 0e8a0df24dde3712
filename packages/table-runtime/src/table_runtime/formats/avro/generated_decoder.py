"""Generates the code that walks over Avro records of a schema.

The schema becomes a tree of nodes. Each node has a list: of values, of the presence of rows, or of the lengths of arrays and maps. The generated
function appends to these lists; it creates no object per record. Nodes that are not read are skipped.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_common.types import ArrayType, IntType, LogicalType, MapType, MultisetType, RowType, VarCharType
from table_runtime.formats.avro.schema import resolved_schema

_UNROLLED = 6
"""Bytes of a number that are decoded without a loop; six bytes hold the milliseconds of this century."""
WIDTHS = {"double": 8, "float": 4}
_SIMPLE = ("null", "boolean", "int", "long", "float", "double", "bytes", "string", "fixed", "enum")
Walk = Callable[[bytes, Sequence[int | None], io.BytesIO], tuple[int, list[list[Any]]]]


@dataclass(frozen=True, slots=True)
class Node:
    """The encoding of a value: its kind, the position of NULL in a union, the number of its list, the nodes inside, and its type (None: not read)."""

    kind: str
    schema: Any
    null_branch: int | None
    is_union: bool
    slot: int
    type: LogicalType | None
    children: tuple[Node, ...] = ()
    names: tuple[str, ...] = ()
    """The names of the fields of a row."""

    def all(self) -> Iterator[Node]:
        """Yields this node and those inside."""
        yield self
        for child in self.children:
            yield from child.all()


def tree(schema: Any, type_: LogicalType | None, names: Mapping[str, Any], slots: Iterator[int]) -> Node:
    """Returns the node of a schema; ``slots`` yields the numbers of the lists. Unions of several types are of the kind ``nested``."""
    schema = resolved_schema(schema, names)
    is_union, null_branch = isinstance(schema, list), None
    whole = schema
    if is_union:
        branches = [resolved_schema(branch, names) for branch in schema]
        values = [branch for branch in branches if _kind(branch) != "null"]
        if len(values) != 1 or len(branches) > 2:
            return Node("nested", schema, None, True, next(slots), type_)
        schema = values[0]
        null_branch = next((number for number, branch in enumerate(branches) if _kind(branch) == "null"), None)
    kind, slot = _kind(schema), next(slots)
    if kind in _SIMPLE:
        return Node(kind, schema, null_branch, is_union, slot, type_)
    match kind:
        case "record" if type_ is None or isinstance(type_, RowType):
            types = {field.name: field.type for field in type_.fields} if type_ is not None else {}
            fields = [tree(field["type"], types.get(field["name"]), names, slots) for field in schema["fields"]]
            return Node(kind, schema, null_branch, is_union, slot, type_, tuple(fields), tuple(field["name"] for field in schema["fields"]))
        case "array" if type_ is None or isinstance(type_, ArrayType):
            inner: list[tuple[Any, LogicalType | None]] = [(schema["items"], type_.element_type if type_ is not None else None)]
        case "map" if type_ is None or isinstance(type_, MapType | MultisetType):
            value = type_.value_type if isinstance(type_, MapType) else IntType() if type_ is not None else None
            inner = [("string", VarCharType() if type_ is not None else None), (schema["values"], value)]
        case _:
            return Node("nested", whole, None, is_union, slot, type_)
    children = tuple(tree(part, part_type, names, slots) for part, part_type in inner)
    if any(child.kind == "null" for child in children):  # elements without bytes: a damaged count would exhaust the memory
        return Node("nested", whole, None, is_union, slot, type_)
    return Node(kind, schema, null_branch, is_union, slot, type_, children)


def _kind(schema: Any) -> str:
    kind: str = schema["type"] if isinstance(schema, Mapping) else "nested" if isinstance(schema, list) else schema
    return kind


def compiled(nodes: Sequence[Node], count: int, readers: Mapping[int, Callable[[io.BytesIO], Any]]) -> Walk:
    """Returns a function that decodes records of these fields, with ``count`` lists; ``readers`` decode the nodes of the kind ``nested``.

    Its arguments are the data, the end of each record (None: unknown) and a stream of the data; its results are the end position and the lists.
    The generated source contains numbers only, no names.

    Raises:
        SyntaxError: the nodes are too deep for Python.
    """
    lines = ["def walk(data, ends, stream):", "    p, size = 0, len(data)"]
    for slot in range(count):
        lines += [f"    l{slot} = []", f"    a{slot} = l{slot}.append"]
    lines.append("    for end in ends:")
    for node in nodes:
        lines += _step(node, " " * 8)
    lines += [
        "        if p != end and end is not None:",
        "            raise ValueError(f'a record ends at byte {p} instead of {end}')",
        f"    return p, [{', '.join(f'l{slot}' for slot in range(count))}]",
    ]
    namespace: dict[str, Any] = {f"r{slot}": reader for slot, reader in readers.items()}
    exec(compile("\n".join(lines), "<avro schema>", "exec"), namespace)  # generated from numbers only
    walk: Walk = namespace["walk"]
    return walk


def _step(node: Node, indent: str) -> list[str]:
    """Returns the source lines that decode a value at ``p`` and move ``p`` to its end."""
    if not node.is_union or node.kind == "nested":
        return _value(node, indent, 0)
    branches = {0, 1} if node.null_branch is not None else {0}
    value_branch = min(branches - {node.null_branch})
    lines = [f"{indent}t = data[p]", f"{indent}if t == {value_branch * 2}:", *_value(node, indent + "    ", 1)]
    if node.null_branch is not None:
        lines += [f"{indent}elif t == {node.null_branch * 2}:", f"{indent}    p += 1", *_nulls(node, indent + "    ")]
    return [*lines, f"{indent}else:", f"{indent}    raise ValueError(f'there is no branch {{t >> 1}} of a union')"]


def _nulls(node: Node, indent: str) -> list[str]:
    """Returns the source lines that append NULL, also to the fields inside."""
    if node.type is None:
        return []
    lines = [f"{indent}a{node.slot}(None)"]
    for child in node.children if node.kind == "record" else ():
        lines += _nulls(child, indent)
    return lines


def _value(node: Node, indent: str, offset: int) -> list[str]:
    """Returns the source lines that decode a value at ``p + offset``."""
    selected = node.type is not None
    take = f"{indent}a{node.slot}(%s)"
    match node.kind:
        case "null":
            return ([take % "None"] if selected else []) + [f"{indent}p += {offset}"]
        case "boolean":
            return ([take % f"data[{_at(offset)}]"] if selected else []) + [f"{indent}p += {offset + 1}"]
        case "int" | "long" | "enum":
            return [*number_lines(indent, offset), take % "v"] if selected else _skipped_number(indent, offset)
        case "double" | "float" | "fixed":
            width = WIDTHS[node.kind] if node.kind in WIDTHS else int(node.schema["size"])
            return ([take % f"data[{_at(offset)}:{_at(offset + width)}]"] if selected else []) + [f"{indent}p += {offset + width}"]
        case "bytes" | "string":
            check = [f"{indent}if v & 1:", f"{indent}    raise ValueError('a length is negative')", f"{indent}q = p + (v >> 1)"]
            return [*number_lines(indent, offset), *check, *([take % "data[p:q]"] if selected else []), f"{indent}p = q"]
        case "record":
            fields = [line for child in node.children for line in _step(child, indent)]
            return [*([f"{indent}p += {offset}"] if offset else []), *([take % "True"] if selected else []), *fields]
        case "array" | "map":
            return _elements(node, indent, offset)
        case _:
            value = [f"{indent}stream.seek({_at(offset)})", f"{indent}v = r{node.slot}(stream)", f"{indent}p = stream.tell()"]
            return [*value, *([take % "v"] if selected else [])]


def _elements(node: Node, indent: str, offset: int) -> list[str]:
    """Returns the source lines that decode blocks of elements: a count, which if negative is followed by a size, and the elements; at last zero."""
    inner, elements = indent + "    ", [line for child in node.children for line in _step(child, indent + " " * 8)]
    count = f"n{node.slot}"
    lines = [f"{indent}p += {offset}"] if offset else []
    lines += [f"{indent}{count} = 0", f"{indent}while True:", *number_lines(inner, 0), f"{inner}if not v:", f"{inner}    break"]
    lines += [
        f"{inner}if v & 1:",
        f"{inner}    m = (v >> 1) + 1",
        *_skipped_number(inner + "    ", 0),
        f"{inner}else:",
        f"{inner}    m = v >> 1",
    ]
    lines += [f"{inner}if m > size:", f"{inner}    raise ValueError(f'there are no {{m}} elements')"]
    lines += [f"{inner}{count} += m", f"{inner}for _ in range(m):", *elements]
    return [*lines, *([f"{indent}a{node.slot}({count})"] if node.type is not None else [])]


def number_lines(indent: str, offset: int) -> list[str]:
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
