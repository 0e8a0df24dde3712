"""Parses blocks of JSON lines with Arrow's parser, if it gives exactly the values of the line parser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.frozen_dataclass import dataclass
from table_common.types import (
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    TimestampType,
    TimeType,
    types_in,
)
from table_runtime.casts.nested import entry_types
from table_runtime.columns.batches import cast_array, concat_arrays, with_counted_keys
from table_runtime.formats.json.maps import KEY, VALUE, map_names, positions_of_equal_keys, with_entries
from table_runtime.formats.text.columns import LONG_DECIMAL, converted, rounded_decimals
from table_runtime.formats.text.forms import JSON_SQL, TextForms
from table_runtime.formats.text.values import wide_decimal

_SMALL_NUMBER = re.compile(rb"[0-9][eE]-[0-9]{3}")
"""Numbers that Arrow does not convert to decimals: the process ends at exponents below some million."""
_NO_NUMBERS = re.compile(rb"[:,\[]\s*-?(?:NaN|Inf)")
"""Words that Arrow parses as numbers, but that are not JSON."""
_AS_TEXT = (DateType, TimeType, TimestampType, LocalZonedTimestampType, BinaryStringType)
"""Types that are text in JSON and are converted after parsing."""
_OTHER_KIND = re.compile(r"Column\((/[^)]*)\) changed from (number|string) to (number|string) in row ")
_MOST_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """The columns of a block, and the positions of the rows that must be parsed one by one: a value cannot be read, or may be missing."""

    columns: list[pa.Array]
    unsure: list[int]


class VectorParser:
    """Parses blocks into columns; thread-safe.

    Numbers may be written as text (Canal does so). The parser expects what the last block had, for each field.
    """

    def __init__(self, row_type: RowType, forms: TextForms, *, find_missing: bool) -> None:
        self._row_type = row_type
        self._forms = forms
        self._find_missing = find_missing
        self._maps = map_names(row_type) or ()
        self._has_decimals = any(isinstance(part, DecimalType) for part in types_in(row_type))
        self._quoted: frozenset[str] = frozenset()
        """Paths of the numbers that are written as text, as Arrow names them."""
        self._mixed: frozenset[str] = frozenset()
        """Paths of the numbers that are written in both ways."""
        self._rounds = False
        """Whether decimals have more digits after the point than their types."""

    @classmethod
    def of(cls, row_type: RowType, forms: TextForms = JSON_SQL, *, find_missing: bool = False) -> VectorParser | None:
        """Returns the parser of a row type, or None if Arrow does not parse one of its types exactly.

        With ``find_missing``, rows that may lack a field are to be parsed one by one.
        """
        if map_names(row_type) is None:
            return None
        if not row_type.fields or any(_json_type(field.type, "", frozenset(), rounds=False) is None for field in row_type.fields):
            return None
        return cls(row_type, forms, find_missing=find_missing)

    @property
    def quoted(self) -> frozenset[str]:
        """The paths of the numbers that are expected as text."""
        return self._quoted

    def parse(self, block: bytes) -> ParsedBlock | None:
        """Returns the columns, or None if some line must be parsed separately, and it is unknown which one."""
        objects = lines_that_look_like_objects(block)
        return None if objects is None else self.parse_objects(block, objects)

    def parse_objects(self, block: bytes, objects: int) -> ParsedBlock | None:
        """Returns the columns of as many lines, each of which looks like an object; see ``parse``."""
        if self._has_decimals and (b"e-" in block or b"E-" in block) and _SMALL_NUMBER.search(block):
            return None
        if self._maps:
            rewritten = with_entries(block, self._maps)
            if rewritten is None:
                return None
            block = rewritten
        for _ in range(_MOST_ATTEMPTS):
            quoted = self._quoted
            try:
                table = self._table(block, quoted)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
                if self._expect_other_kind(str(error)):
                    continue
                if not self._rounds and str(error).startswith("Failed to convert JSON to decimal"):
                    self._rounds = True
                    continue
                return None
            return self._converted(table) if table.num_rows == objects else None
        return None

    def _expect_other_kind(self, problem: str) -> bool:
        """Notes that a number is written in another way than expected; returns whether it is expected in this way from now on."""
        match = _OTHER_KIND.match(problem.removeprefix("JSON parse error: "))
        if match is None:
            return False
        path, old, new = match.groups()
        if path in self._mixed or old == new:
            return False
        if new == "string":
            # Only if a number is expected: its texts are then converted like those of CSV.
            self._quoted |= {path}
            return True
        if path not in self._quoted:
            return False
        self._mixed |= {path}
        self._quoted -= {path}
        return True

    def _table(self, block: bytes, quoted: frozenset[str]) -> pa.Table:
        from pyarrow._json import ParseOptions, ReadOptions, read_json

        types = [(field.name, _json_type(field.type, f"/{field.name}", quoted, rounds=self._rounds)) for field in self._row_type.fields]
        return read_json(
            pa.BufferReader(block),
            read_options=ReadOptions(use_threads=False, block_size=max(len(block), 1 << 16)),
            parse_options=ParseOptions(explicit_schema=pa.schema(types), unexpected_field_behavior="ignore"),
        )

    def _converted(self, table: pa.Table) -> ParsedBlock | None:
        columns = []
        unsure: set[int] = set()
        for field in self._row_type.fields:
            column = table.column(field.name)
            try:
                array, positions = self._values(concat_arrays(column.chunks, column.type), field.type)
            except pa.ArrowInvalid:  # a decimal with too many digits
                return None
            columns.append(array)
            unsure.update(positions)
            if self._find_missing:
                unsure.update(_null_positions(array))
        return ParsedBlock(columns, sorted(unsure))

    def _values(self, array: pa.Array, type_: LogicalType) -> tuple[pa.Array, Iterable[int]]:
        """Returns the values of what Arrow has parsed, and the positions of those that must be parsed one by one."""
        arrow_type = to_arrow_type(type_)
        if array.type == arrow_type and not self._find_missing:
            return array, ()
        match type_:
            case ArrayType():
                elements, positions = self._values(array.values, type_.element_type)
                parents = _parents(array, positions)
                mask = pc.is_null(array) if array.null_count else None
                return pa.ListArray.from_arrays(array.offsets, elements, type=arrow_type, mask=mask), parents
            case MapType() | MultisetType():
                return self._map(array, type_)
            case RowType():
                fields, unsure = [], set[int]()
                for number, field in enumerate(type_.fields):
                    child, positions = self._values(array.field(number), field.type)
                    fields.append(child)
                    unsure.update(positions)
                    if self._find_missing:
                        unsure.update(_null_positions(child))
                mask = pc.is_null(array) if array.null_count else None
                return pa.StructArray.from_arrays(fields, fields=list(arrow_type), mask=mask), unsure
            case DecimalType() if array.type == LONG_DECIMAL:
                decimals = rounded_decimals(array, type_)
                lost = decimals.null_count > array.null_count
                return decimals, pc.indices_nonzero(pc.and_(pc.is_valid(array), pc.is_null(decimals))).to_pylist() if lost else ()
            case _ if pa.types.is_string(array.type) and not isinstance(type_, CharacterType):
                values, failures = converted(array, type_, self._forms)
                return values, () if failures is None else failures.to_pylist()
            case _:
                return pc.cast(array, arrow_type), ()

    def _map(self, array: pa.Array, type_: MapType | MultisetType) -> tuple[pa.Array, Iterable[int]]:
        """Returns the maps of arrays of entries."""
        entries = array.values
        names = entries.field(0)
        key_type, value_type = entry_types(type_)
        keys, failed = converted(names, key_type, self._forms)
        values, unsure = self._values(entries.field(1), value_type)
        # What is not an entry has no key.
        positions = {*(() if failed is None else failed.to_pylist()), *unsure, *_null_positions(names)}
        unsure_maps = {*_parents(array, positions), *positions_of_equal_keys(array, names)}
        arrow_type = to_arrow_type(type_)
        pairs = pa.StructArray.from_arrays(
            [filled_keys(keys), cast_array(values, arrow_type.item_type)], fields=[arrow_type.key_field, arrow_type.item_field]
        )
        validity = pc.is_valid(array).buffers()[1] if array.null_count else None
        maps = pa.Array.from_buffers(arrow_type, len(array), [validity, array.offsets.buffers()[1]], children=[pairs])
        return with_counted_keys(maps), unsure_maps


def filled_keys(keys: pa.Array) -> pa.Array:
    """Returns the keys of maps with any value instead of NULL, which keys never are; these maps are not used."""
    if keys.null_count:
        keys = pc.fill_null(keys, pa.scalar(_some(keys.type), keys.type))
        _ = keys.null_count  # pyarrow 25 ends the process if it is not known: see ``with_counted_keys``
    return keys


def _some(type_: pa.DataType) -> Any:
    return "" if pa.types.is_string(type_) else b"" if pa.types.is_binary(type_) else False if pa.types.is_boolean(type_) else 0


def _null_positions(array: pa.Array) -> Iterable[int]:
    positions: list[int] = pc.indices_nonzero(pc.is_null(array)).to_pylist() if array.null_count else []
    return positions


def _parents(lists: pa.ListArray, positions: Iterable[int]) -> Iterable[int]:
    """Returns the positions of the lists of elements."""
    elements = sorted(positions)
    if not elements:
        return ()
    parents: list[int] = pc.take(pc.list_parent_indices(lists), pa.array(elements, pa.int64())).to_pylist()
    return parents


def may_be_parsed(block: bytes) -> bool:
    """Returns whether the block is UTF-8, which Arrow's parser does not check, and has no words that Arrow parses as numbers."""
    # Single characters are found much faster than words.
    if ((b"N" in block and b"NaN" in block) or (b"I" in block and b"Inf" in block)) and _NO_NUMBERS.search(block):
        return False
    if not block.isascii():
        try:
            block.decode()
        except UnicodeDecodeError:
            return False
    return True


