"""Lookup of rows by key: through a connector's function, a cache, or a table held in memory."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import columnar_rows, conform_array, from_row_data, import_batch, to_arrow_schema
from table_common.arrow import compute as pc
from table_common.connector import FullCachingLookupProvider, LookupCache, LookupFunction, LookupFunctionProvider
from table_common.data import RowData
from table_common.exceptions import JobCancelledException, TableError, TableRuntimeException, ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionContext
from table_common.types import RowType
from table_runtime.batch.joins.key_index import KeyIndex
from table_runtime.batch.lookup_join.spec import LookupSpec
from table_runtime.cancellation import calling
from table_runtime.columns.batches import concat_arrays, empty_batch, make_batch, rechunk, take_batch
from table_runtime.columns.keys import KeyCodec
from table_runtime.columns.plain_types import hashable_values

KEYS_AT_ONCE = 16_384
"""Maximum keys per call of a function."""
KEPT_TOGETHER = 256
"""Rows per batch of a cache; a key with more rows has a larger batch."""


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of a lookup, and for each the position of its key in the request."""

    keys: pa.Array
    rows: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class Waiting:
    """Functions of a task that check for cancellation and sleep; both raise ``JobCancelledException`` if the job is cancelled."""

    check: Callable[[], None] = lambda: None
    pause: Callable[[float], None] = time.sleep


class Finder(ABC):
    """Finds rows by key, for one task."""

    def open(self) -> None:  # noqa: B027  # most finders need no opening
        """Opens the finder before the first lookup."""

    def close(self) -> None:  # noqa: B027
        """Closes the finder, also after a failure."""

    @abstractmethod
    def find(self, keys: pa.RecordBatch) -> Found:
        """Returns the rows of distinct keys."""


class CallingFinder(Finder):
    """Calls a synchronous lookup function."""

    def __init__(self, spec: LookupSpec, provider: LookupFunctionProvider, waiting: Waiting) -> None:
        self._spec = spec
        self._provider = provider
        self._waiting = waiting
        self._function: LookupFunction | None = None

    @override
    def close(self) -> None:
        function, self._function = self._function, None
        if function is not None:
            function.close()

    @override
    def find(self, keys: pa.RecordBatch) -> Found:
        results = []
        for start in range(0, keys.num_rows, KEYS_AT_ONCE):
            self._waiting.check()
            part = keys.slice(start, KEYS_AT_ONCE)
            result = repeat_failures(self._spec, self._provider, self._waiting, lambda part=part: self._call(part), self.close)  # type: ignore[misc]
            results.append(Found(pc.add(result.keys, pa.scalar(start, pa.int64())), result.rows))
        return together(results, self._spec.produced)

    def _call(self, keys: pa.RecordBatch) -> Found:
        if self._function is None:
            function = self._provider.create_lookup_function()
            self._function = function
            function.open(FunctionContext(self._spec.settings.job_parameters))
        function = self._function
        if function.is_batched:
            origin = f"Looking up rows of {self._spec.table} failed: {type(function).__name__}.lookup_batch"
            with calling(f"{type(function).__name__}.lookup_batch"):
                batch = function.lookup_batch(keys)
            return checked(import_batch(batch, origin), keys.num_rows, self._spec)
        with calling(f"{type(function).__name__}.lookup"):
            rows = [function.lookup(row) for row in columnar_rows(keys, self._spec.key_type)]
        return rows_of_keys(rows, self._spec)


