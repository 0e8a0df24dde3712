"""A result as a Parquet file on standard output, for other programs."""

from __future__ import annotations

from typing import TextIO

from sql_client.rendering.display import Display
from table_api import TableResult
from table_common.exceptions import ValidationException

_HINT = "redirect the output, as in: sql-client --result-mode parquet -e 'SELECT …' > result.parquet"


def render_parquet(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes the file as the rows come.

    Raises:
        ValidationException: the output is a terminal, a file was written to it before, or rows of the result change.
    """
    binary = getattr(output, "buffer", None)
    if output.isatty() or binary is None:
        raise ValidationException("A Parquet file cannot be shown on a terminal.", hint=_HINT)
    if not display.is_first:
        raise ValidationException("The output holds a Parquet file already, and a Parquet file holds one result.", hint=_HINT)
    if result.style.row_kinds:
        raise ValidationException(
            "A Parquet file cannot hold the changes of a streaming query.", hint="use the mode csv, json or changelog"
        )
    from table_runtime.export import write_parquet

    def begin() -> None:
        display.before_output()
        output.flush()

    write_parquet(result.to_batches(), result.get_resolved_schema().to_row_type(), binary, begin)
