"""What is done to a plan, and in which order: a program for batch mode, and one for streaming mode. No other module says order.

Each rule runs once, on the whole plan. Rules do not ask for the mode: a rule that has a place in one mode only is in that program only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from table_api.operations import ModifyOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.add_dynamic_filters import add_dynamic_filters
from table_api.plan.rules.create_sinks import create_sink
from table_api.plan.rules.create_sources import create_sources
from table_api.plan.rules.factor_conditions import factor_conditions
from table_api.plan.rules.fold_constants import fold_constants
from table_api.plan.rules.limit_sorts import limit_sorts
from table_api.plan.rules.materialize_changes import materialize_changes
from table_api.plan.rules.merge_constant_rows import merge_constant_rows
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.omit_empty_totals import omit_empty_totals
from table_api.plan.rules.plan_lookup_joins import plan_lookup_joins
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.prune_empty import prune_empty
from table_api.plan.rules.push_aggregate_into_scan import push_aggregate_into_scan
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.push_filter_into_scan import push_filter_into_scan
from table_api.plan.rules.push_limit_into_scan import push_limit_into_scan
from table_api.plan.rules.push_nested_projection_into_scan import push_nested_projection_into_scan
from table_api.plan.rules.push_partition_into_scan import push_partition_into_scan
from table_api.plan.rules.push_projection_into_scan import push_projection_into_scan
from table_api.plan.rules.push_source_watermark_into_scan import push_source_watermark_into_scan
from table_api.plan.rules.push_watermark_into_scan import push_watermark_into_scan
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_common.frozen_dataclass import dataclass

__all__ = ["BATCH", "ROW_LEVEL_CONDITION", "STREAMING", "Phase", "Program", "Rule"]

Rule = Callable[[QueryOperation, RuleContext], QueryOperation]
"""Returns the plan itself if there is nothing to do."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Rules that run one after the other, each once."""

    name: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """The phases of a mode; then the rules of the engine (``Planner.rules``), and the sink."""

    phases: tuple[Phase, ...]
    sink: Callable[[ModifyOperation, RuleContext], ModifyOperation] = create_sink

    def rules(self) -> Iterator[Rule]:
        """Yields the rules of all phases in order."""
        for phase in self.phases:
            yield from phase.rules


_CONDITIONS = Phase(
    "conditions",
    (
        fold_constants,
        merge_projects,
        factor_conditions,  # before filters move: common conjuncts move further
        push_filter_down,
        prune_empty,  # before sources are created: some are not needed
        merge_projects,  # filters that moved below projections leave projections side by side
        merge_constant_rows,  # after projections are merged: it looks at one above VALUES
    ),
)
_SOURCES = Phase(
    "sources",
    (
        create_sources,
        # In streaming mode too, until operators take changes.
        materialize_changes,  # before anything is pushed down: what is above sees rows, not changes
    ),
)
_PUSH_DOWN = (
    push_partition_into_scan,  # first of what sources take: these conditions are then gone
    push_filter_into_scan,  # before columns are dropped: sources see filters over all their columns
    prune_columns,  # leaves a projection on every scan of which not all columns are used
    merge_projects,
    push_nested_projection_into_scan,  # before whole columns: a source is told its columns once
    push_projection_into_scan,
    push_aggregate_into_scan,  # its positions count what the source produces by now
    push_limit_into_scan,
)
_LOOKUPS = Phase("lookups", (plan_lookup_joins,))
"""Takes what filters and columns have left above the scan of the table that is looked up."""

BATCH = Program(
    (
        Phase("subqueries", (limit_sorts, subquery_to_join)),  # first: the other rules do not look into queries in expressions
        _CONDITIONS,
        _SOURCES,
        Phase("push-down", _PUSH_DOWN),
        _LOOKUPS,
        Phase("runtime filters", (add_dynamic_filters,)),  # last: from here on parts of the plan have two readers
    )
)

STREAMING = Program(
    (
        # An aggregate in an expression keeps its row over no input, so this is before queries in expressions join the plan.
        Phase("subqueries", (omit_empty_totals, subquery_to_join)),
        _CONDITIONS,
        _SOURCES,
        Phase("watermarks of sources", (push_source_watermark_into_scan,)),  # before columns are chosen: it needs none
        Phase("push-down", _PUSH_DOWN),
        Phase(
            "watermarks",
            (
                push_watermark_into_scan,  # knows the columns that are produced, and adds some
                push_filter_down,  # conditions and columns stood above the watermark
                merge_projects,
            ),
        ),
        _LOOKUPS,
    )
)

ROW_LEVEL_CONDITION = Phase(
    "the condition of DELETE and UPDATE", (subquery_to_join, fold_constants, merge_projects, push_filter_down, merge_projects)
)
"""What a sink that deletes by itself is asked about."""
