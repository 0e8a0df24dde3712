"""Keys of spans of windows and other columns."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.hash_table import KeyTable
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.span_table import DistinctSpans, SpanTable


class SpanSlots(KeySlots):
    """The slots of keys whose first column is a number, of a span, that comes for some time only. ``types`` are those of the other columns."""

    def __init__(self, types: Sequence[pa.DataType]) -> None:
        super().__init__([pa.int64(), *types])

    @override
    def _new_table(self, width: int) -> KeyTable:
        self._spans = SpanTable(width)
        return self._spans

    def find_or_insert_in(self, spans: DistinctSpans, columns: Sequence[pa.Array]) -> Slots:
        """Does what ``find_or_insert`` does for keys of these spans and other columns."""
        rows = len(spans.of_row)
        words = self._words.encode([pa.array(spans.distinct.take(spans.of_row)), *columns], rows)
        slots = self._spans.find_or_insert_in(spans, words[1:])
        self.touch(slots)
        return slots

    def spans(self, slots: Slots) -> Integers:
        """Returns the spans of some slots."""
        return self._spans.firsts(slots)

    def parts(self, slots: Slots) -> Integers:
        """Returns numbers for the other columns of some slots: keys that differ in the span alone have equal ones."""
        return self._spans.parts(slots)

    def forget(self, span: int) -> None:
        """Says that no key of a span comes again."""
        self._spans.forget(span)
