"""Restores the before image of an update from a message that holds only the changed fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.json_text import as_deep_as_it_is, require_levels
from table_runtime.formats.changelog.before_after_envelope import cast_rows
from table_runtime.formats.json.line_parser import shown

_MAY_HAVE_NULL = r'(?s)"old".*null|\\u'
"""A null after ``old``, whose name may also be written with escapes."""
_MAY_HAVE_FIELD = r'(?s)"old".*%s'
"""A field after ``old``."""


def rows_before(
    after: pa.StructArray, old: pa.StructArray, updated: pa.Array, texts: Callable[[], pa.Array], item: pa.Array, *, has_ignored: bool
) -> pa.StructArray:
    """Returns the before images of the updates: the fields that ``old`` has, and the other fields of ``after``.

    A NULL field of ``old`` was either NULL before, or could not be read and is ignored, or did not change; only the message distinguishes these, so messages of
    updates that may have such a field after the name ``old`` are parsed again.

    Args:
    after: the after images.
    old: the changed fields.
    updated: which rows are updates; other rows are ignored.
    texts: returns the message of each row; not called without updates.
    item: the position of the row in the message's ``old``, if that is a list.
    has_ignored: whether values of some messages could not be read and are ignored.
    """
    if pc.any(updated).as_py() is not True:
        return after
    names = [field.name for field in after.type]
    explicit: dict[str, set[int]] = {name: set() for name in names}
    positions = pc.indices_nonzero(pc.fill_null(updated, False))
    messages = texts()
    of_updates = messages.take(positions)
    suspects = pc.fill_null(pc.match_substring_regex(of_updates, _MAY_HAVE_NULL), False)
    if has_ignored:
        for name, before in zip(names, old.flatten(), strict=True):
            pattern = _MAY_HAVE_FIELD % re.escape(json.dumps(name, ensure_ascii=False))
            ignored = pc.and_(pc.is_null(before.take(positions)), pc.match_substring_regex(of_updates, pattern))
            suspects = pc.or_(suspects, pc.fill_null(ignored, False))
    for position in positions.filter(suspects).to_pylist():
        for name in _fields_of_old(messages[position].as_py(), item[position].as_py()):
            if name in explicit:
                explicit[name].add(position)
    columns = []
    for name, new, before in zip(names, after.flatten(), cast_rows(old, after.type).flatten(), strict=True):
        has_old_value = pc.is_valid(before)
        if explicit[name]:
            null_positions = pa.array(sorted(explicit[name]), type=pa.int64())
            has_old_value = pc.or_(has_old_value, pc.is_in(pa.arange(0, len(after)), value_set=null_positions))
        columns.append(pc.if_else(has_old_value, before, new))
    return pa.StructArray.from_arrays(columns, fields=list(after.type))


def _fields_of_old(message: bytes | None, item: int) -> list[str]:
    text = (message or b"null").decode(errors="replace")
    try:
        require_levels(text)
    except ValueError as error:
        raise TableRuntimeException(f"{shown(text)} is not a message of changes: {error}.") from None
    try:
        with as_deep_as_it_is(text):
            parsed: Any = json.loads(text, strict=False)
        old = parsed.get("old")
        if isinstance(old, list):
            old = old[item]
    except (ValueError, AttributeError, IndexError):
        return []
    return list(old) if isinstance(old, Mapping) else []