def lines_that_look_like_objects(block: bytes) -> int | None:
    """Returns the number of lines that are not empty, or None if one of them does not begin and end with a brace.

    If Arrow finds the same number of rows, each line is exactly one object, because no object contains a line break between ``}`` and
    ``{``.
    """
    if not may_be_parsed(block):
        return None
    count = block.count(b"\n")
    inner = block.count(b"}\n{")
    if block.startswith(b"{") and block.endswith(b"}\n" if inner == count - 1 else b"}") and inner >= count - 1:
        return inner + 1
    lines = pc.ascii_trim_whitespace(
        pc.split_pattern(pa.array([block], type=pa.large_binary()).cast(pa.large_string()), pattern="\n").values
    )
    lines = lines.filter(pc.not_equal(lines, ""))
    whole_objects = pc.and_(pc.starts_with(lines, "{"), pc.ends_with(lines, "}"))
    return len(lines) if pc.all(whole_objects).as_py() is not False else None


def _json_type(type_: LogicalType, path: str, quoted: frozenset[str], *, rounds: bool) -> pa.DataType | None:
    """Returns the type by which Arrow parses values at a path, None if there is none."""
    match type_:
        case BooleanType() | CharacterType():
            return to_arrow_type(type_)
        case FloatType() | DoubleType():
            return pa.string() if path in quoted else to_arrow_type(type_)
        case DecimalType():
            return LONG_DECIMAL if rounds else wide_decimal(type_)  # of numbers and texts
        case _ if isinstance(type_, _AS_TEXT):
            return pa.string()
        case ArrayType():
            element = _json_type(type_.element_type, f"{path}/[]", quoted, rounds=rounds)
            return None if element is None else pa.list_(element)
        case MapType() | MultisetType():
            entry = [(KEY, pa.string()), (VALUE, _json_type(entry_types(type_)[1], f"{path}/[]/{VALUE}", quoted, rounds=rounds))]
            return None if entry[1][1] is None else pa.list_(pa.struct(entry))
        case RowType():
            fields = [(field.name, _json_type(field.type, f"{path}/{field.name}", quoted, rounds=rounds)) for field in type_.fields]
            return None if not fields or any(inner is None for _, inner in fields) else pa.struct(fields)
        case _:
            arrow_type = to_arrow_type(type_)
            if not pa.types.is_integer(arrow_type):
                return None
            return pa.string() if path in quoted else arrow_type
