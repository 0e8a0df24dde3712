"""Samples of Parquet files for estimates: all rows of a small table, the first rows of some row groups of a large one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from table_common.arrow import conform_array
from table_common.exceptions import TableError
from table_common.types import LogicalType
from table_runtime.files.footers import FileVersion, Footer, file_version, footer_of
from table_runtime.sources.sample import TableSample

SMALL_ROWS = 1 << 17
"""A table with at most this many rows is read as a whole."""
SMALL_BYTES = 8 << 20
"""A column with more uncompressed bytes is never read as a whole."""
GROUPS, GROUP_ROWS = 8, 4096
"""Row groups of a large table that are looked at, and the rows that are read of each."""
MOST_FILES = 16
"""A table of more files is sampled from some of them."""
CACHE_BYTES = 64 << 20
"""Bytes of all cached columns of the process; the least recently used ones are dropped."""

_Key = tuple[tuple[FileVersion, ...], str, str, bool]
_cache: OrderedDict[_Key, pa.Array] = OrderedDict()
_lock = threading.Lock()


def parquet_sample(files: Sequence[Path], types: Mapping[str, LogicalType | None]) -> TableSample | None:
    """Returns rows of the files with columns of these types, of which None are not in files.

    None if there are no files, if a file lacks a column or has it in a nested type, and after errors, which whoever reads the files reports.
    """
    if not files or not types or None in types.values():
        return None
    try:
        return _sample(files, {name: type_ for name, type_ in types.items() if type_ is not None})
    except (OSError, ValueError, NotImplementedError, TableError):
        return None


def _sample(files: Sequence[Path], types: Mapping[str, LogicalType]) -> TableSample | None:
    chosen = files if len(files) <= MOST_FILES else [files[number * len(files) // MOST_FILES] for number in range(MOST_FILES)]
    footers = [footer_of(file) for file in chosen]
    if not all(name in footer.columns for footer in footers for name in types):
        return None
    whole = len(chosen) == len(files) and sum(footer.rows for footer in footers) <= SMALL_ROWS
    versions = tuple(map(file_version, chosen))
    columns = {}
    for name, type_ in types.items():
        if whole and sum(_size(footer, name) for footer in footers) > SMALL_BYTES:
            return None
        columns[name] = _cached((versions, name, str(type_), whole), chosen, footers, type_)
    rows = min(len(column) for column in columns.values())
    return TableSample(columns, rows, whole, (versions, whole)) if rows else None


def _size(footer: Footer, name: str) -> int:
    index, metadata = footer.columns[name], footer.metadata
    return sum(metadata.row_group(number).column(index).total_uncompressed_size for number in range(metadata.num_row_groups))


def _cached(key: _Key, files: Sequence[Path], footers: Sequence[Footer], type_: LogicalType) -> pa.Array:
    with _lock:
        found = _cache.get(key)
        if found is not None:
            _cache.move_to_end(key)
            return found
    _, name, _, whole = key
    share = GROUPS // min(len(files), GROUPS)
    chunks = [chunk for file, footer in zip(files, footers, strict=True) for chunk in _read(file, footer, name, None if whole else share)]
    array = pa.concat_arrays(chunks) if chunks else pa.nulls(0)
    made = conform_array(array, type_.with_nullability(True), f"Column '{name}'", by_name=True)
    with _lock:
        _cache[key] = made
        size = sum(one.nbytes for one in _cache.values())
        while size > CACHE_BYTES and len(_cache) > 1:
            size -= _cache.popitem(last=False)[1].nbytes
    return made


def _read(path: Path, footer: Footer, name: str, share: int | None) -> list[pa.Array]:
    """Returns a column of a file: the first rows of ``share`` row groups, all rows if it is None."""
    from pyarrow._parquet import ParquetReader

    groups = footer.metadata.num_row_groups
    numbers = range(groups) if share is None or groups <= share else [number * groups // share for number in range(share)]
    chunks: list[pa.Array] = []
    with path.open("rb") as file:
        reader = ParquetReader()
        reader.open(pa.PythonFile(file, "r"), metadata=footer.metadata)
        for number in numbers:
            size = GROUP_ROWS if share is not None else SMALL_ROWS
            batches = reader.iter_batches(size, row_groups=[number], column_indices=[footer.columns[name]], use_threads=False)
            for batch in batches:
                chunks.append(batch.column(0))
                if share is not None:
                    break
    return chunks
