"""The one tree of errors that every distribution raises.

    TableError
    ├── ValidationException        the statement, option or value is invalid: the user can correct it
    │   ├── WrongKindException     an argument is of a class that is not accepted
    │   ├── SqlParserException     the text is not valid SQL: line, column, caret, expected tokens
    │   └── CatalogException       an object does not exist, exists already, or cannot be changed
    │       ├── CatalogConflictException  a concurrent change of the object
    │       └── those of ``table_common.catalog_exceptions``, such as ``TableNotExistException``
    ├── TableException             the request is valid but not supported here
    ├── TableRuntimeException      a failure at run time: bad data, a broken file, an overflow
    │   ├── JobCancelledException  the job was cancelled
    │   └── JobTimeoutException    ``table.exec.timeout`` passed
    └── TableInternalError         a bug in this project: please report it

A message says what is wrong, where, and what is accepted; advice is the ``hint``, which is shown as a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

__all__ = [
    "CatalogConflictException",
    "CatalogException",
    "JobCancelledException",
    "JobTimeoutException",
    "SourcePosition",
    "SqlParserException",
    "TableError",
    "TableException",
    "TableInternalError",
    "TableRuntimeException",
    "ValidationException",
    "WrongKindException",
    "closest",
]


def closest(name: str, accepted: Iterable[str], limit: int = 3) -> list[str]:
    """Returns the names most like ``name``, best first, compared without case.

    Example:
        >>> closest("VARCHR", ["INT", "VARCHAR"])
        ['VARCHAR']
    """
    by_lower = {candidate.lower(): candidate for candidate in accepted}
    import difflib  # only where a name is not found

    return [by_lower[hit] for hit in difflib.get_close_matches(name.lower(), by_lower, n=limit, cutoff=0.6)]


LONGEST_SHOWN = 500_000
"""Characters of a statement of which errors show a line: secrets are looked for in all of it."""


class SourcePosition:
    """A place in a statement's text: 1-based line and column, and the width to underline.

    Example:
        >>> str(SourcePosition.of_offset("SELECT a FORM t", 9, 13))
        'line 1, column 10'
    """

    __slots__ = ("_found", "_place", "text")

    def __init__(self, text: str, line: int, column: int, length: int = 1) -> None:
        self.text = text
        self._place: tuple[int, int | None] = 0, None
        self._found: tuple[int, int, int] | None = line, column, max(1, length)

    @classmethod
    def of_offset(cls, text: str, start: int, end: int | None = None) -> SourcePosition:
        """Builds the position of the characters ``start`` (0-based) up to ``end`` of ``text``.

        The line is computed lazily: it takes a pass over the text, and few positions are shown.
        """
        position = cls.__new__(cls)
        position.text = text
        position._place = start, end
        position._found = None
        return position

    @property
    def is_shown(self) -> bool:
        """Whether errors show the line of the text."""
        return len(self.text) <= LONGEST_SHOWN

    @property
    def line(self) -> int:
        """The line, from 1 on."""
        return self._lines()[0]

    @property
    def column(self) -> int:
        """The column in the line, from 1 on."""
        return self._lines()[1]

    @property
    def length(self) -> int:
        """How many characters to underline."""
        return self._lines()[2]

    def _lines(self) -> tuple[int, int, int]:
        if self._found is None:
            text, (start, end) = self.text, self._place
            start = max(0, min(start, len(text)))
            line_start = text.rfind("\n", 0, start) + 1
            line_end = text.find("\n", start)
            stop = len(text) if line_end < 0 else line_end
            length = (min(end, stop) if end is not None else start + 1) - start
            self._found = text.count("\n", 0, start) + 1, start - line_start + 1, max(1, length)
        return self._found

    def excerpt(self) -> str:
        """Returns the line of text with a caret line under it; a very long line is cut around the place, secrets are masked."""
        if not self.is_shown:
            return "  (the statement is too long to be shown)"
        from table_common.secrets.statement_text import mask_line  # only errors need it
        from table_common.terminal_text import display_width

        line_start = 0
        for _ in range(self.line - 1):
            line_start = self.text.find("\n", line_start) + 1
        line_end = self.text.find("\n", line_start)
        line_end = len(self.text) if line_end < 0 else line_end
        start, stop = self.column - 1, self.column - 1 + self.length
        _, stop = mask_line(self.text, line_start, line_end, stop)
        source, start = mask_line(self.text, line_start, line_end, start)
        offset = 0
        if len(source) > 160:
            offset = max(0, start - 79)
            source = source[offset : offset + 160]
        # One character for each, so that the caret stays below its place.
        source = "".join(character if character.isprintable() else " " if character == "\t" else "\ufffd" for character in source)
        stop = min(max(start + 1, stop), max(start + 1, offset + len(source)))
        before, marked = source[: start - offset], source[start - offset : stop - offset]
        caret = " " * (display_width(before) + start - offset - len(before)) + "^" * max(1, display_width(marked))
        return f"  {source}\n  {caret}"

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


MAX_MESSAGE = 2_000
"""How many characters of a message are kept: what is quoted in it may be a statement of megabytes."""


MAX_HINT = 1_000


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most * 3 // 4]} … ({len(text) - most:,} characters are left out) … {text[-most // 4 :]}"


class TableError(Exception):
    """The root of all errors of this project.

    Example:
        >>> print(TableError("The file is not there.", hint="check the path"))
        The file is not there.
        hint: check the path
    """

    category = "execution"
    """What went wrong in general: ``parse``, ``validation`` or ``execution``."""
    code = "TABLE"
    """A short name of the kind of error for programs and logs, which does not change between versions."""
    shows_statement = True
    """Whether the text of a statement may be shown, a part of it or a value in it: then its secrets are looked for."""

    def __init__(self, message: str, *, position: SourcePosition | None = None, hint: str | None = None) -> None:
        self.message = message = _shortened(message, MAX_MESSAGE)
        self.position = position
        self.hint = _shortened(hint, MAX_HINT) if hint is not None else None
        super().__init__(message)

    def at(self, position: SourcePosition | None) -> Self:
        """Sets the position if none is known yet, and returns the error: ``raise error.at(position)``."""
        if self.position is None:
            self.position = position
        return self

    def __str__(self) -> str:
        text = self.message
        if self.position is not None:
            text += f"\nat {self.position}:\n{self.position.excerpt()}"
        if self.hint:
            text += f"\nhint: {self.hint}"
        if text.isprintable():
            return text
        from table_common.terminal_text import escape_controls  # only some texts need it

        return escape_controls(text, keep="\n\t")

    def _render_traceback_(self) -> list[str]:
        """Returns the traceback that IPython and notebooks show: the library's frames are folded."""
        from table_common.short_traceback import short_traceback

        return short_traceback(self)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.message, self.position, self.hint)


