"""The types of the entries in the translation tables, and shorthands for common translations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from table_api.operations import AggregateCall
from table_common.expressions import CallExpression, ValueLiteralExpression
from table_common.types import DecimalType, LogicalType
from table_planner_spark.expressions.names import bind, to_type_sql

Translation = Callable[[CallExpression, Sequence[str]], str]
"""From a call and the Spark SQL of its arguments to the Spark SQL of the call."""


@dataclass(frozen=True, slots=True)
class AggregateArguments:
    """The Spark SQL of an aggregate call's parts. ``order`` and ``filter`` are complete clauses or empty, ``order_keys`` are the sort keys.

    ``has_distinct`` is whether this or another aggregate of the same node is DISTINCT. ``place`` is a text expression that names the call and its rows in errors.
    """

    args: tuple[str, ...]
    order: str
    filter: str
    order_keys: tuple[str, ...] = ()
    has_distinct: bool = False
    place: str = ""


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
    """The translation with a CAST to the call's type, for Spark functions that return another type."""
    return lambda call, args: as_type(translate(call, args), call.output_type)


def as_type(text: str, type_: LogicalType) -> str:
    """Returns the text with an explicit CAST to the Spark type that holds ``type_``."""
    if isinstance(type_, DecimalType):
        return cast_decimal(text, type_)
    return f"CAST({text} AS {to_type_sql(type_)})"


def cast_decimal(text: str, type_: DecimalType) -> str:
    """Returns a cast to the decimal type. A value that does not fit becomes NULL, or an error if the type is NOT NULL."""
    return f"{'try_cast' if type_.nullable else 'CAST'}({text} AS {to_type_sql(type_)})"


def literal_of(call: CallExpression, position: int) -> object:
    """Returns the value of a constant argument (of a keyword: its ``Enum`` member); None if it is absent, NULL or not constant."""
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
