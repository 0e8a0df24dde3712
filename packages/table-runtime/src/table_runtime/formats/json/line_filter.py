"""Finds the lines of JSON that Arrow's parser reads without an error, by regular expressions for the row type.

A line that Arrow refuses makes it refuse the whole block. ``likely_lines`` finds most of these lines by their ends and by values of
other kinds than expected. ``plain_lines`` is slower and finds all: it matches objects whose members have values of the expected kinds. Both may miss
valid lines, for instance very deep ones; these are then parsed one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.types import (
    ArrayType,
    BooleanType,
    DecimalType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
)
from table_runtime.casts.nested import entry_types
from table_runtime.formats.json.maps import VALUE

_SPACE = r"[ \t\r]*"
_CHARACTER = r'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})'
_SURROGATE = rb"\\u[dD][89a-fA-F]"
_PLAIN = r'[^"\\\x00-\x1f'
_STRING = f'"{_CHARACTER}*"'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"
_FEW = 8
"""Up to this number of lines are checked one by one."""
_ANY_DEPTH = 1
"""Levels of values that are not read."""
_WHOLE = {
    8: "(?:[0-9]|[1-9][0-9]|1[01][0-9])",
    16: "(?:0|[1-9][0-9]{0,3})",
    32: "(?:0|[1-9][0-9]{0,8}|1[0-9]{9})",
    64: "(?:0|[1-9][0-9]{0,17})",
}
"""Patterns of whole numbers that fit into an integer, by its bits."""
_LARGE = {8: "[0-9]{4}|[2-9][0-9]{2}", 16: "[0-9]{6}|[4-9][0-9]{4}", 32: "[0-9]{11}|[3-9][0-9]{9}", 64: "[0-9]{20}"}
"""The beginnings of whole numbers that do not fit."""
_NUMBER_STARTS = (r"\-", "0-9", "n")


def likely_lines(lines: pa.Array, wrong: str) -> pa.Array:
    """Returns a mask of the lines (of bytes) that look like objects and do not match the pattern of wrong values; false for NULL."""
    ends = pc.or_(pc.ends_with(lines, b"}"), pc.ends_with(lines, b"}\r"))
    likely = pc.and_(pc.and_(pc.starts_with(lines, b"{"), ends), pc.invert(pc.match_substring_regex(lines, wrong)))
    return pc.fill_null(pc.and_(likely, are_texts(lines)), False)


def plain_lines(lines: pa.Array, pattern: str) -> pa.Array:
    """Returns a mask of the lines (of bytes) that match the pattern and are UTF-8; false for NULL."""
    plain = pc.and_(pc.match_substring_regex(lines, pattern), are_texts(lines))
    if pc.any(pc.match_substring(lines, b"\\u")).as_py():
        # Arrow refuses halves of surrogate pairs.
        plain = pc.and_(plain, pc.invert(pc.match_substring_regex(lines, _SURROGATE)))
    return pc.fill_null(plain, False)


def are_texts(lines: pa.Array) -> pa.Array | pa.Scalar:
    """Returns which lines (of bytes) are UTF-8: a mask, or true for all of them; NULL is not."""
    try:
        pc.cast(lines, pa.string())
    except pa.ArrowInvalid:
        if len(lines) <= _FEW:
            return pa.array([line is not None and _is_text(line) for line in lines.to_pylist()], pa.bool_())
        middle = len(lines) // 2
        halves = [(part, are_texts(part)) for part in (lines[:middle], lines[middle:])]
        return pa.concat_arrays([mask if isinstance(mask, pa.Array) else pc.is_valid(part) for part, mask in halves])
    return pa.scalar(True)


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def object_pattern(row_type: RowType, quoted: Collection[str]) -> str:
    """Returns the pattern of a line with a row; ``quoted`` are the paths of numbers that are written as text."""
    return f"^{_SPACE}{_object(row_type, '', quoted)}{_SPACE}$"


def wrong_pattern(row_type: RowType, quoted: Collection[str]) -> str:
    """Returns the pattern of a member, at any depth, with a value that Arrow does not read for a field of this name."""
    starts: dict[str, set[str]] = {}
    large: dict[str, set[str]] = {}
    _collect(row_type, "", quoted, starts, large)
    names: dict[str, list[str]] = {}
    for name, characters in starts.items():
        names.setdefault("".join(sorted(characters)), []).append(name)
    parts = [f'(?:{"|".join(group)})"{_SPACE}:{_SPACE}[^{characters} \\t\\r]' for characters, group in names.items()]
    numbers: dict[str, list[str]] = {}
    for name, patterns in large.items():
        if len(patterns) == 1 and len(starts[name]) == len(_NUMBER_STARTS):
            numbers.setdefault(next(iter(patterns)), []).append(name)
    parts += [f'(?:{"|".join(group)})"{_SPACE}:{_SPACE}-?(?:{pattern}|[0-9]+[.eE])' for pattern, group in numbers.items()]
    return f'"(?:{"|".join(parts)})|[:,\\[]{_SPACE}-?(?:NaN|Inf)'


def _collect(type_: LogicalType, path: str, quoted: Collection[str], starts: dict[str, set[str]], large: dict[str, set[str]]) -> None:
    """Adds the first characters of the values of each name, and the patterns of numbers that are too large."""
    match type_:
        case ArrayType():
            _collect(type_.element_type, f"{path}/[]", quoted, starts, large)
        case RowType():
            for field in type_.fields:
                name, inner = _pattern_of(field.name.encode()), f"{path}/{field.name}"
                starts.setdefault(name, set()).update(_starts(field.type, inner, quoted))
                arrow_type = to_arrow_type(field.type)
                if pa.types.is_integer(arrow_type):
                    large.setdefault(name, set()).add(_LARGE[arrow_type.bit_width])
                _collect(field.type, inner, quoted, starts, large)


def _starts(type_: LogicalType, path: str, quoted: Collection[str]) -> Iterable[str]:
    match type_:
        case BooleanType():
            return ("t", "f", "n")
        case ArrayType():
            return (r"\[", "n")
        case RowType() | MapType() | MultisetType():
            return (r"\{", "n")
        case DecimalType():
            return ('"', *_NUMBER_STARTS)
        case _ if path not in quoted and (isinstance(type_, FloatType | DoubleType) or pa.types.is_integer(to_arrow_type(type_))):
            return _NUMBER_STARTS
        case _:
            return ('"', "n")


def _object(row_type: RowType, path: str, quoted: Collection[str]) -> str:
    members = [
        f'"{_pattern_of(field.name.encode())}"{_SPACE}:{_SPACE}(?:{_value(field.type, f"{path}/{field.name}", quoted)}|null)'
        for field in row_type.fields
    ]
    members.append(f'"{_other_name([name.encode() for name in row_type.field_names])}"{_SPACE}:{_SPACE}{_any(_ANY_DEPTH)}')
    return _listed("{", f"(?:{'|'.join(members)})", "}")


def _listed(start: str, item: str, end: str) -> str:
    return rf"\{start}{_SPACE}(?:{item}{_SPACE}(?:,{_SPACE}{item}{_SPACE})*)?\{end}"


def _any(depth: int) -> str:
    """Returns the pattern of any value, with a limited depth."""
    simple = f"{_STRING}|{_NUMBER}|true|false|null"
    if not depth:
        return f"(?:{simple})"
    inner = _any(depth - 1)
    return f"(?:{simple}|{_listed('[', inner, ']')}|{_listed('{', f'{_STRING}{_SPACE}:{_SPACE}{inner}', '}')})"


def _value(type_: LogicalType, path: str, quoted: Collection[str]) -> str:
    match type_:
        case BooleanType():
            return "true|false"
        case ArrayType():
            return _listed("[", f"(?:{_value(type_.element_type, f'{path}/[]', quoted)}|null)", "]")
        case RowType():
            return _object(type_, path, quoted)
        case MapType() | MultisetType():
            value = _value(entry_types(type_)[1], f"{path}/[]/{VALUE}", quoted)
            return _listed("{", f"{_STRING}{_SPACE}:{_SPACE}(?:{value}|null)", "}")
        case DecimalType():
            # Arrow parses these as 76 digits, half of them after the point.
            number = r"-?(?:0|[1-9][0-9]{0,36})(?:\.[0-9]{1,38})?"
            return f'{number}|"{number}"'
        case FloatType() | DoubleType():
            return _STRING if path in quoted else _NUMBER
        case _:
            arrow_type = to_arrow_type(type_)
            if pa.types.is_integer(arrow_type) and path not in quoted:
                return f"-?{_WHOLE[arrow_type.bit_width]}"
            return _STRING


def _pattern_of(name: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in name)


def _other_name(names: Iterable[bytes]) -> str:
    """Returns the pattern of a member name that is none of the names; names with escapes are left out."""
    rests: dict[int, list[bytes]] = {}
    is_name = False
    for name in names:
        if name:
            rests.setdefault(name[0], []).append(name[1:])
        else:
            is_name = True
    if not rests:
        return f"{_PLAIN}]+" if is_name else f"{_PLAIN}]*"
    branches = [f"{_PLAIN}{_pattern_of(bytes(rests))}]{_PLAIN}]*"]
    branches += [f"\\x{byte:02x}{_other_name(rest)}" for byte, rest in rests.items()]
    return f"(?:{'|'.join(branches)}){'' if is_name else '?'}"
