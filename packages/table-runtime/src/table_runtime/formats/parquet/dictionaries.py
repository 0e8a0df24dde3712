"""Texts of few values in Parquet files, which are read as dictionaries: a value is decoded once, not once per row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc

MOST_BYTES = 1 << 16
"""Maximum bytes, before decompression, of the dictionary of a column chunk. Chunks with larger ones often have values outside of it too."""

DISTINCT_WRITERS = ("parquet-cpp", "parquet-mr", "parquet-rs", "DuckDB")
"""What ``created_by`` of files starts with whose dictionaries have no value twice. Arrow returns wrong indices of other dictionaries."""


def columns_in_dictionaries(metadata: Any, names: Collection[str], groups: Iterable[int], is_suitable: Callable[[Any], bool]) -> list[str]:
    """Returns those of some columns of a file, by dotted path, whose chunks in all these row groups are suitable.

    None are if a dictionary of the file may have a value twice: Arrow cannot read its columns as dictionary arrays.
    """
    found = set(names)
    if not str(metadata.created_by).startswith(DISTINCT_WRITERS):
        return []
    for number in groups if found else ():
        group = metadata.row_group(number)
        chunks = (group.column(index) for index in range(group.num_columns))
        found &= {chunk.path_in_schema for chunk in chunks if chunk.path_in_schema in found and is_suitable(chunk)}
    return sorted(found)


def small_dictionaries(schema: pa.Schema, metadata: Any, names: Collection[str]) -> list[str]:
    """Returns those of some text columns of a file whose values are in a small dictionary in each row group."""
    texts = {name for name in names if schema.get_field_index(name) >= 0 and pa.types.is_string(schema.field(name).type)}
    return columns_in_dictionaries(metadata, texts, range(metadata.num_row_groups), _is_small)


def _is_small(chunk: Any) -> bool:
    start = chunk.dictionary_page_offset if chunk.has_dictionary_page else None
    return start is not None and 0 < chunk.data_page_offset - start <= MOST_BYTES


def require_indices(array: pa.DictionaryArray) -> None:
    """Raises ``pa.ArrowInvalid`` if an index has no value: the file has a value twice in the dictionary."""
    largest = pc.max(array.indices).as_py()
    if largest is not None and largest >= len(array.dictionary):
        raise pa.ArrowInvalid("its dictionary has a value twice")
