"""The optimizer programs of streaming mode; those of batch mode and what both share are in ``programs``, and no other module defines an order."""

from __future__ import annotations

from table_api.plan.programs import (
    CONDITIONS,
    LOOKUPS,
    PUSH_DOWN,
    Phase,
    Program,
    create_sources,
    materialize_changes,
    push_aggregate_into_scan,
    push_partition_into_scan,
)
from table_api.plan.rules.check_event_time import check_event_time
from table_api.plan.rules.check_versioned_joins import check_versioned_joins
from table_api.plan.rules.drop_global_aggregate_of_no_input import drop_global_aggregate_of_no_input
from table_api.plan.rules.infer_time_attributes import infer_time_attributes
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.normalize_changes import normalize_changes
from table_api.plan.rules.plan_current_rows_joins import plan_current_rows_joins
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.push_source_watermark_into_scan import push_source_watermark_into_scan
from table_api.plan.rules.push_watermark_into_scan import push_watermark_into_scan
from table_api.plan.rules.rank_changes import rank_changes
from table_api.plan.rules.recognize_interval_joins import recognize_interval_joins
from table_api.plan.rules.recognize_over import recognize_over
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_api.plan.rules.recognize_windows import recognize_windows
from table_api.plan.rules.reuse_subplans import reuse_subplans
from table_api.plan.rules.share_scans import remove_shared_scans, share_scans
from table_api.plan.rules.skip_empty_global_aggregates import skip_empty_global_aggregates
from table_api.plan.rules.subquery_to_join import subquery_to_join

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
        CONDITIONS,
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
        Phase("push-down", tuple(rule for rule in PUSH_DOWN if rule not in (push_partition_into_scan, push_aggregate_into_scan))),
        Phase("shared scans", (remove_shared_scans,)),  # after push-downs, which stop at these nodes
        Phase("scanned tables", (plan_current_rows_joins,)),  # before lookups are planned, for which the rest must support them
        LOOKUPS,
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
        CONDITIONS,
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
        Phase("push-down", PUSH_DOWN),
        _WATERMARKS,
        LOOKUPS,
    )
)
"""Streaming mode on bounded inputs of rows: for engines without changelogs, and for plans that keep no state and have no changes."""
