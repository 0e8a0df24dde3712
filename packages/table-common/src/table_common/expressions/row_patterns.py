"""Row patterns: expressions over the rows of a match, in DEFINE and MEASURES."""

from __future__ import annotations

from enum import Enum

from table_common.expressions.expression import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions.definition import FunctionDefinition
from table_common.tree import Part
from table_common.types.logical import LogicalType

ANY_VARIABLE = "*"
"""The rows of all variables."""


class AfterMatch(Enum):
    """Where matching resumes after a match.

    Example:
        >>> AfterMatch("SKIP TO NEXT ROW").name
        'TO_NEXT_ROW'
    """

    PAST_LAST_ROW = "SKIP PAST LAST ROW"
    TO_NEXT_ROW = "SKIP TO NEXT ROW"
    TO_FIRST = "SKIP TO FIRST"
    TO_LAST = "SKIP TO LAST"


@dataclass(frozen=True, slots=True)
class PatternVariable(Part):
    """``name{minimum, maximum}``; ``maximum`` None is unbounded. ``greedy`` takes a row for this variable rather than for the next one.

    Example:
        >>> str(PatternVariable("A", 1, None)), str(PatternVariable("B", 2, 3, greedy=False))
        ('A+', 'B{2,3}?')
    """

    name: str
    minimum: int = 1
    maximum: int | None = 1
    greedy: bool = True

    def __str__(self) -> str:
        if (self.minimum, self.maximum) == (1, 1):
            return self.name
        signs = {(0, None): "*", (1, None): "+", (0, 1): "?"}
        upper = "" if self.maximum is None else self.maximum
        exact = f"{{{self.minimum}}}" if self.minimum == self.maximum else f"{{{self.minimum},{upper}}}"
        return self.name + signs.get((self.minimum, self.maximum), exact) + ("" if self.greedy else "?")


@dataclass(frozen=True, slots=True)
class RowNavigation(Part):
    """A column of one row of a variable: ``offset`` rows after its first (``from_first``) or before its last; NULL if there is none.

    Example:
        >>> from table_common.types import IntType
        >>> price = FieldReferenceExpression("price", IntType(), 0, 0)
        >>> str(RowNavigation("A", price)), str(RowNavigation("A", price, offset=1))
        ('A.price', 'LAST(A.price, 1)')
    """

    variable: str
    column: FieldReferenceExpression
    from_first: bool = False
    offset: int = 0

    def __str__(self) -> str:
        name = f"{self.variable}.{self.column.name}"
        if not self.from_first and not self.offset:
            return name
        return f"{'FIRST' if self.from_first else 'LAST'}({name}, {self.offset})"


@dataclass(frozen=True, slots=True)
class PatternAggregate(Part):
    """An aggregate over the rows of a variable. Arguments refer to the child's columns; ``constants`` follow them in the call.

    Example:
        >>> from table_common.functions.builtin import aggregates
        >>> from table_common.types import IntType
        >>> str(PatternAggregate("A", aggregates.SUM, (FieldReferenceExpression("price", IntType(), 0, 0),), IntType()))
        'A: SUM(price)'
    """

    variable: str
    function: FunctionDefinition
    args: tuple[ResolvedExpression, ...]
    output_type: LogicalType
    constants: tuple[ValueLiteralExpression, ...] = ()

    def __str__(self) -> str:
        args = ", ".join(map(str, (*self.args, *self.constants)))
        return f"{self.variable}: {self.function.render_sql([args] if args else ['*'])}"


@dataclass(frozen=True, slots=True)
class MatchTime(Part):
    """The event time of the match's last row (``column`` is the time attribute), or, without a column, the time of computing.

    Example:
        >>> from table_common.types import LocalZonedTimestampType
        >>> str(MatchTime(LocalZonedTimestampType(3)))
        'MATCH_PROCTIME()'
    """

    output_type: LogicalType
    column: FieldReferenceExpression | None = None

    def __str__(self) -> str:
        return "MATCH_PROCTIME()" if self.column is None else "MATCH_ROWTIME()"


@dataclass(frozen=True, slots=True)
class PatternExpression(Part):
    """An expression whose column at position i is ``values[i]``.

    Example:
        >>> from table_common.types import IntType
        >>> price = FieldReferenceExpression("price", IntType(), 0, 0)
        >>> PatternExpression(FieldReferenceExpression("A.price", IntType(), 0, 0), (RowNavigation("A", price),)).values[0].variable
        'A'
    """

    expression: ResolvedExpression
    values: tuple[RowNavigation | PatternAggregate | MatchTime, ...]

    def __str__(self) -> str:
        return str(self.expression)


@dataclass(frozen=True, slots=True)
class PatternDefinition(Part):
    """The condition under which a row is mapped to a variable; the row itself counts as the variable's last.

    Example:
        >>> from table_common.types import BooleanType
        >>> flag = FieldReferenceExpression("flag", BooleanType(), 0, 0)
        >>> str(PatternDefinition("A", PatternExpression(flag, (RowNavigation("A", flag),))))
        'A AS flag'
    """

    variable: str
    condition: PatternExpression

    def __str__(self) -> str:
        return f"{self.variable} AS {self.condition}"
