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
from table_common.exceptions import TableError, TableRuntimeException, ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionContext
from table_common.types import RowType
from table_runtime.batches import concat_arrays, empty_batch, make_batch, rechunk, take_batch
from table_runtime.cancellation import calling
from table_runtime.operators.key_index import KeyIndex
from table_runtime.operators.keys import KeyCodec
from table_runtime.operators.lookup_join.spec import LookupSpec
from table_runtime.plain_types import to_plain

__all__ = ["CachedFinder", "CallingFinder", "Finder", "Found", "TableFinder", "Waiting", "checked", "repeat_failures", "rows_of_keys"]

KEYS_AT_ONCE = 16_384
"""Maximum keys per call of a function."""
KEPT_TOGETHER = 256
"""How many rows a cache keeps in one batch, if a key has no more of its own."""


@dataclass(frozen=True, slots=True)
class Found:
    """Rows, and for each the position of its key."""

    keys: pa.Array
    rows: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class Waiting:
    """Wait and cancellation functions of a task; both raise ``JobCancelledException`` once the job is cancelled."""

    check: Callable[[], None] = lambda: None
    pause: Callable[[float], None] = time.sleep


class Finder(ABC):
    """Finds rows by key, for one task."""

    def open(self) -> None:  # noqa: B027  # not all have something to open
        """Opens the finder before the first lookup."""

    def close(self) -> None:  # noqa: B027
        """Closes the finder, also after a failure."""

    @abstractmethod
    def find(self, keys: pa.RecordBatch) -> Found:
        """Returns the rows of keys that differ from each other."""


class CallingFinder(Finder):
    """Calls a function that waits."""

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
        found = []
        for start in range(0, keys.num_rows, KEYS_AT_ONCE):
            self._waiting.check()
            part = keys.slice(start, KEYS_AT_ONCE)
            one = repeat_failures(self._spec, self._provider, self._waiting, lambda part=part: self._call(part), self.close)  # type: ignore[misc]
            found.append(Found(pc.add(one.keys, pa.scalar(start, pa.int64())), one.rows))
        return together(found, self._spec.produced)

    def _call(self, keys: pa.RecordBatch) -> Found:
        if self._function is None:
            function = self._provider.create_lookup_function()
            self._function = function
            function.open(FunctionContext(self._spec.settings.job_parameters))
        function = self._function
        if function.is_batched:
            giver = f"Looking up rows of {self._spec.table} failed: {type(function).__name__}.lookup_batch"
            with calling(f"{type(function).__name__}.lookup_batch"):
                batch = function.lookup_batch(keys)
            return checked(import_batch(batch, giver), keys.num_rows, self._spec)
        with calling(f"{type(function).__name__}.lookup"):
            rows = [function.lookup(row) for row in columnar_rows(keys, self._spec.key_type)]
        return rows_of_keys(rows, self._spec)


