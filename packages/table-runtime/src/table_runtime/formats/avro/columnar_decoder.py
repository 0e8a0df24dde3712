"""Decodes many Avro records at the same time, field by field, with numpy.

Each record is a lane: it has a position in the data, which each field moves forward. A step of the schema is done for all lanes at once. Every number, length and union branch
is checked, and each lane must end at the end of its record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from table_runtime.formats.avro.generated_decoder import WIDTHS, Node
from table_runtime.formats.avro.record_boundaries import RecordEnds

_Positions = npt.NDArray[np.int64]
_PADDING = 16
_LANES_AT_ONCE = 8192
"""Lanes whose positions fit into the processor's cache."""
_MOST_ELEMENTS = 64
"""Elements of an array or map, which are decoded one after the other."""
_CONTINUED = np.uint64(0x8080808080808080)
_PAYLOAD = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONE = np.uint64(1)


class NotByLanes(Exception):
    """The records have a value that only the compiled walk reads: a number of more than eight bytes, or a long array."""


class _Lanes:
    """The positions of the lanes, and the ends of their records."""

    def __init__(self, at: _Positions, ends: _Positions) -> None:
        self.at = at
        self.ends = ends

    def __len__(self) -> int:
        return len(self.at)

    def some(self, chosen: Any) -> _Lanes:
        return _Lanes(self.at[chosen], self.ends[chosen])

    def advance(self, lengths: Any) -> None:
        """Moves all lanes.

        Raises:
            ValueError: a lane is beyond the end of its record.
        """
        self.at = self.at + lengths
        self.check()

    def check(self) -> None:
        if (self.at > self.ends).any():
            raise ValueError("a record ends inside a value")


def supports_lanes(nodes: Iterable[Node]) -> bool:
    """Returns whether records of these fields can be decoded by lanes: unions of several types and arrays in arrays cannot."""
    parts = [part for node in nodes for part in node.all()]
    lists = [part for part in parts if part.kind in ("array", "map")]
    inner = [part for outer in lists for child in outer.children for part in child.all()]
    return all(part.kind != "nested" for part in parts) and not any(part.kind in ("array", "map") for part in inner)


