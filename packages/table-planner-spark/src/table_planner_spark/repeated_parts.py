"""Parts of a plan that Spark would repeat too often: each is run once, and what reads it reads its rows.

Spark puts a named query into every place that names it, again and again in queries that name each other: fifteen that each join the one
before with itself are 32,768 scans. What is repeated a few times stays as it is: Spark chooses columns and rows of it for each place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pyspark.sql import DataFrame

__all__ = ["PartReader", "placeholder", "repeated_parts", "rows_once"]

_MOST = 16
"""How many queries a part may be, with its own parts written out, before it is run alone."""
_TIMES = 2
"""How many times as long as it is the part has to become by writing them out."""


class _Query(Protocol):
    def inputs(self) -> Sequence[_Query]: ...


_Q = TypeVar("_Q", bound=_Query)

PartReader = Callable[[DataFrame], DataFrame]
"""Returns what stands for the rows of a part."""


def repeated_parts(inputs_first: Sequence[_Q]) -> list[_Q]:
    """Returns the queries to be run alone of those that make a statement, each after those that it reads; the last is the statement itself."""
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
    """Returns how many queries a query reads, each counted once."""
    seen, stack = {id(query)}, [query]
    while stack:
        for one in stack.pop().inputs():
            if id(one) not in seen and id(one) not in parts:
                seen.add(id(one))
                stack.append(one)
    return len(seen)


def rows_once(frame: DataFrame) -> DataFrame:
    """Runs a part and returns its rows, which Spark keeps in memory and on disk as long as they are used."""
    return frame.localCheckpoint(eager=True)


def placeholder(frame: DataFrame) -> DataFrame:
    """Returns a relation with the columns of a part, to plan what reads it without running anything."""
    spark = frame.sparkSession
    return spark.createDataFrame(spark.sparkContext.emptyRDD(), frame.schema)
