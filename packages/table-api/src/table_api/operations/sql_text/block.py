"""A query under construction: its clauses so far, and the SQL text of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum

from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import NILADIC
from table_common.types import quote_identifier, quote_string

KEYWORD_FUNCTIONS = NILADIC - {"PI"}
"""The functions that are written without parentheses: a column of their text has this name."""


class Stage(IntEnum):
    """The last clause of the block; clauses that follow it in SQL can still be added."""

    FROM = 0
    WHERE = 1
    SELECT = 2
    GROUP_BY = 3
    HAVING = 4
    DISTINCT = 5
    ORDER_BY = 6
    FETCH = 7


class Cell(Enum):
    """What the text of a column is, which decides where it may be repeated."""

    REFERENCE = "a column of FROM"
    SCALAR = "computed of one row, always the same for it"
    OTHER = "an aggregate, a window function, a query, or a non-deterministic expression"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its text in terms of FROM, what that is, and its name."""

    text: str
    name: str
    cell: Cell = Cell.REFERENCE
    own_name: str | None = None
    """The name that SQL gives the text without AS."""


@dataclass(frozen=True, slots=True)
class Block:
    """One SELECT, or (``body``) a complete query such as UNION that ORDER BY and FETCH may follow.

    ``source`` is the text of FROM, empty for a query without; ``is_joined`` says that it is more than one table, and ``alias`` is the
    name of the table otherwise. ``state_ttls`` are the options of the hint STATE_TTL: the aliases of tables, and durations.
    ``strategies`` are the hints of joins: their names, and the aliases of tables.
    """

    columns: tuple[Column, ...]
    source: str = ""
    stage: Stage = Stage.FROM
    is_joined: bool = False
    alias: str = ""
    state_ttls: tuple[tuple[str, str], ...] = ()
    strategies: tuple[tuple[str, str], ...] = ()
    where: tuple[str, ...] = ()
    group_by: str = ""
    having: str = ""
    is_distinct: bool = False
    order_by: str = ""
    limits: str = ""
    body: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the columns."""
        return tuple(column.text for column in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def with_columns(self, columns: Sequence[Column], stage: Stage | None = None) -> Block:
        """Returns the block with other columns, at a later clause."""
        return replace(self, columns=tuple(columns), stage=self.stage if stage is None else max(self.stage, stage))

    def all_are(self, *cells: Cell) -> bool:
        """Returns whether all columns are of these kinds."""
        return all(column.cell in cells for column in self.columns)

    def render(self) -> str:
        """Returns the query as SQL text, with unique column names."""
        if self.body:
            parts = [self.body]
        else:
            names = unique(self.names)
            items = ", ".join(_item(column, name, i) for i, (column, name) in enumerate(zip(self.columns, names, strict=True)))
            parts = [f"SELECT {self._hint()}{'DISTINCT ' if self.is_distinct else ''}{items}"]
            if self.source:
                parts.append(f"FROM {self.source}")
            if self.where:
                parts.append(f"WHERE {' AND '.join(self.where) if len(self.where) > 1 else bare(self.where[0])}")
            parts += [part for part in (self.group_by, self.having) if part]
        return "\n".join([*parts, *(part for part in (self.order_by, self.limits) if part)])

    def _hint(self) -> str:
        options = ", ".join(f"{quote_string(alias)} = {quote_string(text)}" for alias, text in self.state_ttls)
        hints = [f"STATE_TTL({options})"] if options else []
        hints += [f"{name}({quote_identifier(alias)})" for name, alias in self.strategies]
        return f"/*+ {', '.join(hints)} */ " if hints else ""


def _item(column: Column, name: str, position: int) -> str:
    text = bare(column.text)
    own_name = column.own_name
    if own_name is None and not text.endswith("`"):
        own_name = text if text in KEYWORD_FUNCTIONS else f"EXPR${position}"
    return text if name == own_name else f"{text} AS {quote_identifier(name)}"


def bare(text: str) -> str:
    """Returns an expression without the parentheses around the whole of it; a query keeps them."""
    if not (text.startswith("(") and text.endswith(")")) or text.startswith("(\n"):
        return text
    depth, quote = 0, ""
    for position, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'`":
            quote = sign
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            if depth == 0 and position < len(text) - 1:
                return text
    return text[1:-1]


def unique(names: Sequence[str]) -> list[str]:
    """Returns the names with numbers appended to repeated ones."""
    result: list[str] = []
    taken = set(names)
    seen: set[str] = set()
    for name in names:
        final, number = name, 0
        while final in seen or (final != name and final in taken):
            final, number = f"{name}{number}", number + 1
        seen.add(final)
        result.append(final)
    return result
