"""Texts of few values in Parquet files, which are read as dictionaries: a value is decoded once, not once per row."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc

__all__ = ["has_distinct_values", "require_indices", "small_dictionaries"]

MOST_BYTES = 1 << 16
"""Maximum bytes, before decompression, of the dictionary of a column chunk. Chunks with larger ones often have values outside of it too."""

DISTINCT_WRITERS = ("parquet-cpp", "parquet-mr", "parquet-rs", "DuckDB")
"""What ``created_by`` of files starts with whose dictionaries have no value twice. Arrow returns wrong indices of other dictionaries."""


def has_distinct_values(metadata: Any) -> bool:
    """Returns whether the dictionaries of a file have no value twice, so that Arrow can read columns as dictionary arrays."""
    return str(metadata.created_by).startswith(DISTINCT_WRITERS)


def small_dictionaries(fragment: Any, names: Collection[str]) -> list[str]:
    """Returns those of some text columns of a fragment of a file whose values are in a small dictionary in each row group."""
    schema = fragment.physical_schema
    texts = {name for name in names if schema.get_field_index(name) >= 0 and pa.types.is_string(schema.field(name).type)}
    metadata = fragment.metadata
    if not has_distinct_values(metadata):
        return []
    for group in range(metadata.num_row_groups if texts else 0):
        row_group = metadata.row_group(group)
        small = set()
        for index in range(row_group.num_columns):
            chunk = row_group.column(index)
            if chunk.path_in_schema in texts and chunk.has_dictionary_page:
                start = chunk.dictionary_page_offset
                if start is not None and 0 < chunk.data_page_offset - start <= MOST_BYTES:
                    small.add(chunk.path_in_schema)
        texts &= small
    return sorted(texts)


def require_indices(array: pa.DictionaryArray) -> None:
    """Raises ``pa.ArrowInvalid`` if an index has no value: the file has a value twice in the dictionary."""
    largest = pc.max(array.indices).as_py()
    if largest is not None and largest >= len(array.dictionary):
        raise pa.ArrowInvalid("its dictionary has a value twice")
