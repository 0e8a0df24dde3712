"""Rejects values on write that CSV could not round-trip."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import ArrayType, LogicalType, RowField, RowType
from table_runtime.casts.nested import compact
from table_runtime.formats.csv import options as opt
from table_runtime.formats.csv.values import parse_field
from table_runtime.formats.text.values import to_text

_NULL_HINT = "Set the table's option 'csv.null-literal' to a text that stands for NULL"


def refuse_changed(column: pa.Array, texts: pa.Array, field: RowField, config: ReadableConfig) -> None:
    """Checks that the texts of a column (NULL for NULL) would be read as the same values.

    NULL itself is not checked: without ``csv.null-literal`` it is written as an empty field, which is read as an empty text, as in Flink.

    Raises:
        TableRuntimeException: a text would be read as another value.
    """
    null: str | None = config.get(opt.NULL_LITERAL)
    where = f"column '{field.name}' of the type {field.type.summary()}"
    if isinstance(field.type, ArrayType | RowType):
        _refuse_changed_parts(column, texts, field, config, where)
        return
    if null is not None and pc.any(pc.equal(texts, pa.scalar(null))).as_py():
        raise TableRuntimeException(
            f"The format 'csv' cannot write {null!r} in {where}: the option 'csv.null-literal' makes it NULL.", hint=_NULL_HINT
        )


def _refuse_changed_parts(column: pa.Array, texts: pa.Array, field: RowField, config: ReadableConfig, where: str) -> None:
    null: str | None = config.get(opt.NULL_LITERAL)
    fields = pc.fill_null(texts, null or "")
    if null is not None:
        fields = pc.if_else(pc.equal(fields, pa.scalar(null)), pa.scalar(None, pa.string()), fields)
    reread = parse_field(fields, field.type.with_nullability(True), config, True)[0]
    valid = pc.is_valid(column)
    if reread.filter(valid).equals(column.filter(valid)):
        return
    for value, reread_value in zip(_values(column, field.type), _values(reread, field.type), strict=True):
        if value is not None and repr(value) != repr(reread_value):  # by repr, so that NaN equals NaN
            raise TableRuntimeException(
                f"The format 'csv' cannot write {_shown(value)} in {where}: it would be read as {_shown(reread_value)}.",
                hint="Elements must not contain 'csv.array-element-delimiter'; the option 'csv.null-literal' sets the text of NULL.",
            )


def _values(column: pa.Array, type_: LogicalType) -> list[Any]:
    """Returns the values; their elements as text if they have nanoseconds, which Arrow converts with pandas only."""
    try:
        values: list[Any] = column.to_pylist()
        return values
    except ValueError:
        pass
    column = compact(column)
    mask = pc.is_null(column)
    if isinstance(type_, ArrayType):
        texts: pa.Array = pa.ListArray.from_arrays(column.offsets, to_text(column.values, type_.element_type), mask=mask)
    else:
        assert isinstance(type_, RowType)
        parts = [to_text(part, field.type) for part, field in zip(column.flatten(), type_.fields, strict=True)]
        texts = pa.StructArray.from_arrays(parts, names=list(type_.field_names), mask=mask)
    return texts.to_pylist()  # type: ignore[no-any-return]


def _shown(value: object) -> str:
    text = "NULL" if value is None else repr(value)
    return text if len(text) <= 100 else text[:97] + "..."
