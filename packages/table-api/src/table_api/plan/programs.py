"""The optimizer programs of batch and streaming mode: which rules run, and in which order. No other module defines the order.

Each rule runs once, on the whole plan. Rules do not read the mode: a rule for one mode is listed in the program of that mode only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from table_api.operations import ModifyOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.add_dynamic_filters import add_dynamic_filters
from table_api.plan.rules.check_event_time import check_event_time
from table_api.plan.rules.check_versioned_joins import check_versioned_joins
from table_api.plan.rules.create_sinks import create_sink
from table_api.plan.rules.create_sources import create_sources
from table_api.plan.rules.drop_global_aggregate_of_no_input import drop_global_aggregate_of_no_input
from table_api.plan.rules.extract_common_conjuncts import extract_common_conjuncts
from table_api.plan.rules.fold_constants import fold_constants
from table_api.plan.rules.infer_time_attributes import infer_time_attributes
from table_api.plan.rules.limit_sorts import limit_sorts
from table_api.plan.rules.materialize_changes import materialize_changes
from table_api.plan.rules.merge_constant_rows import merge_constant_rows
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.normalize_changes import normalize_changes
from table_api.plan.rules.plan_current_rows_joins import plan_current_rows_joins
from table_api.plan.rules.plan_lookup_joins import plan_lookup_joins
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_aggregate_into_scan import push_aggregate_into_scan
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.push_filter_into_scan import push_filter_into_scan
from table_api.plan.rules.push_limit_into_scan import push_limit_into_scan
from table_api.plan.rules.push_nested_projection_into_scan import push_nested_projection_into_scan
from table_api.plan.rules.push_ordered_limit_into_scan import push_ordered_limit_into_scan
from table_api.plan.rules.push_partition_into_scan import push_partition_into_scan
from table_api.plan.rules.push_projection_into_scan import push_projection_into_scan
from table_api.plan.rules.push_source_watermark_into_scan import push_source_watermark_into_scan
from table_api.plan.rules.push_watermark_into_scan import push_watermark_into_scan
from table_api.plan.rules.rank_changes import rank_changes
from table_api.plan.rules.recognize_interval_joins import recognize_interval_joins
from table_api.plan.rules.recognize_over import recognize_over
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_api.plan.rules.recognize_windows import recognize_windows
from table_api.plan.rules.remove_empty_relations import remove_empty_relations
from table_api.plan.rules.remove_redundant_distinct import remove_redundant_distinct
from table_api.plan.rules.reuse_subplans import reuse_subplans
from table_api.plan.rules.share_scans import remove_shared_scans, share_scans
from table_api.plan.rules.skip_empty_global_aggregates import skip_empty_global_aggregates
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_common.frozen_dataclass import dataclass

Rule = Callable[[QueryOperation, RuleContext], QueryOperation]
"""A rewrite of a query; returns the same object if it changes nothing."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A named sequence of rules; each runs once."""

    name: str
    rules: tuple[Rule, ...]
    needs_inputs: bool = False
    """Whether the rules change no SELECT without FROM, which is then planned without them."""


@dataclass(frozen=True, slots=True)
class Program:
    """The phases of one mode, followed by the rules of the engine (``Planner.rules``) and the creation of the sink."""

    phases: tuple[Phase, ...]
    sink: Callable[[ModifyOperation, RuleContext], ModifyOperation] = create_sink
    is_one_plan_per_statement_set: bool = False
    """Whether the rules see all queries of a statement set at once (``StatementSetQueryOperation``), so that these share tables and subplans."""
    is_on_changelogs: bool = False
    """Whether the plan runs on changelogs: sinks may resolve conflicts, and the rules of the engine, which are for rows, do not run."""

    def rules(self) -> Iterator[Rule]:
        """Yields the rules of all phases in order."""
        for phase in self.phases:
            yield from phase.rules


