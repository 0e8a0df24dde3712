"""The rewrites in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable

from table_api.operations import QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.add_dynamic_filters import add_dynamic_filters
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
from table_api.plan.rules.push_into_scan import push_filter_into_scan, push_limit_into_scan, push_projection_into_scan
from table_api.plan.rules.push_nested_projection_into_scan import push_nested_projection_into_scan
from table_api.plan.rules.push_partition_into_scan import push_partition_into_scan
from table_api.plan.rules.push_watermark_into_scan import push_watermark_into_scan
from table_api.plan.rules.subquery_to_join import subquery_to_join

__all__ = ["RULES", "Rule"]

Rule = Callable[[QueryOperation, RuleContext], QueryOperation]
"""Returns the plan itself if there is nothing to do."""

RULES: tuple[Rule, ...] = (
    limit_sorts,
    omit_empty_totals,  # before queries in expressions join the plan: theirs keep their one row
    subquery_to_join,  # first: the rules below do not look into queries in expressions
    fold_constants,
    merge_projects,
    factor_conditions,  # before filters move: what it takes out moves further
    push_filter_down,
    prune_empty,  # before sources are made: some are not needed
    merge_projects,  # filters that went through projections leave projections side by side
    merge_constant_rows,  # after projections are one: it looks at one above VALUES
    create_sources,
    materialize_changes,  # before anything else is pushed: what is above sees rows, not changes
    push_partition_into_scan,  # first of what sources take: these conditions are then gone
    push_filter_into_scan,  # before columns are dropped: sources see filters over all their columns
    prune_columns,  # leaves a projection on every scan of which not all columns are used
    merge_projects,
    push_nested_projection_into_scan,  # before whole columns: a source is told its columns once
    push_projection_into_scan,
    push_aggregate_into_scan,  # its positions count what the source produces by now
    push_limit_into_scan,
    push_watermark_into_scan,  # knows the columns that are produced in the end, and adds some
    plan_lookup_joins,  # it takes what filters and columns have left above the scan of the table that is asked
    add_dynamic_filters,  # last: from here on parts of the plan have two readers
)
