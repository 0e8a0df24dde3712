"""What planners know of an aggregate function besides its types: how its result depends on its rows, and in which queries it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_common.functions.monotonicity import Monotonicity


class OverNothing(Enum):
    """The result of an aggregate over no rows, as far as a planner can write it.

    Example:
        >>> from table_common.functions.builtin import aggregates
        >>> aggregates.COUNT.aggregate_traits.over_nothing.name
        'ZERO'
    """

    NULL = "NULL"
    ZERO = "0"
    OWN = "its own result, which only the function computes"


class DistinctEffect(Enum):
    """What DISTINCT does to an aggregate.

    Example:
        >>> from table_common.functions.builtin import aggregates
        >>> aggregates.MAX.aggregate_traits.distinct.name
        'NONE'
    """

    DROPS_DUPLICATES = "each value counts once"
    NONE = "the result is the same without it"
    ALWAYS = "each value counts once without it, too"


@dataclass(frozen=True, slots=True)
class AggregateTraits:
    """The properties of an aggregate function; the defaults are safe for every built-in one.

    Example:
        >>> AggregateTraits(distinct=DistinctEffect.ALWAYS).drops_duplicates(False)
        True
    """

    over_nothing: OverNothing = OverNothing.OWN
    depends_on_order: bool = False
    """Whether the result depends on the order of the rows; other functions ignore ORDER BY."""
    distinct: DistinctEffect = DistinctEffect.DROPS_DUPLICATES
    monotonicity: Monotonicity = Monotonicity.NOT_MONOTONIC
    """How the result changes with each further row."""
    is_extreme: bool = False
    """Whether the result is the smallest or largest value, so that no smaller or larger one than it matters, if ``monotonicity`` says so."""
    has_parameters: bool = False
    """Whether further arguments that are constant are parameters, such as a separator; others are columns."""
    is_over_only: bool = False
    """Whether the function gives a row's place among the rows of its partition: it needs OVER and takes no frame."""
    needs_order: bool = False
    """Whether its window needs an ORDER BY."""
    takes_null_treatment: bool = False
    """Whether it takes IGNORE NULLS and RESPECT NULLS."""
    is_of_grouping_sets: bool = False
    """Whether the function is computed from the grouping set of a row."""
    family: str = ""
    """The functions that are computed alike; an engine may have a file of this name. Empty: those that the same module declares."""
    check: Callable[[Sequence[Sequence[Any]]], str | None] | None = None
    """Returns what is wrong with the constants in each argument, which are ``ValueLiteralExpression``; or None."""

    def drops_duplicates(self, is_distinct: bool) -> bool:
        """Returns whether equal values count once in a call with or without DISTINCT."""
        return self.distinct is DistinctEffect.ALWAYS or (is_distinct and self.distinct is DistinctEffect.DROPS_DUPLICATES)
