"""Rows as a table with borders, as Flink's clients print them.

Widths are those of the content where all rows are at hand (batch, SHOW); a result that may be unbounded is printed as it comes, and its
widths follow from the types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Protocol, TextIO

from table_api.rendering.values import render_value
from table_common.catalog import ResolvedSchema
from table_common.data import Row
from table_common.terminal_text import character_width, display_width, escape_controls
from table_common.types import (
    BigIntType,
    BooleanType,
    DateType,
    DecimalType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
)

LEAST_WIDTH = 8
"""The width below which a column is not reduced to fit into a terminal."""
_FIXED_WIDTHS: dict[type[LogicalType], int] = {
    TinyIntType: 4,
    SmallIntType: 6,
    IntType: 11,
    BigIntType: 20,
    BooleanType: 5,
    DateType: 10,
}


class _Style(Protocol):
    """``TableauStyle``, which says what its fields mean."""

    @property
    def max_column_width(self) -> int | None: ...
    @property
    def by_type(self) -> bool: ...
    @property
    def row_kinds(self) -> bool: ...
    @property
    def null(self) -> str: ...
    @property
    def total_width(self) -> int | None: ...
    @property
    def sampled_rows(self) -> int | None: ...
    @property
    def raw(self) -> bool: ...


class _Rows(Protocol):
    def get_resolved_schema(self) -> ResolvedSchema: ...

    def collect(self) -> Iterator[Row]: ...


def cell_texts(result: _Rows) -> Iterator[list[str | None]]:
    """Yields the texts of each row of a result; None for NULL."""
    types = result.get_resolved_schema().column_types
    for row in result.collect():
        yield [render_value(value, data_type) for value, data_type in zip(row, types, strict=True)]


def print_rows(
    style: _Style,
    schema: ResolvedSchema,
    rows: Iterable[Row],
    output: TextIO,
    before_output: Callable[[], None] | None = None,
    after_count: Callable[[], str] | None = None,
) -> None:
    """Writes the rows in a style.

    ``before_output`` is called once before anything is written, ``after_count`` after all rows: its text follows their number.
    """
    iterator = iter(rows)
    first = next(iterator, None)
    if first is not None and not style.by_type:
        # These rows are needed for the widths, so wait for them before anything is shown.
        sample = list(islice(iterator, style.sampled_rows))
        iterator = chain(sample, iterator)
    if before_output is not None:
        before_output()
    if first is None:
        output.write(f"Empty set{after_count() if after_count is not None else ''}\n")
        return
    all_rows = chain((first,), iterator)
    if style.raw:
        output.writelines(escape_controls(str(row[0]).removesuffix("\n"), keep="\n\t") + "\n" for row in all_rows)
        return
    count = _print_table(style, schema, (_texts(style, row, schema.column_types) for row in all_rows), output)
    output.write(f"{count} {'row' if count == 1 else 'rows'} in set{after_count() if after_count is not None else ''}\n")


def _print_table(style: _Style, schema: ResolvedSchema, texts: Iterable[list[str]], output: TextIO) -> int:
    names = ([*("op",)] if style.row_kinds else []) + [escape_controls(name) for name in schema.column_names]
    if style.by_type:
        widths = ([2] if style.row_kinds else []) + [
            max(display_width(escape_controls(column.name)), _width_of_type(style, column.data_type)) for column in schema.columns
        ]
    else:
        texts = iter(texts)
        sample = list(islice(texts, style.sampled_rows))
        widths = [max(map(display_width, column)) for column in zip(names, *sample, strict=True)]
        if style.max_column_width is not None:
            widths = [min(width, style.max_column_width) for width in widths]
        if style.total_width is not None:
            widths = shrunk(widths, style.total_width)
        texts = chain(sample, texts)
    border = "+" + "".join(f"{'-' * (width + 2)}+" for width in widths) + "\n"
    output.write(border + _line(names, widths) + border)
    count = 0
    for row in texts:
        output.write(_line(row, widths))
        count += 1
    output.write(border)
    return count


def _texts(style: _Style, row: Row, types: Sequence[LogicalType]) -> list[str]:
    texts = [render_value(value, data_type) for value, data_type in zip(row, types, strict=True)]
    shown = [style.null if text is None else escape_controls(text) for text in texts]
    return [row.get_row_kind().short_string, *shown] if style.row_kinds else shown


def _width_of_type(style: _Style, data_type: LogicalType) -> int:
    if isinstance(data_type, DecimalType):
        width = data_type.precision + 2
    elif isinstance(data_type, TimeType):
        width = 8 if data_type.precision == 0 else 9 + data_type.precision
    elif isinstance(data_type, (TimestampType, LocalZonedTimestampType)):
        digits = next(limit for limit in (0, 3, 6, 9) if data_type.precision <= limit)
        width = 19 if digits == 0 else 20 + digits
    else:
        width = _FIXED_WIDTHS.get(type(data_type), style.max_column_width or 30)
    return max(width, len(style.null))


def shrunk(widths: Sequence[int], total: int) -> list[int]:
    """Returns the widths of columns, the widest reduced until the table fits into ``total``, but none below ``LEAST_WIDTH``."""
    available = total - 1 - 3 * len(widths)
    if sum(widths) <= available:
        return list(widths)
    # The largest limit with which the columns fit.
    limit = max(
        (limit for limit in range(LEAST_WIDTH, max(widths) + 1) if sum(min(width, limit) for width in widths) <= available),
        default=LEAST_WIDTH,
    )
    return [min(width, limit) for width in widths]


def _line(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "|" + "".join(f" {_fitted(text, width)} |" for text, width in zip(texts, widths, strict=True)) + "\n"


def _fitted(text: str, width: int) -> str:
    given = display_width(text)
    if given <= width:
        return " " * (width - given) + text
    kept, used = "", 0
    for character in text:
        if used + character_width(character) > width - 3:
            break
        kept += character
        used += character_width(character)
    return " " * (width - 3 - used) + kept + "..."
