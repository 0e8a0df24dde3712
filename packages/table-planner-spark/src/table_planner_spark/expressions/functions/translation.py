"""How a line of the tables is written: a function of the call and its arguments' texts, and the short forms of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from table_api.operations import AggregateCall
from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.types import DecimalType, LogicalType
from table_planner_spark.expressions.names import bind, to_type_sql

__all__ = [
    "AggregateArguments",
    "AggregateTranslation",
    "Translation",
    "aggregate",
    "as_type",
    "cast_decimal",
    "literal_of",
    "sql",
    "template",
    "typed",
]

Translation = Callable[[CallExpression, Sequence[str]], str]
"""The call and the texts of its arguments to the text of the call."""


@dataclass(frozen=True, slots=True)
class AggregateArguments:
    """The texts of an aggregate's parts; ``order`` and ``filter`` are empty or complete clauses, ``order_keys`` are what is ordered by.

    ``has_distinct`` is whether it, or an aggregate beside it, is one of distinct values.
    """

    args: tuple[str, ...]
    order: str
    filter: str
    order_keys: tuple[str, ...] = ()
    has_distinct: bool = False


AggregateTranslation = Callable[[AggregateCall, AggregateArguments], str]


def sql(name: str) -> Translation:
    """The Spark function of that name, with the same arguments."""
    return lambda call, args: f"{name}({', '.join(args)})"


def template(text: str) -> Translation:
    """A text with ``{0}``, ``{1}``… for the arguments; an argument used more than once is bound once."""
    repeated = [position for position in range(10) if text.count(f"{{{position}}}") > 1]

    def translate(call: CallExpression, args: Sequence[str]) -> str:
        def fill(values: list[str], rest: list[int]) -> str:
            if not rest:
                return text.format(*values)
            position, *others = rest

            def use(name: str) -> str:
                return fill([*values[:position], name, *values[position + 1 :]], others)

            return bind(values[position], use)

        return fill(list(args), [position for position in repeated if position < len(args)])

    return translate


def typed(translate: Translation) -> Translation:
    """The same, cast to the type that the call has: for Spark functions that give another one."""
    return lambda call, args: as_type(translate(call, args), call.output_type)


def as_type(text: str, type_: LogicalType) -> str:
    """Returns the text with an explicit CAST to the Spark type that holds ``type_``."""
    if isinstance(type_, DecimalType):
        return cast_decimal(text, type_)
    return f"CAST({text} AS {to_type_sql(type_)})"


def cast_decimal(text: str, type_: DecimalType) -> str:
    """Returns a decimal in the type given; one that does not fit is NULL, and an error where the type is NOT NULL."""
    return f"{'try_cast' if type_.nullable else 'CAST'}({text} AS {to_type_sql(type_)})"


def literal_of(call: CallExpression, position: int) -> object:
    """Returns the value of a constant argument (a keyword is its ``Enum`` member); None if it is absent, NULL or no constant."""
    if position >= len(call.args):
        return None
    argument = call.args[position]
    return argument.value if isinstance(argument, ValueLiteralExpression) else None


def aggregate(text: str, *, cast: bool = False) -> AggregateTranslation:
    """An aggregate: ``{args}`` stands for the arguments with DISTINCT before them; ``cast`` adds a CAST to the call's type."""

    def translate(call: AggregateCall, given: AggregateArguments) -> str:
        args = ", ".join(given.args)
        body = text.format(args=f"DISTINCT {args}" if call.distinct and args else args) + given.filter
        return as_type(body, call.output_type) if cast else body

    return translate