def _restore(cls: type[TableError], message: str, position: SourcePosition | None, hint: str | None) -> TableError:
    error = cls.__new__(cls)
    TableError.__init__(error, message, position=position, hint=hint)
    return error


class ValidationException(TableError, ValueError):
    """The statement, the option or the value is invalid; the user can correct it. It is a ``ValueError``, which programs of PyFlink catch.

    Example:
        >>> ValidationException.unknown("Table", "oders", ["orders"]).message
        "Table 'oders' does not exist. Did you mean 'orders'? Available: orders."

    Source: Flink's ``org.apache.flink.table.api.ValidationException``.
    """

    code = "VALIDATION"
    category = "validation"

    @classmethod
    def unknown(
        cls,
        what: str,
        name: str,
        accepted: Iterable[str],
        *,
        where: str = "",
        position: SourcePosition | None = None,
        hint: str | None = None,
    ) -> Self:
        """Returns the error for an unknown name, with the closest names and all accepted ones."""
        names: Sequence[str] = sorted(set(accepted))
        suggestions = closest(name, names)
        message = f"{what} '{name}' does not exist{f' in {where}' if where else ''}."
        if suggestions:
            message += f" Did you mean {_join_or(suggestions)}?"
        if names:
            shown = ", ".join(names[:20])
            message += f" Available: {shown}{f' and {len(names) - 20} more' if len(names) > 20 else ''}."
        return cls(message, position=position, hint=hint)

    @classmethod
    def wrong_type(cls, where: str, *, expected: str, got: object, position: SourcePosition | None = None) -> Self:
        """Returns the error for a value of a wrong type."""
        return cls(f"{where} takes {expected}, but the expression is of type {got}.", position=position)


