"""Checks that files with named columns have all columns of the table, and their rows all fields.

Otherwise a misspelt column would be read as NULL, without an error. ``'missing-columns' = 'null'`` allows files that were written before a
column was added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.types as pat

from table_common.exceptions import ValidationException
from table_common.types import ArrayType, DistinctType, LogicalType, MapType, MultisetType, RowType, StructuredType

MISSING_COLUMNS_HINT = (
    "'missing-columns' = 'null' reads columns that a file lacks as NULL, for files that were written before a column was added"
)
Parts = Callable[[Any], Mapping[str, Any] | None]
"""Returns the fields of a row, or the types in a collection by the names ``element``, ``key`` and ``value``; None for other types.
"""


def require_text_names(schema: pa.Schema) -> None:
    """Checks that the names of all fields, also inside of rows, are valid; a damaged file may have others.

    Raises:
        UnicodeDecodeError: a name is not UTF-8.
    """
    pending: list[Any] = list(schema)
    while pending:
        field = pending.pop()
        assert isinstance(field.name, str)  # reading the name raises the error
        pending += [field.type.field(i) for i in range(field.type.num_fields)]


def require_columns(wanted: RowType, found: Any, where: str, parts: Parts | None = None) -> None:
    """Checks that the file has the columns, and their rows the fields.

    Args:
        wanted: the columns to read.
        found: the file's schema.
        where: the file, for messages.
        parts: returns the parts of a type in ``found``; None: ``found`` is an Arrow schema.

    Raises:
        ValidationException: a column or field is missing.
    """
    # Differs from Flink: a column that a Parquet or ORC file lacks is an error, not NULL, unless 'missing-columns' is 'null'.
    _require(wanted, found, "", where, parts or arrow_parts)


def _require(wanted: LogicalType, found: Any, path: str, where: str, parts: Parts) -> None:
    match wanted:
        case RowType() | StructuredType():
            present = parts(found)
            if present is None:  # not a row: the reader reports the error
                return
            for field in wanted.fields:
                name = f"{path}.{field.name}" if path else field.name
                if field.name not in present:
                    inside = f"{where}, column '{path}'" if path else where
                    hint = MISSING_COLUMNS_HINT if path else _hint(field.name, where)
                    raise ValidationException.unknown("Field" if path else "Column", field.name, present, where=inside, hint=hint)
                _require(field.type, present[field.name], name, where, parts)
        case ArrayType():
            _require_part(wanted.element_type, found, "element", path, where, parts)
        case MapType():
            _require_part(wanted.key_type, found, "key", path, where, parts)
            _require_part(wanted.value_type, found, "value", path, where, parts)
        case MultisetType():
            _require_part(wanted.element_type, found, "key", path, where, parts)
        case DistinctType():
            _require(wanted.source_type, found, path, where, parts)


def _hint(column: str, where: str) -> str:
    """Returns the hint for a column that a file lacks: folders of partitions may have its values."""
    keys = re.findall(r"/([^/=]+)=[^/]*(?=/)", where)
    if column not in keys:
        return MISSING_COLUMNS_HINT
    return f"the names of folders have its values: declare PARTITIONED BY ({', '.join(f'`{key}`' for key in keys)})"


def _require_part(wanted: LogicalType, found: Any, part: str, path: str, where: str, parts: Parts) -> None:
    present = parts(found)
    if present is not None and part in present:
        _require(wanted, present[part], path, where, parts)


def arrow_parts(found: Any) -> Mapping[str, Any] | None:
    """Returns the parts of an Arrow schema or type; see ``Parts``."""
    if isinstance(found, pa.Schema) or pat.is_struct(found):
        return {field.name: field.type for field in found}
    if pat.is_map(found):
        return {"key": found.key_type, "value": found.item_type}
    if pat.is_list(found) or pat.is_large_list(found) or pat.is_fixed_size_list(found):
        return {"element": found.value_type}
    return None
