"""The optimizer programs: which rules run, and in which order. Those of streaming mode are in ``streaming_programs``; no other module defines an order.

Each rule runs once, on the whole plan. Rules do not read the mode: a rule for one mode is listed in the program of that mode only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from table_api.operations import ModifyOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.extract_common_conjuncts import extract_common_conjuncts
from table_api.plan.rules.fold_constants import fold_constants
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.remove_empty_relations import remove_empty_relations
from table_api.plan.rules.remove_redundant_distinct import remove_redundant_distinct
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_common.frozen_dataclass import dataclass
from table_common.tree import preorder

Rule = Callable[[QueryOperation, RuleContext], QueryOperation]
"""A rewrite of a query; returns the same object if it changes nothing."""


class RuleFor:
    """The rule in the file ``name``, which is imported and runs only if a plan has one of some nodes, named by their classes."""

    def __init__(self, name: str, *nodes: str) -> None:
        self.__name__ = name
        self.nodes = nodes

    def __call__(self, plan: QueryOperation, context: RuleContext) -> QueryOperation:
        if not any(type(node).__name__ in self.nodes for node in preorder(plan, QueryOperation)):
            return plan
        rule: Rule = getattr(import_module(f"{__package__}.rules.{self.__name__}"), self.__name__)
        return rule(plan, context)


add_dynamic_filters = RuleFor("add_dynamic_filters", "JoinQueryOperation")
create_sources = RuleFor("create_sources", "SourceQueryOperation")
materialize_changes = RuleFor("materialize_changes", "SourceQueryOperation")
merge_constant_rows = RuleFor("merge_constant_rows", "SetQueryOperation")
plan_lookup_joins = RuleFor("plan_lookup_joins", "TemporalJoinQueryOperation")
plan_vector_searches = RuleFor("plan_vector_searches", "UnnestQueryOperation")
limit_sorts = RuleFor("limit_sorts", "SortQueryOperation")
push_aggregate_into_scan = RuleFor("push_aggregate_into_scan", "AggregateQueryOperation")
push_filter_into_scan = RuleFor("push_filter_into_scan", "SourceQueryOperation")
push_limit_into_scan = RuleFor("push_limit_into_scan", "SortQueryOperation", "RankQueryOperation")
push_nested_projection_into_scan = RuleFor("push_nested_projection_into_scan", "SourceQueryOperation")
push_ordered_limit_into_scan = RuleFor("push_ordered_limit_into_scan", "SortQueryOperation")
push_partition_into_scan = RuleFor("push_partition_into_scan", "SourceQueryOperation")
push_projection_into_scan = RuleFor("push_projection_into_scan", "SourceQueryOperation")


def _create_sink(operation: ModifyOperation, context: RuleContext) -> ModifyOperation:
    if operation.target_name is None:
        return operation
    from table_api.plan.rules.create_sinks import create_sink  # queries have no sink

    return create_sink(operation, context)


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
    sink: Callable[[ModifyOperation, RuleContext], ModifyOperation] = _create_sink
    is_one_plan_per_statement_set: bool = False
    """Whether the rules see all queries of a statement set at once (``StatementSetQueryOperation``), so that these share tables and subplans."""
    is_on_changelogs: bool = False
    """Whether the plan runs on changelogs: sinks may resolve conflicts, and the rules of the engine, which are for rows, do not run."""

    def rules(self) -> Iterator[Rule]:
        """Yields the rules of all phases in order."""
        for phase in self.phases:
            yield from phase.rules


CONDITIONS = Phase(
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
PUSH_DOWN = (
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
LOOKUPS = Phase("lookups", (plan_lookup_joins, plan_vector_searches), needs_inputs=True)
"""Moves the remaining filters and projections above a looked-up table into the lookup join."""

BATCH = Program(
    (
        Phase("subqueries", (limit_sorts, subquery_to_join)),  # first: the other rules do not visit subqueries in expressions
        CONDITIONS,
        _SOURCES,
        Phase("push-down", PUSH_DOWN, needs_inputs=True),
        LOOKUPS,
        Phase("runtime filters", (add_dynamic_filters,), needs_inputs=True),  # last: afterwards some subplans are shared
    )
)

ROW_LEVEL_CONDITION = Phase(
    "the condition of DELETE and UPDATE", (subquery_to_join, fold_constants, merge_projects, push_filter_down, merge_projects)
)
"""The rules for the condition of a DELETE that is offered to the sink."""
