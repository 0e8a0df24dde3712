"""Detects text in columnar files that is not UTF-8: Arrow does not check it, so a later operation would fail."""

from __future__ import annotations

import pyarrow as pa

from table_runtime.columns.ascii_text import is_ascii


def refuse_damaged_text(array: pa.Array) -> None:
    """Raises ``pa.ArrowInvalid`` if a text in a column, also inside rows and collections, is not UTF-8."""
    type_ = array.type
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        if not is_ascii(array):
            array.validate(full=True)
    elif pa.types.is_dictionary(type_):
        refuse_damaged_text(array.dictionary)
    elif pa.types.is_struct(type_):
        for child in array.flatten():
            refuse_damaged_text(child)
    elif pa.types.is_map(type_):
        refuse_damaged_text(array.keys)
        refuse_damaged_text(array.items)
    elif pa.types.is_list(type_) or pa.types.is_large_list(type_):
        refuse_damaged_text(array.flatten())