class LaneReader:
    """Decodes records of these fields; ``supports_lanes`` must be true for them."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._ends = RecordEnds(nodes)

    def block(self, data: bytes, count: int) -> dict[int, pa.Array] | None:
        """Returns the values of consecutive records, which take up all of the data; see ``read``. None if the compiled walk must read them."""
        try:
            ends = np.array(self._ends.find(data, count), np.int64)
            if ends[-1] != len(data) or (ends[1:] < ends[:-1]).any():
                return None
            return self.read(data, np.concatenate([np.zeros(1, np.int64), ends[:-1]]), ends)
        except (NotByLanes, ValueError, IndexError):  # the walk says what is wrong
            return None

    def messages(self, messages: pa.BinaryArray) -> dict[int, pa.Array] | None:
        """Returns the values of messages that are one record each; see ``read``. None if only the compiled walk reads them."""
        _, offsets_buffer, data = messages.buffers()
        offsets = np.frombuffer(offsets_buffer, np.int32)[messages.offset : messages.offset + len(messages) + 1].astype(np.int64)
        try:
            return self.read(data if data is not None else b"", offsets[:-1], offsets[1:])
        except NotByLanes:
            return None

    def read(self, data: Any, starts: _Positions, ends: _Positions) -> dict[int, pa.Array]:
        """Returns the physical values of each node that is read, by slot.

        Rows have their presence (BOOLEAN, NULL: the row is NULL), arrays and maps their lengths (INT, NULL likewise); fields inside of NULL have a NULL.

        Args:
            data: the bytes of all records, a buffer.
            starts: where each record starts; ``ends``: where it ends. Records are in order and do not overlap.

        Raises:
            ValueError: a record does not have the schema.
            NotByLanes: only the compiled walk reads them.
        """
        source = np.frombuffer(data, np.uint8)
        padded = np.zeros(len(source) + _PADDING, np.uint8)
        padded[: len(source)] = source
        found: dict[int, list[pa.Array]] = {}
        for first in range(0, len(starts), _LANES_AT_ONCE):
            lanes = _Lanes(starts[first : first + _LANES_AT_ONCE].copy(), ends[first : first + _LANES_AT_ONCE])
            columns: dict[int, pa.Array] = {}
            step = _Step(padded, columns)
            for node in self._nodes:
                step.value(node, lanes)
            if (lanes.at != lanes.ends).any():
                raise ValueError("a record does not end where its last value ends")
            for slot, column in columns.items():
                found.setdefault(slot, []).append(column)
        return {slot: chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks) for slot, chunks in found.items()}


class _Step:
    """Decodes the values of nodes for some lanes into ``columns``, by slot."""

    def __init__(self, data: npt.NDArray[np.uint8], columns: dict[int, pa.Array]) -> None:
        self._data = data
        self._buffer = pa.py_buffer(data)
        self._words: Any = np.ndarray((len(data) - 7,), "<u8", buffer=data, strides=(1,))
        self._columns = columns

    def value(self, node: Node, lanes: _Lanes) -> None:
        """Decodes a value of each lane, with its union branch."""
        if not node.is_union:
            self._plain(node, lanes)
            return
        branches = {0, 1} if node.null_branch is not None else {0}
        value_branch = min(branches - {node.null_branch})
        tags = self._bytes(lanes)
        present = tags == value_branch * 2
        if present.all():
            self._plain(node, lanes)
            return
        if node.null_branch is None or not (present | (tags == node.null_branch * 2)).all():
            raise ValueError("there is no such branch of a union")
        chosen = np.flatnonzero(present)
        inner = lanes.some(chosen)
        columns: dict[int, pa.Array] = {}
        _Step(self._data, columns)._plain(node, inner)
        lanes.at[chosen] = inner.at
        for slot, column in columns.items():
            self._columns[slot] = self._spread(column, present) if slot in _per_lane(node) else column

    def _spread(self, column: pa.Array, present: npt.NDArray[np.bool_]) -> pa.Array:
        """Returns the column with NULL for the lanes that are NULL."""
        if not len(column):
            return pa.nulls(len(present), column.type)
        positions = np.cumsum(present, dtype=np.int32) - 1
        return column.take(pa.array(positions, mask=~present))

    def _plain(self, node: Node, lanes: _Lanes) -> None:
        selected = node.type is not None
        match node.kind:
            case "null":
                self._keep(node, pa.nulls(len(lanes)) if selected else None)
            case "boolean":
                values = self._bytes(lanes)
                self._keep(node, pa.array(values != 0) if selected else None)
            case "int" | "long" | "enum":
                numbers = self._numbers(lanes)
                self._keep(node, pa.array(numbers) if selected else None)
            case "float" | "double":
                self._keep(node, self._fixed(lanes, WIDTHS[node.kind], pa.float64() if node.kind == "double" else pa.float32(), selected))
            case "fixed":
                size = int(node.schema["size"])
                self._keep(node, self._spans(lanes, np.full(len(lanes), size, np.int64), selected))
            case "bytes" | "string":
                lengths = self._numbers(lanes)
                if len(lengths) and lengths.min() < 0:
                    raise ValueError("a length is negative")
                self._keep(node, self._spans(lanes, lengths, selected))
            case "record":
                self._keep(node, pa.repeat(pa.scalar(True), len(lanes)) if selected else None)
                for child in node.children:
                    self.value(child, lanes)
            case _:
                self._elements(node, lanes)

    def _keep(self, node: Node, column: pa.Array | None) -> None:
        if column is not None:
            self._columns[node.slot] = column

    def _bytes(self, lanes: _Lanes) -> npt.NDArray[np.uint8]:
        values = self._data[lanes.at]
        lanes.advance(1)
        return values

    def _numbers(self, lanes: _Lanes) -> _Positions:
        """Decodes numbers, seven bits per byte, the lowest bit is the sign."""
        words = self._words[lanes.at]
        if not (words & np.uint64(0x80)).any():
            short = words & np.uint64(0x7F)
            lanes.advance(1)
            return _signed(short)
        ends = ~words & _CONTINUED
        if not ends.all():
            raise NotByLanes
        # The bits up to the first byte that is not continued.
        mask = ends ^ (ends - _ONE)
        words = words & mask & _PAYLOAD
        words = (words & np.uint64(0x007F007F007F007F)) | ((words & np.uint64(0x7F007F007F007F00)) >> _ONE)
        words = (words & np.uint64(0x00003FFF00003FFF)) | ((words & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2))
        words = (words & np.uint64(0x000000000FFFFFFF)) | ((words & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4))
        lanes.advance(np.bitwise_count(mask) >> 3)
        return _signed(words)

    def _fixed(self, lanes: _Lanes, width: int, type_: pa.DataType, selected: bool) -> pa.Array | None:
        starts = lanes.at
        lanes.advance(width)
        if not selected:
            return None
        windows: Any = np.ndarray((len(self._data) - width + 1,), f"V{width}", buffer=self._data, strides=(1,))
        return pa.Array.from_buffers(type_, len(starts), [None, pa.py_buffer(windows[starts].view(np.uint8))])

    def _spans(self, lanes: _Lanes, lengths: _Positions, selected: bool) -> pa.Array | None:
        starts = lanes.at
        if len(lengths) and lengths.max() > len(self._data):
            raise ValueError("a length is beyond the end of the data")
        lanes.advance(lengths)
        if not selected:
            return None
        if not len(starts):
            return pa.array([], pa.binary())
        offsets = np.empty(2 * len(starts), np.int32)
        offsets[0::2], offsets[1::2] = starts, lanes.at
        pieces = pa.Array.from_buffers(pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), self._buffer])
        return pieces.take(pa.array(np.arange(0, len(offsets), 2, dtype=np.int32)))

    def _elements(self, node: Node, lanes: _Lanes) -> None:
        """Decodes arrays and maps: blocks of elements, each after its count (if negative, a size follows); a count of zero is the end."""
        lengths = np.zeros(len(lanes), np.int64)
        parts: list[tuple[_Positions, _Positions, dict[int, pa.Array]]] = []
        open_lanes = np.arange(len(lanes))
        while len(open_lanes):
            inner = lanes.some(open_lanes)
            counts = self._numbers(inner)
            negative = counts < 0
            if negative.any():
                sized = inner.some(negative)
                self._numbers(sized)
                inner.at[negative] = sized.at
                counts = np.abs(counts)
            if len(counts) and counts.max() > _MOST_ELEMENTS:
                raise NotByLanes
            for number in range(int(counts.max()) if len(counts) else 0):
                having = np.flatnonzero(counts > number)
                element = inner.some(having)
                columns: dict[int, pa.Array] = {}
                step = _Step(self._data, columns)
                for child in node.children:
                    step.value(child, element)
                inner.at[having] = element.at
                parts.append((open_lanes[having], lengths[open_lanes[having]] + number, columns))
            lanes.at[open_lanes] = inner.at
            lengths[open_lanes] += counts
            if (lengths > _MOST_ELEMENTS).any():
                raise NotByLanes
            open_lanes = open_lanes[counts > 0]
        if node.type is None:
            return
        self._columns[node.slot] = pa.array(lengths.astype(np.int32))
        if not parts:
            return
        starts = np.cumsum(lengths) - lengths
        order = np.argsort(np.concatenate([starts[rows] + numbers for rows, numbers, _ in parts]), kind="stable")
        taken = pa.array(order)
        for slot in parts[0][2]:
            self._columns[slot] = pa.concat_arrays([columns[slot] for _, _, columns in parts]).take(taken)


def _per_lane(node: Node) -> set[int]:
    """Returns the slots that have one value per lane of the node: those inside of arrays and maps have others."""
    found = {node.slot}
    if node.kind == "record":
        for child in node.children:
            found |= _per_lane(child)
    return found


def _signed(numbers: npt.NDArray[np.uint64]) -> _Positions:
    signed: _Positions = (numbers >> _ONE).view(np.int64) ^ -(numbers & _ONE).view(np.int64)
    return signed
