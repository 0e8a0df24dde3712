"""Converts the values of lines with the same template to columns, with the conversions of the line parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import (
    ArrayType,
    BooleanType,
    CharacterType,
    DecimalType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    VarCharType,
)
from table_runtime.casts.nested import entry_types
from table_runtime.columns.batches import with_counted_keys
from table_runtime.formats.json.template import Elements, Entries, Members, Node, Slot
from table_runtime.formats.json.vectors import filled_keys
from table_runtime.formats.text.columns import converted
from table_runtime.formats.text.forms import TextForms
from table_runtime.json_documents.lines import Positions, texts_between

_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
_SCALAR = rf"{_NUMBER}|^true$|^false$"
_WHOLE = r"^-?(?:0|[1-9][0-9]{{0,{}}})$"
_MOST_DIGITS = {8: 1, 16: 3, 32: 8, 64: 17}
"""The number of digits after the first one that always fit into an integer, by its bits."""
_NULL, _N = np.frombuffer(b"null", np.uint8), ord("n")
_MINUS, _ZERO, _POINT, _E, _LOWER_CASE = ord("-"), ord("0"), ord("."), ord("e"), 0x20


class Spans:
    """Where the values of slots start and end in each line, and which lines have a value that cannot be read (``unsure``).

    With ``ignores``, texts in quotes that cannot be read are NULL. ``lost`` counts them; their lines are not unsure.
    """

    def __init__(
        self,
        buffer: pa.Buffer,
        data: npt.NDArray[np.uint8],
        starts: Sequence[Positions],
        ends: Sequence[Positions],
        forms: TextForms,
        count: int,
        *,
        ignores: bool,
    ) -> None:
        self._buffer = buffer
        self._data = data
        self._starts = starts
        self._ends = ends
        self.forms = forms
        self.count = count
        self.unsure = np.zeros(count, np.bool_)
        self._ignores = ignores
        self._firsts = -1, data[:0]
        self._lost = [np.zeros(0, np.int32)]

    def texts(self, slot: Slot) -> pa.StringArray:
        """Returns the texts of a slot."""
        starts, ends = self._starts[slot.number], self._ends[slot.number]
        return texts_between(self._buffer, starts, ends)

    def nulls(self, slot: Slot) -> npt.NDArray[np.bool_] | None:
        """Returns in which lines a bare value is NULL (None: in no line)."""
        starts = self._starts[slot.number]
        mask: npt.NDArray[np.bool_] = self._first(slot) == _N
        if not mask.any():
            return None
        mask &= self._ends[slot.number] - starts == len(_NULL)
        letters = self._data[starts[mask][:, None] + np.arange(len(_NULL))]
        mask[mask] = (letters == _NULL).all(axis=1)
        return mask

    def are_numbers(self, slot: Slot, nulls: npt.NDArray[np.bool_] | None) -> bool:
        """Returns whether each bare value that Arrow reads as a number is one of JSON.

        Arrow also reads ``007``, ``0x7``, ``.5``, ``5.``, ``+5``, ``inf`` and ``nan``, and ``5.e1``, which is not found here.
        """
        starts, ends, first = self._starts[slot.number], self._ends[slot.number], self._first(slot)
        is_negative = first == _MINUS
        if is_negative.any():
            starts = starts + is_negative
            first = self._data[starts]
        wrong = _are_no_digits(first) | _are_no_digits(self._data[ends - 1])
        zeros = np.flatnonzero((first == _ZERO) & (ends - starts > 1))
        if len(zeros):
            second = self._data[starts[zeros] + 1]
            wrong[zeros[(second != _POINT) & (second | _LOWER_CASE != _E)]] = True
        return not wrong.any() or (nulls is not None and bool(nulls[wrong].all()))

    def _first(self, slot: Slot) -> npt.NDArray[np.uint8]:
        """Returns the first character of each value of a slot; values without quotes have one."""
        number, characters = self._firsts
        if number != slot.number:
            characters = self._data[self._starts[slot.number]]
            self._firsts = slot.number, characters
        return characters

    def leave(self, mask: npt.NDArray[np.bool_]) -> None:
        """Notes lines with a value that cannot be read."""
        self.unsure |= mask

    def leave_at(self, positions: pa.Array | None) -> None:
        """Notes lines with a value that cannot be read, by their positions."""
        if positions is not None:
            self.unsure[np.asarray(positions)] = True

    def lose_at(self, positions: pa.Array | None) -> None:
        """Notes texts in quotes that cannot be read and are NULL if errors are ignored, by the positions of their lines."""
        if not self._ignores:
            self.leave_at(positions)
        elif positions is not None:
            self._lost.append(np.asarray(positions).astype(np.int32))

    @property
    def lost(self) -> Positions:
        """The position of the line of each text that is NULL because it cannot be read, without unsure lines."""
        lost = np.concatenate(self._lost)
        return lost[~self.unsure[lost]]


def _are_no_digits(characters: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    return characters - np.uint8(_ZERO) > np.uint8(9)


def _have_point_before_e(texts: pa.StringArray) -> bool:
    """Returns whether a text may have a point that is followed by an e, as no number of JSON has."""
    content = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    points = content[:-1] == _POINT
    points &= content[1:] | _LOWER_CASE == _E
    return bool(points.any())


def row_columns(node: Members, row_type: RowType, arrow_type: pa.StructType, spans: Spans) -> list[pa.Array]:
    """Returns the columns of the root of a template. Values of unsure lines are undefined. ``arrow_type`` is that of the rows."""
    triples = zip(node.fields, row_type.fields, arrow_type, strict=True)
    return [_values(child, field.type, arrow_field.type, spans) for child, field, arrow_field in triples]


def check_unread(slots: Sequence[Slot], spans: Spans) -> None:
    """Notes the lines with values that are not JSON in members that are not read."""
    for slot in slots:
        if slot.type is None and not slot.quoted:
            _bare(slot, VarCharType(), pa.string(), spans)


def _values(node: Node, type_: LogicalType, arrow_type: Any, spans: Spans) -> pa.Array:
    match node:
        case Slot(quoted=True):
            values, failures = converted(spans.texts(node), type_, spans.forms)
            spans.lose_at(failures)
            return values
        case Slot():
            return _bare(node, type_, arrow_type, spans)
        case Members() if isinstance(type_, RowType):
            return pa.StructArray.from_arrays(row_columns(node, type_, arrow_type, spans), fields=list(arrow_type))
        case Elements() if isinstance(type_, ArrayType):
            items = [_values(item, type_.element_type, arrow_type.value_type, spans) for item in node.items]
            values = _interleaved(items, arrow_type.value_type)
            return pa.ListArray.from_arrays(_offsets(len(items), spans.count), values, type=arrow_type)
        case Entries() if isinstance(type_, MapType | MultisetType):
            return _map(node, type_, arrow_type, spans)
        case _:
            return pa.nulls(spans.count, arrow_type)


def _of_texts(texts: pa.StringArray, type_: LogicalType, spans: Spans) -> pa.Array:
    values, failures = converted(texts, type_, spans.forms)
    spans.leave_at(failures)
    return values


def _bare(slot: Slot, type_: LogicalType, arrow_type: pa.DataType, spans: Spans) -> pa.Array:
    nulls = spans.nulls(slot)
    if nulls is not None and nulls.all():
        return pa.nulls(spans.count, arrow_type)
    texts = spans.texts(slot)
    if nulls is not None:
        texts = pc.if_else(pa.array(nulls), pa.scalar(None, pa.string()), texts)
    match type_:
        case CharacterType():
            return _checked(texts, _SCALAR, spans)
        case BooleanType():
            spans.leave(np.asarray(pc.invert(pc.is_in(texts, value_set=pa.array(["true", "false", None])))))
            return pc.equal(texts, "true")
        case FloatType() | DoubleType() | DecimalType():
            if not spans.are_numbers(slot, nulls) or _have_point_before_e(texts) or pc.all(pc.string_is_ascii(texts)).as_py() is False:
                texts = _checked(texts, _NUMBER, spans)
            return _of_texts(texts, type_, spans)
        case _ if pa.types.is_integer(arrow_type):
            return _whole_numbers(texts, arrow_type, spans, is_number=spans.are_numbers(slot, nulls))
        case _:
            spans.leave(np.asarray(pc.is_valid(texts)))
            return pa.nulls(spans.count, arrow_type)


def _checked(texts: pa.Array, pattern: str, spans: Spans) -> pa.Array:
    """Returns the texts that match the pattern; the lines of the others are unsure."""
    matching = pc.match_substring_regex(texts, pattern)
    if pc.all(matching).as_py() is not False:
        return texts
    spans.leave(np.asarray(pc.fill_null(pc.invert(matching), False)))
    return pc.if_else(matching, texts, pa.scalar(None, pa.string()))


def _whole_numbers(texts: pa.Array, arrow_type: pa.DataType, spans: Spans, *, is_number: bool) -> pa.Array:
    if is_number:
        try:
            return pc.cast(texts, arrow_type)
        except pa.ArrowInvalid:
            pass
    return pc.cast(_checked(texts, _WHOLE.format(_MOST_DIGITS[arrow_type.bit_width]), spans), arrow_type)


def _map(node: Entries, type_: MapType | MultisetType, arrow_type: pa.DataType, spans: Spans) -> pa.Array:
    key_type, value_type = entry_types(type_)
    names = [spans.texts(key) for key in node.keys]
    for number, name in enumerate(names):
        for other in names[:number]:
            spans.leave(np.asarray(pc.equal(name, other)))
    keys = _interleaved([_of_texts(name, key_type, spans) for name in names], arrow_type.key_type)
    values = _interleaved([_values(value, value_type, arrow_type.item_type, spans) for value in node.values], arrow_type.item_type)
    pairs = pa.StructArray.from_arrays([filled_keys(keys), values], fields=[arrow_type.key_field, arrow_type.item_field])
    offsets = _offsets(len(names), spans.count)
    return with_counted_keys(pa.Array.from_buffers(arrow_type, spans.count, [None, offsets.buffers()[1]], children=[pairs]))


def _interleaved(arrays: Sequence[pa.Array], arrow_type: pa.DataType) -> pa.Array:
    """Returns the first values of all arrays, then the second ones, and so on."""
    if len(arrays) <= 1:
        return arrays[0] if arrays else pa.nulls(0, arrow_type)
    rows = len(arrays[0])
    order = np.arange(rows * len(arrays), dtype=np.int32).reshape(len(arrays), rows).T.ravel()
    return pa.concat_arrays(arrays).take(pa.array(order))


def _offsets(size: int, rows: int) -> pa.Array:
    return pa.array(np.arange(rows + 1, dtype=np.int32) * np.int32(size))
