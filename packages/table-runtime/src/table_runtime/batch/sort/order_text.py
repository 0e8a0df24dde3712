"""Sort keys as text, for plans."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_runtime.columns.ordering import SortKey


def order_text(keys: Sequence[SortKey], schema: pa.Schema) -> str:
    """Returns the text of the sort keys in plans."""
    texts = []
    for key in keys:
        text = f"{schema.field(key.column).name} {'ASC' if key.ascending else 'DESC'}"
        if key.nulls_first != key.ascending:
            text += f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        texts.append(text)
    return ", ".join(texts)
