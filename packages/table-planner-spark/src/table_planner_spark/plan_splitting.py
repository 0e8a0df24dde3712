"""Divides a plan that Spark could not plan in time: each separate part is run once, and its consumers read the stored rows.

Spark inlines a common table expression at every use, recursively: fifteen that each join the previous one with itself become 32,768 scans.
A subplan that is repeated a few times stays inlined, because Spark prunes columns and rows separately for each use.

If the result has many columns, Spark's planning time grows with the cube of the depth: each operator computes its columns from those of the operator
below, again in each rule. A thousand joins in parts of 64 take seconds for each part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pyspark.sql import DataFrame

from table_planner_spark.session.adapters import adapter_of

_MOST = 16
"""The most queries that a subplan may consist of after inlining before it is run separately."""
_TIMES = 2
"""The factor by which inlining must enlarge a subplan before it is run separately."""
_MOST_STEPS = 64
"""The most steps (joins, windows, aggregates) above each other in a part of a statement with many columns."""
_MANY_COLUMNS = 64
"""The columns of a result from which on a deep plan is divided. With fewer, Spark drops most columns of the operators below."""


class _Query(Protocol):
    @property
    def steps(self) -> int: ...

    @property
    def names(self) -> Sequence[str]: ...

    def inputs(self) -> Sequence[_Query]: ...


_Q = TypeVar("_Q", bound=_Query)

PartReader = Callable[[DataFrame], DataFrame]
"""Returns the DataFrame that replaces a subplan."""


def separate_parts(inputs_first: Sequence[_Q]) -> list[_Q]:
    """Returns the queries of a statement to run separately, inputs first. The last of ``inputs_first`` is the statement itself."""
    readers = Counter(id(one) for query in inputs_first for one in query.inputs())
    sizes: dict[int, int] = {}
    depths: dict[int, int] = {}
    parts: dict[int, _Q] = {}
    has_many_columns = len(inputs_first[-1].names) >= _MANY_COLUMNS
    for query in inputs_first[:-1]:
        size = 1 + sum(sizes[id(one)] for one in query.inputs())
        depth = query.steps + max((depths[id(one)] for one in query.inputs()), default=0)
        is_repeated = readers[id(query)] > 1 and size > _MOST and size > _TIMES * _length(query, parts)
        if is_repeated or (has_many_columns and depth >= _MOST_STEPS):
            parts[id(query)] = query
            size, depth = 1, 0
        sizes[id(query)], depths[id(query)] = size, depth
    return list(parts.values())


def _length(query: _Query, parts: dict[int, _Q]) -> int:
    """Returns the number of queries that make up a query, each counted once."""
    seen, stack = {id(query)}, [query]
    while stack:
        for one in stack.pop().inputs():
            if id(one) not in seen and id(one) not in parts:
                seen.add(id(one))
                stack.append(one)
    return len(seen)


def rows_once(frame: DataFrame) -> DataFrame:
    """Runs a subplan and returns its rows, which Spark keeps in memory and on disk as long as they are used. The rows of a streaming DataFrame do not end."""
    return frame if frame.isStreaming else frame.localCheckpoint(eager=True)


def placeholder(frame: DataFrame) -> DataFrame:
    """Returns an empty relation with the columns of a subplan, to plan its consumers without running it."""
    return adapter_of(frame.sparkSession).empty_like(frame)
