"""How results are printed. What prints them is imported with the first of them, because most results are read by programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TextIO

from table_common.frozen_dataclass import dataclass

if TYPE_CHECKING:
    from table_common.catalog import ResolvedSchema
    from table_common.data import Row


@dataclass(frozen=True, slots=True)
class TableauStyle:
    """How a result is printed.

    ``max_column_width`` None is no limit; ``by_type`` takes widths from the types; ``row_kinds`` adds the column ``op``; ``null`` is the
    text of NULL; ``total_width`` is the width of the terminal into which wide columns are shrunk, None no limit; ``sampled_rows`` is the
    number of rows that determine the widths, None all; ``raw`` prints the only column's texts without a table (EXPLAIN, SHOW CREATE);
    ``whole`` keeps values whole that a terminal is too narrow for.
    """

    max_column_width: int | None = 30
    by_type: bool = False
    row_kinds: bool = False
    null: str = "<NULL>"
    total_width: int | None = None
    sampled_rows: int | None = None
    raw: bool = False
    whole: bool = False

    def print(
        self,
        schema: ResolvedSchema,
        rows: Iterable[Row],
        output: TextIO,
        before_output: Callable[[], None] | None = None,
        after_count: Callable[[], str] | None = None,
    ) -> None:
        """Writes the rows.

        ``before_output`` is called once before anything is written, ``after_count`` after all rows: its text follows their number.
        """
        from table_api.rendering.tableau import print_rows

        print_rows(self, schema, rows, output, before_output, after_count)
