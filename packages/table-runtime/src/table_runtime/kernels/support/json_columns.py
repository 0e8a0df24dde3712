"""JSON paths over columns: documents of the same structure together, all others one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.casts import map_distinct, map_distinct_array
from table_runtime.columns.array_cache import derived
from table_runtime.kernels.support.json_path import PathError, finder
from table_runtime.kernels.support.json_text import write

if TYPE_CHECKING:
    from table_runtime.json_documents.documents import Documents

OfDocuments = Callable[["Documents", Any, Callable[[int], pa.Scalar]], "pa.Array | None"]
"""(documents, the value that the path selects in their template, the result of the document at a position evaluated alone) → the result of each document;
None: it is the same for all."""

_FEWEST = 500
"""Documents below which they are evaluated one by one."""
_SAMPLE = 256
_MOST_BYTES = 1 << 26
"""Of texts whose positions are kept for further paths."""
_ROWS_AT_ONCE = 1 << 17
_SLOT = re.compile("\0([0-9]+)\0")


def apply_documents(texts: Any, path: str, one: Callable[[str], Any], many: OfDocuments, arrow_type: Any) -> Any:
    """Returns the array of ``one(text)``; ``one`` evaluates the path. NULL stays NULL.

    ``one`` must not depend on the scalar values of a document if ``many`` returns None for its template.
    """
    if len(texts) < _FEWEST or texts.type != pa.string():
        return map_distinct(texts, one, arrow_type)
    if _repeats(texts):
        return map_distinct_array(texts, lambda distinct: _evaluated(distinct, path, one, many, arrow_type), arrow_type)
    return _evaluated(texts, path, one, many, arrow_type)


def _repeats(texts: pa.StringArray) -> bool:
    """Returns whether many documents seem to be the same."""
    sample = texts.take(pa.array(range(0, len(texts), -(-len(texts) // _SAMPLE)), pa.int64()))
    return 2 * int(pc.count_distinct(sample).as_py()) < len(sample)


def _evaluated(texts: pa.StringArray, path: str, one: Callable[[str], Any], many: OfDocuments, arrow_type: Any) -> pa.Array:
    try:
        return _evaluated_together(texts, path, one, many, arrow_type)
    except (TableRuntimeException, ValueError, OverflowError):  # the error is that of the first document that has one
        return map_distinct(texts, one, arrow_type)


def _evaluated_together(texts: pa.StringArray, path: str, one: Callable[[str], Any], many: OfDocuments, arrow_type: Any) -> pa.Array:
    find = finder(path)
    slices = [texts.slice(start, _ROWS_AT_ONCE) for start in range(0, len(texts), _ROWS_AT_ONCE)]
    found: Iterable[list[Documents]] = map(_documents, slices)
    if texts.nbytes <= _MOST_BYTES:
        found = derived(texts, "documents", lambda _: list(found))
    columns = [_of_slice(part, some, find, one, many, arrow_type) for part, some in zip(slices, found, strict=True)]
    return columns[0] if len(columns) == 1 else pa.concat_arrays(columns) if columns else pa.nulls(0, arrow_type)


def _documents(texts: pa.StringArray) -> list[Documents]:
    from table_runtime.json_documents.documents import documents

    return documents(texts)


def _of_slice(
    texts: pa.StringArray,
    found: Sequence[Documents],
    find: Callable[[Any], list[Any]],
    one: Callable[[str], Any],
    many: OfDocuments,
    arrow_type: Any,
) -> pa.Array:
    import numpy as np

    def of_texts(others: pa.Array) -> pa.Array:
        return map_distinct(others, one, arrow_type)

    columns: list[pa.Array] = []
    rest = np.ones(len(texts), np.bool_)
    for documents in found:
        rest[documents.rows] = False

        def alone(index: int, rows: Any = documents.rows) -> pa.Scalar:
            return of_texts(texts.slice(int(rows[index]), 1))[0]

        try:
            values = find(documents.template.document)
        except PathError:
            values = []
        column = many(documents, values[0], alone) if values else None
        if column is None:
            same = alone(0)
            column = pa.repeat(same, len(documents.rows)) if same.is_valid else pa.nulls(len(documents.rows), arrow_type)
        columns.append(column)
    if len(columns) == 1 and len(columns[0]) == len(texts):
        return columns[0]
    others = np.flatnonzero(rest)
    columns.append(of_texts(texts.take(pa.array(others))))
    order = np.empty(len(texts), np.int64)
    order[np.concatenate([*(documents.rows for documents in found), others])] = np.arange(len(texts))
    return pa.concat_arrays(columns).take(pa.array(order))


def with_nulls(values: Any, documents: Documents, slot: int, alone: Callable[[int], pa.Scalar]) -> pa.Array:
    """Returns the values, and for documents in which the slot is NULL the result of one of them."""
    nulls = documents.nulls(slot)
    return values if nulls is None else pc.if_else(pa.array(nulls), alone(int(nulls.argmax())), values)


def written_values(documents: Documents, value: Any) -> pa.Array:
    """Returns the compact JSON, with sorted keys, of a value of a template in each document."""
    pieces = _SLOT.split(write(value, sort_keys=True))
    columns: list[Any] = [pa.scalar(pieces[0])]
    for slot, piece in zip(map(int, pieces[1::2]), pieces[2::2], strict=True):
        is_quoted = documents.template.quoted[slot]
        columns += [pa.scalar('"')] * is_quoted + [documents.texts(slot), pa.scalar('"' * is_quoted + piece)]
    if len(columns) == 1:
        return pa.repeat(columns[0], len(documents.rows))
    return pc.binary_join_element_wise(*_joined(columns), pa.scalar(""))


def _joined(columns: Sequence[Any]) -> list[Any]:
    """Returns the columns with adjacent constants joined."""
    result: list[Any] = []
    for column in columns:
        if isinstance(column, pa.Scalar) and result and isinstance(result[-1], pa.Scalar):
            result[-1] = pa.scalar(result[-1].as_py() + column.as_py())
        else:
            result.append(column)
    return result
