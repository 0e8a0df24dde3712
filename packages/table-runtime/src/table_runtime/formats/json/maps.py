"""Maps in JSON, for Arrow's parser, which reads objects only as rows: it gets each map as an array of entries.

The objects are rewritten as text: ``"m":{"a":1}`` becomes ``"m":[{"<key>":"a","<value>":1}]``. A name in quotes that is followed by a colon occurs in
JSON only where a member begins. So only members named like a map are changed, and members of that name elsewhere are not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import ArrayType, IntType, LogicalType, MapType, MultisetType, RowType

KEY, VALUE = "\x7fkey", "\x7fvalue"
"""The members of an entry."""
_STRING = r'"(?:[^"\\]|\\.)*"'
_OBJECT = rb'\{[^{}\["]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^{}\["]*)*\}'
_SCALAR = rf'(?:{_STRING}|[^\s",:{{}}\[\]]+)'
_ENTRY = rf"({_STRING})\s*:\s*({_SCALAR})"
_MAP = rf"^\{{\s*(?:{_STRING}\s*:\s*{_SCALAR}\s*(?:,\s*{_STRING}\s*:\s*{_SCALAR}\s*)*)?\}}$"


def map_names(row_type: LogicalType) -> list[str] | None:
    """Returns the names of the fields that are maps; None if another field has the same name, or a map is not a field."""
    maps: set[str] = set()
    others: set[str] = set()
    if not _collect(row_type, maps, others) or maps & others:
        return None
    return sorted(maps)


def _collect(type_: LogicalType, maps: set[str], others: set[str]) -> bool:
    match type_:
        case ArrayType():
            return _collect(type_.element_type, maps, others)
        case MapType() | MultisetType():
            return False
        case RowType():
            for field in type_.fields:
                if isinstance(field.type, MapType | MultisetType):
                    maps.add(field.name)
                    value = field.type.value_type if isinstance(field.type, MapType) else IntType()
                    if isinstance(value, ArrayType | MapType | MultisetType | RowType):
                        return False
                else:
                    others.add(field.name)
                    if not _collect(field.type, maps, others):
                        return False
    return True


def with_entries(block: bytes, names: Sequence[str]) -> bytes | None:
    """Returns the block with the maps of these names as arrays of entries; None if one of them is something else."""
    for name in names:
        parts = re.split(rb'("' + re.escape(name.encode()) + rb'"\s*:\s*)(' + _OBJECT + rb"|[\[{])", block)
        if len(parts) == 1:
            continue
        encoded = pc.dictionary_encode(pa.array(parts[2::3], pa.binary()))
        maps = encoded.dictionary
        if pc.all(pc.match_substring_regex(maps, _MAP)).as_py() is not True:
            return None
        entries = pc.replace_substring_regex(maps, pattern=_ENTRY, replacement=rf'{{"{KEY}":\1,"{VALUE}":\2}}')
        entries = pc.binary_join_element_wise(pa.scalar(b"["), pc.binary_slice(entries, 1, -1), pa.scalar(b"]"), pa.scalar(b""))
        parts[2::3] = pc.take(entries, encoded.indices).to_pylist()
        block = b"".join(parts)
    return block


def positions_of_equal_keys(maps: pa.ListArray, keys: pa.Array) -> list[int]:
    """Returns the positions of the maps in which a key occurs twice."""
    encoded = pc.dictionary_encode(keys)
    parents = pc.list_parent_indices(maps)
    numbers = pc.add(
        pc.multiply(pc.cast(parents, pa.int64()), len(encoded.dictionary) + 1), pc.fill_null(pc.cast(encoded.indices, pa.int64()), 0)
    )
    if pc.count_distinct(numbers).as_py() == len(keys):
        return []
    counts = pc.value_counts(numbers)
    repeated = counts.field(0).filter(pc.greater(counts.field(1), 1))
    return sorted(set(pc.divide(repeated, len(encoded.dictionary) + 1).to_pylist()))