_CONDITIONS = Phase(
    "conditions",
    (
        fold_constants,
        merge_projects,
        extract_common_conjuncts,  # before filter push-down: common conjuncts can then be pushed further
        push_filter_down,
        remove_empty_relations,  # before sources are created: removed relations need none
        merge_projects,  # filter push-down leaves adjacent projections
        merge_constant_rows,  # after projections are merged: the rule matches one projection above VALUES
        remove_redundant_distinct,  # after filter push-down: constant columns leave the keys
    ),
)
_SOURCES = Phase(
    "sources",
    (
        create_sources,
        materialize_changes,  # before push-downs: the nodes above must see rows, not changes
    ),
    needs_inputs=True,
)
_PUSH_DOWN = (
    push_partition_into_scan,  # first of the push-downs into sources: it consumes conditions
    push_filter_into_scan,  # before column pruning: filters still refer to all columns of the source
    prune_columns,  # leaves a projection above each scan that has unused columns
    merge_projects,
    push_nested_projection_into_scan,  # before whole columns: a source accepts one projection
    push_projection_into_scan,
    push_aggregate_into_scan,  # positions refer to the columns that the source produces after the projection
    push_limit_into_scan,
    push_ordered_limit_into_scan,
)
_LOOKUPS = Phase("lookups", (plan_lookup_joins,), needs_inputs=True)
"""Moves the remaining filters and projections above a looked-up table into the lookup join."""

BATCH = Program(
    (
        Phase("subqueries", (limit_sorts, subquery_to_join)),  # first: the other rules do not visit subqueries in expressions
        _CONDITIONS,
        _SOURCES,
        Phase("push-down", _PUSH_DOWN, needs_inputs=True),
        _LOOKUPS,
        Phase("runtime filters", (add_dynamic_filters,), needs_inputs=True),  # last: afterwards some subplans are shared
    )
)

_STREAMING_SUBQUERIES = Phase("subqueries", (drop_global_aggregate_of_no_input, subquery_to_join))
"""An aggregate in a scalar subquery keeps its row for empty input, so the first rule runs before decorrelation."""
_TIME_ATTRIBUTES = Phase("time attributes", (infer_time_attributes,))
"""After filters have moved to the joins that they bound; before the rules that read which columns are time attributes."""
_SOURCE_WATERMARKS = Phase("watermarks of sources", (push_source_watermark_into_scan,))  # before column pruning: COUNT(*) needs no column
_WATERMARKS = Phase(
    "watermarks",
    (
        push_watermark_into_scan,  # needs the columns that the source produces, and may add some
        push_filter_down,  # after filters and projections: those stood above the watermark
        merge_projects,
    ),
)

STREAMING = Program(
    (
        Phase("subqueries", (skip_empty_global_aggregates, subquery_to_join)),  # totals that the second rule makes keep their row
        _CONDITIONS,
        _TIME_ATTRIBUTES,
        Phase(
            "ranks",
            (
                recognize_ranks,  # after filters have moved to the windows that they bound, before unused ranks are pruned
                check_versioned_joins,  # after deduplications are known, which have keys; before key columns are pruned
            ),
        ),
        Phase(
            "sources",
            (
                create_sources,
                push_partition_into_scan,  # before scans are shared: readers of different partitions do not share one
                normalize_changes,  # before other push-downs: filters and limits stay above the normalization
                reuse_subplans,
                share_scans,
            ),
        ),
        _SOURCE_WATERMARKS,
        Phase("push-down", tuple(rule for rule in _PUSH_DOWN if rule not in (push_partition_into_scan, push_aggregate_into_scan))),
        Phase("shared scans", (remove_shared_scans,)),  # after push-downs, which stop at these nodes
        Phase("scanned tables", (plan_current_rows_joins,)),  # before lookups are planned, for which the rest must support them
        _LOOKUPS,
        Phase(
            "time",  # after the rules that know the general forms of the nodes alone
            (
                recognize_windows,
                recognize_over,
                recognize_interval_joins,
                rank_changes,  # last: the nodes that the others make give insertions only
            ),
        ),
        Phase("reuse", (reuse_subplans,)),  # last: push-downs may have made nodes equal
    ),
    is_one_plan_per_statement_set=True,
    is_on_changelogs=True,
)
"""Streaming mode on changelogs; inference of the changes on each edge follows (``table_api.plan.changelog``)."""

STREAMING_ROWS = Program(
    (
        _STREAMING_SUBQUERIES,
        _CONDITIONS,
        _TIME_ATTRIBUTES,
        Phase(
            "sources",
            (
                create_sources,
                check_event_time,  # before changes are materialized: afterwards sources give insertions only
                materialize_changes,
            ),
        ),
        _SOURCE_WATERMARKS,
        Phase("push-down", _PUSH_DOWN),
        _WATERMARKS,
        _LOOKUPS,
    )
)
"""Streaming mode on bounded inputs of rows: for engines without changelogs, and for plans that keep no state and have no changes."""

ROW_LEVEL_CONDITION = Phase(
    "the condition of DELETE and UPDATE", (subquery_to_join, fold_constants, merge_projects, push_filter_down, merge_projects)
)
"""The rules for the condition of a DELETE that is offered to the sink."""
