"""What lowering knows beside the node at hand: the session, and which column names are taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from table_common.configuration import ReadableConfig

__all__ = ["Lowered", "LoweringContext"]

_NOT_SIMPLE = re.compile(r"\W+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered node: its DataFrame and the names of the node's columns in it, by position, unique in the plan."""

    frame: DataFrame
    columns: tuple[str, ...]


@dataclass(slots=True)
class LoweringContext:
    """One translation; its names are given out once."""

    spark: SparkSession
    configuration: ReadableConfig
    _names: int = field(default=0)

    def new_name(self, hint: str) -> str:
        """Returns a column name that no node of the plan has; it begins like ``hint``, so that Spark's plans can be read."""
        self._names += 1
        return f"{_NOT_SIMPLE.sub('_', hint)[:40]}_{self._names}"

    def new_names(self, hints: Sequence[str]) -> tuple[str, ...]:
        """Returns one name for each hint."""
        return tuple(map(self.new_name, hints))
