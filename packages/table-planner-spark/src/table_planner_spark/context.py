"""The state of one translation: the Spark session, the configuration and the column names in use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from table_api.operations import QueryOperation, SourceQueryOperation, WindowQueryOperation
from table_common.configuration import ReadableConfig
from table_common.tree import nodes_of, preorder, reader_counts
from table_planner_spark.file_relation_cache import FileRelationCache
from table_planner_spark.in_process_frames import InProcessFrames
from table_planner_spark.inline_guards import large_columns
from table_runtime.files import Snapshots

_NOT_SIMPLE = re.compile(r"\W+", re.ASCII)
_FEW_WINDOWS = 16
_LIKE_OURS = re.compile(r"^__|_[0-9]+$")


@dataclass(slots=True)
class LoweringContext:
    """One translation of a plan. The names that it generates are unique."""

    spark: SparkSession
    configuration: ReadableConfig
    file_relations: FileRelationCache = field(default_factory=FileRelationCache)
    in_process: InProcessFrames = field(default_factory=InProcessFrames)
    snapshots: Snapshots = field(default_factory=Snapshots)
    """The snapshots of the file tables that the plan reads. The job that runs the plan closes them."""
    _names: int = field(default=0)
    _claimed: set[str] = field(default_factory=set)
    _repeated: frozenset[object] = frozenset()
    has_many_windows: bool = False
    """Whether the plan has so many windows that they must be merged."""
    is_streaming: bool = False
    """Whether the session is in streaming mode, where sources may have no end."""
    adopt: Callable[[DataFrame], DataFrame] = field(default=lambda frame: frame)
    """Returns a DataFrame of the program for statements of this session."""
    program: SparkSession | None = None
    """The session of the program, if the DataFrame of the plan is to be one of that session."""
    streams: Collection[QueryOperation] = ()
    """The leaves of the plan that are read as streaming DataFrames."""
    similar_columns: tuple[str, ...] = ()
    """Columns of one file that differ in case only, if the plan reads such a file."""
    _large: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def note_columns_of_files(self, names: Sequence[str]) -> None:
        """Records the columns of the files of a scan."""
        spellings = Counter(map(str.lower, names))
        self.similar_columns = tuple(name for name in names if spellings[name.lower()] > 1) or self.similar_columns

    def new_name(self, hint: str) -> str:
        """Returns a column name that is unique in the plan. It begins with ``hint``, which keeps Spark's plans readable."""
        self._names += 1
        return f"{_NOT_SIMPLE.sub('_', hint)[:40]}_{self._names}"

    def new_names(self, hints: Sequence[str]) -> tuple[str, ...]:
        """Returns one name for each hint."""
        return tuple(map(self.new_name, hints))

    def analyze_sharing(self, plan: QueryOperation) -> None:
        """Records which nodes of a plan have several consumers, and which tables it scans several times.

        Only the other tables keep their column names: if one of two equal subplans were renamed and the other not, Spark would compute both.
        """
        nodes = preorder(plan, QueryOperation)
        uses: Counter[object] = Counter(reader_counts(nodes, QueryOperation))
        uses.update(map(table_label, nodes_of(plan, QueryOperation, SourceQueryOperation)))
        self._repeated = frozenset(one for one, count in uses.items() if count > 1)
        self.has_many_windows = len(nodes_of(plan, QueryOperation, WindowQueryOperation)) > _FEW_WINDOWS

    def analyze_sizes(self, plan: QueryOperation) -> None:
        """Finds the computed columns of a plan that become too large if Spark inlines them."""
        self._large = large_columns(plan)

    def large_columns(self, node: QueryOperation) -> frozenset[int]:
        """Returns the positions of the columns of a projection that Spark must not inline."""
        return self._large.get(id(node), frozenset())

    def is_unbounded(self, node: QueryOperation) -> bool:
        """Returns whether a node of the plan is over a streaming DataFrame."""
        below = set(map(id, preorder(node, QueryOperation)))
        return not below.isdisjoint(map(id, self.streams))

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
    """Returns the table's name as messages show it."""
    return f"the table '{op.table.identifier.as_summary_string()}'"
