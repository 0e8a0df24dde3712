"""The lookup join over a stream of batches; both engines run one per task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.connector import (
    AsyncLookupFunctionProvider,
    FullCachingLookupProvider,
    LookupFunctionProvider,
    PartialCachingAsyncLookupProvider,
    PartialCachingLookupProvider,
)
from table_common.exceptions import TableInternalError
from table_common.frozen_dataclass import dataclass
from table_runtime.batch.joins.join_output import JoinKind, JoinOutput, PairFilter
from table_runtime.batch.joins.key_index import KeyIndex
from table_runtime.batch.lookup_join.distinct_keys import distinct_keys
from table_runtime.batch.lookup_join.finders import CachedFinder, CallingFinder, Finder, Found, TableFinder, Waiting, together
from table_runtime.batch.lookup_join.reading import read_all
from table_runtime.batch.lookup_join.spec import LookupSpec
from table_runtime.columns.batches import BATCH_ROWS, coalesce_batches, make_batch, rechunk
from table_runtime.steps.filter import filter_batch


@dataclass(frozen=True, slots=True)
class _Side:
    """The rows found for a run of left rows."""

    rows: int
    columns: list[pa.Array]


class LookupJoiner:
    """Joins batches; picklable. Lookup functions are open as long as the iterator that ``process`` returns."""

    def __init__(self, spec: LookupSpec) -> None:
        self._spec = spec

    def process(self, batches: Iterable[pa.RecordBatch], waiting: Waiting | None = None) -> Iterator[pa.RecordBatch]:
        """Yields the joined rows in the order of the left rows, except that left rows without a match come last in their run."""
        spec = self._spec
        waiting = waiting if waiting is not None else Waiting()
        finder: Finder | None = None
        try:
            for run in coalesce_batches(batches, BATCH_ROWS):
                waiting.check()
                if finder is None:
                    finder = _finder(spec, waiting)
                    finder.open()
                yield from self._join(rechunk(run, spec.left_schema), finder, waiting)
        finally:
            if finder is not None:
                finder.close()

    def _join(self, left: pa.RecordBatch, finder: Finder, waiting: Waiting) -> Iterator[pa.RecordBatch]:
        spec = self._spec
        codes, keys = distinct_keys(spec.keys.evaluate(left), spec.key_schema)
        found = _find_with_retries(finder, keys, spec, waiting) if keys.num_rows else together([], spec.produced)
        positions, rows = found.keys, found.rows
        if spec.filters is not None and rows.num_rows:
            mask = spec.filters.evaluate_filter(rows)
            positions, rows = pc.filter(positions, mask), filter_batch(rows, mask)
        columns = spec.projection.evaluate(rows) if spec.projection is not None else rows.columns
        side = _Side(rows.num_rows, list(columns))
        condition = PairFilter(spec.condition.evaluate_filter, spec.condition_columns) if spec.condition is not None else None
        kind = JoinKind.LEFT if spec.keeps_left else JoinKind.INNER
        output = JoinOutput(kind, spec.output_schema, side, condition, len(spec.left_schema))
        index = KeyIndex([positions], [False])
        pairs = index.pairs(index.groups([codes]))
        yield from (batch for batch in output.emit(left, [pairs]) if batch.num_rows)


def _find_with_retries(finder: Finder, keys: pa.RecordBatch, spec: LookupSpec, waiting: Waiting) -> Found:
    """Returns the rows of the keys; keys without rows are looked up again, up to ``miss_attempts`` times in all."""
    found = finder.find(keys)
    parts = [found]
    attempted = pa.arange(0, keys.num_rows)
    for _ in range(spec.settings.miss_attempts - 1):
        missing = pc.filter(attempted, pc.invert(pc.is_in(attempted, value_set=pc.unique(parts[-1].keys))))
        if len(missing) == 0:
            break
        waiting.pause(spec.settings.miss_delay.total_seconds())
        retried = finder.find(make_batch([pc.take(column, missing) for column in keys.columns], keys.schema, len(missing)))
        parts.append(Found(pc.take(missing, retried.keys), retried.rows))
        attempted = missing
    return together(parts, spec.produced)


def _finder(spec: LookupSpec, waiting: Waiting) -> Finder:
    provider = spec.provider
    finder: Finder
    match provider:
        case FullCachingLookupProvider():
            return TableFinder(spec, provider, lambda: read_all(provider.scan_provider, spec.produced, spec.table))
        case LookupFunctionProvider():
            finder = CallingFinder(spec, provider, waiting)
        case AsyncLookupFunctionProvider():
            from table_runtime.batch.lookup_join.async_finder import AsyncFinder

            finder = AsyncFinder(spec, provider, waiting)
        case _:
            raise TableInternalError(f"A lookup through a {type(provider).__name__} is not supported; planning should have rejected it.")
    if isinstance(provider, (PartialCachingLookupProvider, PartialCachingAsyncLookupProvider)):
        cache = provider.create_cache()
        if cache is not None:
            # `_find_with_retries` retries keys without rows, which must not be answered from the cache.
            return CachedFinder(spec, finder, cache)
    return finder