def repeat_failures(spec: LookupSpec, provider: Any, waiting: Waiting, call: Callable[[], Found], reset: Callable[[], None]) -> Found:
    """Returns what the call gives, calling again as often as the provider allows; ``reset`` comes before each new try."""
    delay = provider.retry_delay.total_seconds()
    for attempt in range(provider.max_retries + 1):
        try:
            return call()
        except ValidationException:
            raise
        except Exception as error:
            if isinstance(error, TableError) and not isinstance(error, TableRuntimeException):
                raise
            if attempt == provider.max_retries:
                raise _failed(spec, attempt + 1, error) from error
        _quietly(reset)
        waiting.pause(delay * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def _failed(spec: LookupSpec, attempts: int, error: Exception) -> TableRuntimeException:
    times = "" if attempts == 1 else f" {attempts} times"
    text = str(error) if isinstance(error, TableError) else f"{type(error).__name__}: {error}"
    return TableRuntimeException(f"Looking up rows of {spec.table} failed{times}: {text}")


def _quietly(call: Callable[[], None]) -> None:
    try:
        call()
    except Exception:
        # What is broken may not even close; the failure that led here is the one that counts.
        return


def checked(batch: pa.RecordBatch, key_count: int, spec: LookupSpec) -> Found:
    """Returns what a batched function gave, in the canonical schema.

    Raises:
        ValidationException: the columns are not those of the produced row.
        TableRuntimeException: a row belongs to no key.
    """
    fields = spec.produced.fields
    if batch.num_columns != len(fields) + 1 or not pa.types.is_integer(batch.column(0).type if batch.num_columns else pa.null()):
        given = ", ".join(f"{field.name} {field.type}" for field in batch.schema) or "none"
        wanted = ", ".join(f"{field.name} {field.type}" for field in fields)
        raise ValidationException(
            f"The lookup of {spec.table} gave the columns {given}; it gives the position of the key (an integer), then {wanted}."
        )
    keys = pc.cast(batch.column(0), pa.int64())
    if len(keys):
        bounds = pc.min_max(keys).as_py()
        if keys.null_count or bounds["min"] < 0 or bounds["max"] >= key_count:
            raise TableRuntimeException(
                f"The lookup of {spec.table} gave a row for the key {'NULL' if keys.null_count else bounds}, "
                f"but keys are counted from 0 to {key_count - 1}."
            )
    columns = [
        conform_array(column, field.type, f"Column '{field.name}' of {spec.table}")
        for column, field in zip(batch.columns[1:], fields, strict=True)
    ]
    return Found(keys, make_batch(columns, to_arrow_schema(spec.produced), batch.num_rows))


def rows_of_keys(results: list[Any], spec: LookupSpec) -> Found:
    """Returns the rows that a row-wise function gave for the keys 0, 1, 2, …"""
    positions: list[int] = []
    rows: list[RowData] = []
    for position, found in enumerate(results):
        for row in found if found is not None else ():
            positions.append(position)
            rows.append(row)
    return Found(pa.array(positions, pa.int64()), from_row_data(rows, spec.produced))


def together(found: list[Found], produced: RowType) -> Found:
    """Returns several parts as one."""
    if len(found) == 1:
        return found[0]
    schema = to_arrow_schema(produced)
    if not found:
        return Found(pa.array([], pa.int64()), empty_batch(schema))
    return Found(concat_arrays([part.keys for part in found], pa.int64()), rechunk([part.rows for part in found], schema))


@dataclass(frozen=True, slots=True)
class _Kept:
    """The rows of one key: some that stand together in a batch which keeps those of a few hundred others, too."""

    batch: pa.RecordBatch
    start: int
    num_rows: int


class CachedFinder(Finder):
    """Keeps what another finder finds, by key.

    Rows are kept in small batches: they are put together again a batch at a time, and what was not dropped from the cache holds little
    memory of what was.
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
        names = list(zip(*[to_plain(column).to_pylist() for column in keys.columns], strict=True))
        misses: list[int] = []
        hits: dict[int, list[tuple[int, _Kept]]] = {}
        for position, name in enumerate(names):
            kept = self._cache.get_if_present(name)
            if kept is None:
                misses.append(position)
            elif kept.num_rows:
                hits.setdefault(id(kept.batch), []).append((position, kept))
        parts = [_taken(of_one_batch) for of_one_batch in hits.values()]
        if misses:
            asked = pa.array(misses, pa.int64())
            found = self._inner.find(take_batch(keys, asked) if len(misses) < keys.num_rows else keys)
            self._keep(found, [names[position] for position in misses])
            parts.append(Found(pc.take(asked, found.keys), found.rows))
        return together(parts, self._spec.produced)

    def _keep(self, found: Found, names: list[tuple[Any, ...]]) -> None:
        order = pc.sort_indices(found.keys)
        counts = pc.value_counts(pc.take(found.keys, order))  # in order of the keys, since they are sorted
        counted = dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
        batch, start, first = found.rows.slice(0, 0), 0, 0
        for position, name in enumerate(names):
            count = counted.get(position, 0)
            if start + count > batch.num_rows:
                batch, start = take_batch(found.rows, order.slice(first, max(count, KEPT_TOGETHER))), 0
            self._cache.put(name, _Kept(batch, start, count))
            start += count
            first += count


def _taken(kept: list[tuple[int, _Kept]]) -> Found:
    """Returns the rows of several keys that are kept in one batch."""
    positions = [position for position, rows in kept for _ in range(rows.num_rows)]
    indices = [index for _, rows in kept for index in range(rows.start, rows.start + rows.num_rows)]
    return Found(pa.array(positions, pa.int64()), take_batch(kept[0][1].batch, pa.array(indices, pa.int64())))


class TableFinder(Finder):
    """Holds the whole table, read through a scan."""

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
