"""What lowering knows beside the node at hand: the session, and which column names are taken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import SparkSession

from table_api.operations import QueryOperation, SourceQueryOperation
from table_common.configuration import ReadableConfig
from table_common.tree import preorder
from table_planner_spark.file_relation_cache import FileRelationCache
from table_planner_spark.in_process_frames import InProcessFrames
from table_planner_spark.relation import SparkRelation
from table_runtime.files import Snapshots

__all__ = ["LoweringContext", "SparkRelation", "table_label"]

_NOT_SIMPLE = re.compile(r"\W+", re.ASCII)
_LIKE_OURS = re.compile(r"^__|_[0-9]+$")


@dataclass(slots=True)
class LoweringContext:
    """One translation; its names are given out once."""

    spark: SparkSession
    configuration: ReadableConfig
    file_relations: FileRelationCache = field(default_factory=FileRelationCache)
    in_process: InProcessFrames = field(default_factory=InProcessFrames)
    snapshots: Snapshots = field(default_factory=Snapshots)
    """The states of tables of files that the plan reads; who runs the plan closes them."""
    hides_constants: bool = False
    """Whether Spark shall not see that a row is constant: it writes out all that is computed of constants."""
    _names: int = field(default=0)
    _claimed: set[str] = field(default_factory=set)
    _repeated: frozenset[object] = frozenset()

    def new_name(self, hint: str) -> str:
        """Returns a column name that no node of the plan has; it begins like ``hint``, so that Spark's plans can be read."""
        self._names += 1
        return f"{_NOT_SIMPLE.sub('_', hint)[:40]}_{self._names}"

    def new_names(self, hints: Sequence[str]) -> tuple[str, ...]:
        """Returns one name for each hint."""
        return tuple(map(self.new_name, hints))

    def analyze_sharing(self, plan: QueryOperation) -> None:
        """Notes which nodes of a plan have several readers, and which tables it reads in several places.

        Only columns of the others may keep their names: where some parts that are alike are renamed and others are not, Spark computes both.
        """
        nodes = preorder(plan, QueryOperation)
        uses: Counter[object] = Counter(id(child) for node in nodes for child in node.children)
        uses.update(table_label(node) for node in nodes if isinstance(node, SourceQueryOperation))
        self._repeated = frozenset(one for one, count in uses.items() if count > 1)

    def has_one_reader(self, node: QueryOperation) -> bool:
        """Returns whether a node of the plan is the input of only one other."""
        return id(node) not in self._repeated

    def reserve_names(self, names: Sequence[str], table: str) -> bool:
        """Keeps the table's own column names; returns False if one could collide with another column of the plan."""
        if table in self._repeated or not self._claimed.isdisjoint(names) or any(map(_LIKE_OURS.search, names)):
            return False
        self._claimed.update(names)
        return True


def table_label(op: SourceQueryOperation) -> str:
    """Returns how messages call the table."""
    return f"the table '{op.table.identifier.as_summary_string()}'"
