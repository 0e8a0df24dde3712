"""Results of statements that run without an engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_api.rendering import TableauStyle
from table_api.table_result import ResultKind, TableResult
from table_common.catalog import ResolvedSchema
from table_common.types import LogicalType, VarCharType


def ok() -> TableResult:
    """Returns the result ``OK`` of a statement without rows."""
    schema = ResolvedSchema.physical([("result", VarCharType())])
    return TableResult(schema, ResultKind.SUCCESS, rows=[("OK",)], style=TableauStyle(raw=True))


def texts_of(column: str, values: Iterable[str], *, whole: bool = False) -> TableResult:
    """Returns a result of one column of text."""
    return rows_of([(column, VarCharType())], [(value,) for value in values], whole=whole)


def rows_of(columns: Iterable[tuple[str, LogicalType]], rows: Sequence[Sequence[object]], *, whole: bool = False) -> TableResult:
    """Returns a result of these columns and rows; ``whole`` values are not cut where a terminal is narrow, such as paths to be copied."""
    style = TableauStyle(max_column_width=None, null="", whole=True) if whole else None
    return TableResult(ResolvedSchema.physical(columns), rows=rows, style=style)


def text_of(text: str) -> TableResult:
    """Returns a multi-line text as a result; it is printed without a table around it."""
    schema = ResolvedSchema.physical([("result", VarCharType())])
    return TableResult(schema, rows=[(text,)], style=TableauStyle(raw=True))
