"""Joins the texts of columns to lines of a file, in one buffer for many rows.

Arrow's kernel that joins texts row by row looks at each text twice, and its result is copied once more to get line breaks. Here one ``take`` copies each text to
its place: its values are the texts of all columns, with what comes between them, and its positions are those of the first row, of the second row and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.frozen_dataclass import dataclass
from table_runtime.columns.ascii_text import TextBytes
from table_runtime.formats.text.repeated_values import ColumnTexts

Numbers = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]

_LINE_BREAK = "\n"
_ROWS = 32_768
"""Rows of a block: its memory stays in the cache and is used again for the next one."""


def line_blocks(columns: Sequence[ColumnTexts], rows: int, delimiter: str) -> Iterator[pa.Buffer]:
    """Yields the lines of rows in blocks: the texts of the columns with the delimiter between them. Each line is preceded by a line break.

    The texts must not be NULL.
    """
    shared, pieces = _shared(columns, delimiter)
    for start in range(0, rows, _ROWS):
        yield _block(shared, pieces, start, min(_ROWS, rows - start))


@dataclass(frozen=True)
class _Shared:
    """A piece of a line that is one of the shared texts: the one at ``base``, or at the position of the row after it."""

    base: int
    positions: Numbers | None = None


def _shared(columns: Sequence[ColumnTexts], delimiter: str) -> tuple[pa.Array, list[pa.Array | _Shared]]:
    """Returns texts that several rows have, and the pieces of a line: an array has a text for each row."""
    before = [_LINE_BREAK, *[delimiter] * (len(columns) - 1)]
    after = [""] * len(columns)
    for number in range(1, len(columns)):
        # What comes between two columns is added to a shared text, where one of them has any: this takes no time for each row.
        if columns[number].positions is None and columns[number - 1].positions is not None:
            after[number - 1], before[number] = before[number], ""
    shared: list[pa.Array] = []
    pieces: list[pa.Array | _Shared] = []
    base = 0
    for column, first, last in zip(columns, before, after, strict=True):
        if column.positions is not None:
            shared.append(_surrounded(first, column.values, last))
            pieces.append(_Shared(base, column.positions.to_numpy()))
        else:
            if first:
                shared.append(pa.array([first]))
                pieces.append(_Shared(base))
            pieces.append(column.values)
        base = sum(map(len, shared))
    return pa.concat_arrays(shared) if shared else pa.array([], pa.string()), pieces


def _surrounded(first: str, texts: pa.Array, last: str) -> pa.Array:
    parts = [part for part in (first, texts, last) if not isinstance(part, str) or part]
    return pc.binary_join_element_wise(*parts, "") if len(parts) > 1 else texts


def _block(shared: pa.Array, pieces: Sequence[pa.Array | _Shared], start: int, rows: int) -> pa.Buffer:
    values = [shared]
    size = len(shared)
    places = np.empty((rows, len(pieces)), np.int32)
    for number, piece in enumerate(pieces):
        place = places[:, number]
        if not isinstance(piece, _Shared):
            values.append(piece.slice(start, rows))
            place[:] = np.arange(size, size + rows, dtype=np.int32)
            size += rows
        elif piece.positions is None:
            place[:] = piece.base
        else:
            np.add(piece.positions[start : start + rows], piece.base, out=place, casting="unsafe")
    # The positions are within the values by construction.
    return TextBytes(pc.take(pa.concat_arrays(values), pa.array(places.reshape(-1)), boundscheck=False)).buffer
