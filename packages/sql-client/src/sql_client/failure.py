"""The error report of a failed statement."""

from __future__ import annotations

import traceback

from sql_client.script import Statement
from table_common.exceptions import TableError
from table_common.terminal_text import escape_controls


class StatementFailed(Exception):
    """A failed ``statement`` with its ``error``; ``str`` returns the report."""

    def __init__(self, statement: Statement, error: Exception, *, verbose: bool = False) -> None:
        self.statement = statement
        self.error = error
        self.verbose = verbose
        super().__init__(statement, error)

    @property
    def reason(self) -> str:
        """The error message, with its position in the script."""
        if isinstance(self.error, TableError):
            self.statement.locate(self.error)
            text = f"[{type(self.error).__name__}] {self.error}"
        else:
            text = (
                f"[{type(self.error).__name__}] {self.error}\n"
                "hint: This is an internal error; please report it with the statement (-v shows the stack trace)."
            )
        if self.verbose:
            text += "\n\n" + "".join(traceback.format_exception(self.error)).rstrip()
        return escape_controls(text, keep="\n\t")

    def __str__(self) -> str:
        reason = self.reason  # locates the error
        lines = self.statement.lines
        where = f"line {lines.start}" if len(lines) == 1 else f"lines {lines.start} to {lines.stop - 1}"
        name = self.statement.script.name
        title = f"{name}, {where}: this statement failed:" if name else "This statement failed:"
        listing = self.statement.listing(self.error if isinstance(self.error, TableError) else None)
        return f"{title}\n\n{listing}\n\n{reason}"
