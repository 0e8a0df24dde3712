"""Results as Flink's client shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from table_api import ResultKind, TableResult

__all__ = ["render_tableau"]


def render_tableau(result: TableResult, output: TextIO, before_output: Callable[[], None]) -> None:
    """Writes a table with borders and the number of rows; ``[INFO]`` for statements without rows."""
    if result.get_result_kind() is ResultKind.SUCCESS:
        before_output()
        output.write("[INFO] Execute statement succeeded.\n")
        return
    result.print(output, before_output=before_output)
