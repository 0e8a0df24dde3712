"""Converts JSON objects to columns: with Arrow's parser if it gives the same values, else object by object."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import RowType
from table_runtime.formats.ignored import Ignored
from table_runtime.formats.json_lines import LineParser
from table_runtime.formats.json_vectors import VectorParser
from table_runtime.formats.text_forms import JSON_SQL, TextForms

__all__ = ["JsonRows", "join_messages"]


class JsonRows:
    """Converts objects to columns; thread-safe. ``format_name`` is the format's name in messages."""

    def __init__(
        self,
        row_type: RowType,
        format_name: str,
        *,
        ignore_errors: bool = False,
        fail_on_missing: bool = False,
        forms: TextForms = JSON_SQL,
    ) -> None:
        self._row_type = row_type
        self._format = format_name
        self._ignore_errors = ignore_errors
        self._fail_on_missing = fail_on_missing
        self._forms = forms
        self._vectors = None if fail_on_missing else VectorParser.of(row_type, forms)
        self._parser(None)  # rejects unsupported types early

    def parse_block(
        self, block: bytes, lines: Callable[[], Iterable[bytes | None]], where: Callable[[int], str], ignored: Ignored
    ) -> tuple[list[pa.Array], list[int] | None, int]:
        """Returns the columns, the position of each row's object (None: 0, 1, 2, …), and the number of rows.

        Args:
            block: all objects as lines.
            lines: returns the objects one by one.
            where: returns the name of an object for messages.
            ignored: counts ignored rows and values, if errors are ignored.

        Raises:
            TableRuntimeException: an object cannot be read, and errors are not ignored.
        """
        if self._vectors is not None:
            columns = self._vectors.parse(block)
            if columns is not None:
                return columns, None, len(columns[0])
        arrays, positions = self._parser(ignored if self._ignore_errors else None).parse(lines(), where)
        return arrays, positions, len(positions)

    def parse_messages(self, messages: pa.Array, where: Callable[[int], str], ignored: Ignored) -> tuple[list[pa.Array], pa.Array]:
        """Returns the columns, and for each row the position of its message; see ``parse_block``."""
        present = pc.fill_null(pc.greater(pc.binary_length(messages), 0), False)
        positions_present = pc.indices_nonzero(present)
        present_messages = messages if len(positions_present) == len(messages) else messages.filter(present)
        if self._vectors is not None and len(present_messages):
            block = join_messages(present_messages)
            columns = self._vectors.parse(block)
            if columns is not None and len(columns[0]) == len(present_messages) and _has_object_in_each(present_messages, block):
                return columns, positions_present.cast(pa.int64())
        arrays, positions = self._parser(ignored if self._ignore_errors else None).parse(messages.to_pylist(), where)
        return arrays, pa.array(positions, type=pa.int64())

    def _parser(self, ignored: Ignored | None) -> LineParser:
        return LineParser(self._row_type, self._format, ignored=ignored, fail_on_missing=self._fail_on_missing, forms=self._forms)


def _has_object_in_each(messages: pa.Array, block: bytes) -> bool:
    """Returns whether no message is blank, given that there are as many objects as messages: none of them then has two objects."""
    return block.count(b"\n") == len(messages) - 1 or all(map(bytes.strip, messages.to_pylist()))


def join_messages(messages: pa.Array) -> bytes:
    """Joins messages, which must not be NULL, to lines."""
    offsets = pa.array([0, len(messages)], type=pa.int64())
    joined: bytes = pc.binary_join(
        pa.LargeListArray.from_arrays(offsets, messages.cast(pa.large_binary())), pa.scalar(b"\n", pa.large_binary())
    )[0].as_py()
    return joined