def repeat_failures(spec: LookupSpec, provider: Any, waiting: Waiting, call: Callable[[], Found], reset: Callable[[], None]) -> Found:
    """Returns the result of ``call``, which is retried up to ``max_retries`` times of the provider, with exponential backoff.

    ``reset`` runs before each retry.

    Raises:
        TableRuntimeException: the last attempt failed.
        TableError: the job was cancelled, or an error other than a failure at run time; neither is retried.
    """
    delay = provider.retry_delay.total_seconds()
    for attempt in range(provider.max_retries + 1):
        try:
            return call()
        except (ValidationException, JobCancelledException):
            raise
        except Exception as error:
            if isinstance(error, TableError) and not isinstance(error, TableRuntimeException):
                raise
            if attempt == provider.max_retries:
                raise _failed(spec, attempt + 1, error) from error
        _ignore_failure(reset)
        waiting.pause(delay * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def _failed(spec: LookupSpec, attempts: int, error: Exception) -> TableRuntimeException:
    times = "" if attempts == 1 else f" {attempts} times"
    text = str(error) if isinstance(error, TableError) else f"{type(error).__name__}: {error}"
    return TableRuntimeException(f"Looking up rows of {spec.table} failed{times}: {text}")


def _ignore_failure(call: Callable[[], None]) -> None:
    try:
        call()
    except Exception:
        # A broken function may fail to close; the original failure is the one to report.
        return


def checked(batch: pa.RecordBatch, key_count: int, spec: LookupSpec) -> Found:
    """Returns the result of a batched function, in the canonical schema.

    Raises:
        ValidationException: the columns are not the key position and the columns of the produced row.
        TableRuntimeException: a key position is NULL or out of range.
    """
    fields = spec.produced.fields
    if batch.num_columns != len(fields) + 1 or not pa.types.is_integer(batch.column(0).type if batch.num_columns else pa.null()):
        actual = ", ".join(f"{field.name} {field.type}" for field in batch.schema) or "none"
        expected = ", ".join(f"{field.name} {field.type}" for field in fields)
        raise ValidationException(
            f"The lookup function of {spec.table} returned the columns {actual}. "
            f"Expected: the position of the key (an integer), then {expected}."
        )
    keys = pc.cast(batch.column(0), pa.int64())
    if len(keys):
        bounds = pc.min_max(keys).as_py()
        if keys.null_count or bounds["min"] < 0 or bounds["max"] >= key_count:
            position = "NULL" if keys.null_count else bounds["min"] if bounds["min"] < 0 else bounds["max"]
            raise TableRuntimeException(
                f"The lookup function of {spec.table} returned a row with the key position {position}. "
                f"Expected: positions from 0 to {key_count - 1}."
            )
    columns = [
        conform_array(column, field.type, f"Column '{field.name}' of {spec.table}")
        for column, field in zip(batch.columns[1:], fields, strict=True)
    ]
    return Found(keys, make_batch(columns, to_arrow_schema(spec.produced), batch.num_rows))


def rows_of_keys(results: list[Any], spec: LookupSpec) -> Found:
    """Returns the results of a row-wise function as one batch; ``results`` has the rows (or None) of each key, by position."""
    positions: list[int] = []
    rows: list[RowData] = []
    for position, result in enumerate(results):
        for row in result if result is not None else ():
            positions.append(position)
            rows.append(row)
    return Found(pa.array(positions, pa.int64()), from_row_data(rows, spec.produced))


def together(results: list[Found], produced: RowType) -> Found:
    """Returns the concatenation of several results."""
    if len(results) == 1:
        return results[0]
    schema = to_arrow_schema(produced)
    if not results:
        return Found(pa.array([], pa.int64()), empty_batch(schema))
    return Found(concat_arrays([result.keys for result in results], pa.int64()), rechunk([result.rows for result in results], schema))


@dataclass(frozen=True, slots=True)
class _CacheEntry:
    """The rows of one key: a slice of a batch that also holds the rows of other keys."""

    batch: pa.RecordBatch
    start: int
    num_rows: int


class CachedFinder(Finder):
    """Caches the results of another finder by key.

    Rows are stored in small batches. A batch is gathered with one call, and an entry that stays in the cache keeps only one small batch in
    memory when the other entries are evicted.
    """

    def __init__(self, spec: LookupSpec, inner: Finder, cache: LookupCache) -> None:
        self._spec = spec
        self._inner = inner
        self._cache = cache

    @override
    def open(self) -> None:
        self._inner.open()
        self._cache.open()

    @override
    def close(self) -> None:
        self._cache.close()
        self._inner.close()

    @override
    def find(self, keys: pa.RecordBatch) -> Found:
        key_values = list(zip(*map(hashable_values, keys.columns), strict=True))
        misses: list[int] = []
        hits: dict[int, list[tuple[int, _CacheEntry]]] = {}
        for position, key in enumerate(key_values):
            entry = self._cache.get_if_present(key)
            if entry is None:
                misses.append(position)
            elif entry.num_rows:
                hits.setdefault(id(entry.batch), []).append((position, entry))
        parts = [_gather(entries) for entries in hits.values()]
        if misses:
            missing = pa.array(misses, pa.int64())
            found = self._inner.find(take_batch(keys, missing) if len(misses) < keys.num_rows else keys)
            self._store(found, [key_values[position] for position in misses])
            parts.append(Found(pc.take(missing, found.keys), found.rows))
        return together(parts, self._spec.produced)

    def _store(self, found: Found, key_values: list[tuple[Any, ...]]) -> None:
        order = pc.sort_indices(found.keys)
        counts = pc.value_counts(pc.take(found.keys, order))  # in order of the keys, since they are sorted
        count_of = dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
        batch, start, first = found.rows.slice(0, 0), 0, 0
        for position, key in enumerate(key_values):
            count = count_of.get(position, 0)
            if start + count > batch.num_rows:
                batch, start = take_batch(found.rows, order.slice(first, max(count, KEPT_TOGETHER))), 0
            self._cache.put(key, _CacheEntry(batch, start, count))
            start += count
            first += count


def _gather(entries: list[tuple[int, _CacheEntry]]) -> Found:
    """Returns the rows of cache entries that share one batch."""
    positions = [position for position, entry in entries for _ in range(entry.num_rows)]
    indices = [index for _, entry in entries for index in range(entry.start, entry.start + entry.num_rows)]
    return Found(pa.array(positions, pa.int64()), take_batch(entries[0][1].batch, pa.array(indices, pa.int64())))


class TableFinder(Finder):
    """Holds the whole table in memory and reloads it when the provider's trigger says so; ``read`` scans the table."""

    def __init__(
        self,
        spec: LookupSpec,
        provider: FullCachingLookupProvider,
        read: Callable[[], Iterator[pa.RecordBatch]],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._spec = spec
        self._trigger = provider.reload_trigger
        self._read = read
        self._now = now
        self._due: datetime | None = None
        self._rows: pa.RecordBatch | None = None
        self._index: KeyIndex | None = None
        self._codec = KeyCodec([field.type for field in spec.key_schema])

    @override
    def close(self) -> None:
        self._rows = self._index = None

    @override
    def find(self, keys: pa.RecordBatch) -> Found:
        if self._index is None or (self._due is not None and self._now() >= self._due):
            self._load()
        assert self._index is not None
        assert self._rows is not None
        positions, rows = self._index.pairs(self._index.groups(self._codec.encode(keys.columns)))
        if positions is None:
            positions = pa.arange(0, len(rows))
        return Found(positions, take_batch(self._rows, rows))

    def _load(self) -> None:
        loaded_at = self._now()
        schema = to_arrow_schema(self._spec.produced)
        batches = list(self._read())
        self._rows = rechunk(batches, schema) if batches else empty_batch(schema)
        columns = [self._rows.column(column) for column in self._spec.key_columns]
        self._index = KeyIndex(self._codec.encode(columns), [False] * len(columns))
        self._due = self._trigger.next_reload(loaded_at) if self._trigger is not None else None
