"""Finds subplans that Spark would repeat too often: each is run once, and its consumers read the stored rows.

Spark inlines a common table expression at every use, recursively: fifteen that each join the previous one with itself become 32,768 scans.
A subplan that is repeated a few times stays inlined, because Spark prunes columns and rows separately for each use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pyspark.sql import DataFrame

__all__ = ["PartReader", "placeholder", "repeated_parts", "rows_once"]

_MOST = 16
"""The most queries that a subplan may consist of after inlining before it is run separately."""
_TIMES = 2
"""The factor by which inlining must enlarge a subplan before it is run separately."""


class _Query(Protocol):
    def inputs(self) -> Sequence[_Query]: ...


_Q = TypeVar("_Q", bound=_Query)

PartReader = Callable[[DataFrame], DataFrame]
"""Returns the DataFrame that replaces a subplan."""


def repeated_parts(inputs_first: Sequence[_Q]) -> list[_Q]:
    """Returns the queries of a statement to run separately, inputs first. The last of ``inputs_first`` is the statement itself."""
    readers = Counter(id(one) for query in inputs_first for one in query.inputs())
    sizes: dict[int, int] = {}
    parts: dict[int, _Q] = {}
    for query in inputs_first[:-1]:
        size = 1 + sum(sizes[id(one)] for one in query.inputs())
        if readers[id(query)] > 1 and size > _MOST and size > _TIMES * _length(query, parts):
            parts[id(query)] = query
            size = 1
        sizes[id(query)] = size
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
    """Runs a subplan and returns its rows, which Spark keeps in memory and on disk as long as they are used."""
    return frame.localCheckpoint(eager=True)


def placeholder(frame: DataFrame) -> DataFrame:
    """Returns an empty relation with the columns of a subplan, to plan its consumers without running it."""
    spark = frame.sparkSession
    return spark.createDataFrame(spark.sparkContext.emptyRDD(), frame.schema)
