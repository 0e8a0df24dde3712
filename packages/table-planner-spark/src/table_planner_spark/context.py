"""What lowering knows beside the node at hand: the session, and which column names are taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import SparkSession

from table_common.configuration import ReadableConfig
from table_planner_spark.known_files import KnownFiles
from table_planner_spark.lowered import Lowered

__all__ = ["Lowered", "LoweringContext"]

_NOT_SIMPLE = re.compile(r"\W+", re.ASCII)
_LIKE_OURS = re.compile(r"^__|_[0-9]+$")


@dataclass(slots=True)
class LoweringContext:
    """One translation; its names are given out once."""

    spark: SparkSession
    configuration: ReadableConfig
    known_files: KnownFiles = field(default_factory=KnownFiles)
    _names: int = field(default=0)
    _claimed: set[str] = field(default_factory=set)

    def new_name(self, hint: str) -> str:
        """Returns a column name that no node of the plan has; it begins like ``hint``, so that Spark's plans can be read."""
        self._names += 1
        return f"{_NOT_SIMPLE.sub('_', hint)[:40]}_{self._names}"

    def new_names(self, hints: Sequence[str]) -> tuple[str, ...]:
        """Returns one name for each hint."""
        return tuple(map(self.new_name, hints))

    def claim(self, names: Sequence[str]) -> bool:
        """Takes names as they are for columns of a node; False if one of them is that of another column, or may become it."""
        if not self._claimed.isdisjoint(names) or any(map(_LIKE_OURS.search, names)):
            return False
        self._claimed.update(names)
        return True