class WrongKindException(ValidationException, TypeError):
    """An argument is of a class that is not accepted. It is a ``TypeError`` too, which programs of PyFlink catch.

    Example:
        >>> isinstance(WrongKindException("udf takes a function, but got 5."), TypeError)
        True
    """


class SqlParserException(ValidationException):
    """The text does not match the SQL grammar.

    Example:
        >>> error = SqlParserException("Unexpected 'FORM', expected FROM.", position=SourcePosition("SELECT a FORM t", 1, 10, 4), expected=["FROM"])
        >>> print(error)
        Unexpected 'FORM', expected FROM.
        at line 1, column 10:
          SELECT a FORM t
                   ^^^^

    Source: Flink's ``org.apache.flink.table.api.SqlParserException``.
    """

    code = "SQL_SYNTAX"
    category = "parse"

    def __init__(
        self,
        message: str,
        *,
        position: SourcePosition | None = None,
        hint: str | None = None,
        expected: Sequence[str] = (),
    ) -> None:
        super().__init__(message, position=position, hint=hint)
        self.expected = tuple(expected)


class CatalogException(ValidationException):
    """A catalog object does not exist, exists already, or cannot be changed that way.

    Example:
        >>> CatalogException.unknown("Database", "sale", ["sales"], where="catalog 'c'").message
        "Database 'sale' does not exist in catalog 'c'. Did you mean 'sales'? Available: sales."

    Source: Flink's ``org.apache.flink.table.catalog.exceptions.CatalogException``.
    """

    code = "CATALOG"


class CatalogConflictException(CatalogException):
    """A concurrent change of the object; the statement can be retried.

    Example:
        >>> isinstance(CatalogConflictException("The table was altered by another session."), CatalogException)
        True
    """

    code = "CATALOG_CONFLICT"


class TableException(TableError):
    """The request is valid, but this engine, connector or version does not support it.

    Example:
        >>> TableException("The planner 'arrow' has no savepoints.", hint="run the job again").hint
        'run the job again'

    Source: Flink's ``org.apache.flink.table.api.TableException``.
    """

    code = "NOT_SUPPORTED"
    category = "validation"


class TableRuntimeException(TableError):
    """The job failed while it ran.

    Example:
        >>> TableRuntimeException("a.csv, line 3: 'x' is not an INT.").category
        'execution'

    Source: Flink's ``org.apache.flink.table.api.TableRuntimeException``.
    """

    code = "RUNTIME"


class JobCancelledException(TableRuntimeException):
    """The job was cancelled before it ended.

    Example:
        >>> isinstance(JobCancelledException("The job was cancelled."), TableRuntimeException)
        True
    """

    code = "CANCELLED"


class JobTimeoutException(TableRuntimeException):
    """The job ran longer than ``table.exec.timeout`` allows.

    Example:
        >>> isinstance(JobTimeoutException("The job ran longer than 1 s."), TableRuntimeException)
        True
    """

    code = "TIMEOUT"


class TableInternalError(TableError):
    """A bug in this project; the message asks for a report.

    Example:
        >>> TableInternalError("The operator has no input.").hint
        'This is a bug in the table project; please report it with the statement.'
    """

    code = "INTERNAL"

    def __init__(self, message: str, *, position: SourcePosition | None = None, hint: str | None = None) -> None:
        super().__init__(
            message, position=position, hint=hint or "This is a bug in the table project; please report it with the statement."
        )


def _join_or(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
