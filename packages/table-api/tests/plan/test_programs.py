"""What belongs to one mode only, and where an engine's rules run."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import pytest

from table_api.delegation import NoExpressionServices, Planner, PlannerCapabilities
from table_api.operations import QUERY_OPERATIONS, CollectModifyOperation, QueryOperation, TemporalJoinQueryOperation
from table_api.operations.changelog import CHANGELOG_OPERATIONS
from table_api.plan import programs
from table_api.plan.optimizer import optimize
from table_api.plan.programs import BATCH, add_dynamic_filters, limit_sorts, materialize_changes, push_aggregate_into_scan
from table_api.plan.rules.check_versioned_joins import check_versioned_joins
from table_api.plan.rules.infer_time_attributes import infer_time_attributes
from table_api.plan.rules.normalize_changes import normalize_changes
from table_api.plan.rules.plan_current_rows_joins import plan_current_rows_joins
from table_api.plan.rules.push_source_watermark_into_scan import push_source_watermark_into_scan
from table_api.plan.rules.rank_changes import rank_changes
from table_api.plan.rules.recognize_interval_joins import recognize_interval_joins
from table_api.plan.rules.recognize_over import recognize_over
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_api.plan.rules.recognize_windows import recognize_windows
from table_api.plan.rules.reuse_subplans import reuse_subplans
from table_api.plan.rules.share_scans import remove_shared_scans, share_scans
from table_api.plan.rules.skip_empty_global_aggregates import skip_empty_global_aggregates
from table_api.plan.streaming_programs import STREAMING, STREAMING_ROWS
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement


def parsed(sql: str, session: Any) -> QueryOperation:
    operation = convert_statement(parse_statement(sql), session, sql)
    assert isinstance(operation, QueryOperation)
    return operation


def test_rules_that_are_imported_by_name_and_their_nodes_exist() -> None:
    nodes = {node.__name__ for node in (*QUERY_OPERATIONS, *CHANGELOG_OPERATIONS, TemporalJoinQueryOperation)}
    named = {name: rule for name, rule in vars(programs).items() if isinstance(rule, programs.RuleFor)}
    assert len(named) > 10
    for name, rule in named.items():
        assert name == rule.__name__
        assert set(rule.nodes) <= nodes
        assert callable(getattr(import_module(f"table_api.plan.rules.{name}"), name))


def test_each_mode_has_the_rules_that_mean_something_in_it_only() -> None:
    batch, streaming = set(BATCH.rules()), set(STREAMING.rules())
    assert batch - streaming == {limit_sorts, add_dynamic_filters, materialize_changes, push_aggregate_into_scan}
    assert streaming - batch == {
        skip_empty_global_aggregates,
        infer_time_attributes,
        recognize_ranks,
        normalize_changes,
        reuse_subplans,
        share_scans,
        remove_shared_scans,
        push_source_watermark_into_scan,
        check_versioned_joins,
        recognize_windows,
        recognize_over,
        recognize_interval_joins,
        plan_current_rows_joins,
        rank_changes,
    }


class WithRules:
    """A planner with two rules: one that keeps the plan, and one that drops its topmost node."""

    capabilities = PlannerCapabilities()
    expressions = NoExpressionServices()

    def rules(self) -> tuple[Any, ...]:
        def keep(plan: QueryOperation) -> QueryOperation:
            return plan

        def drop(plan: QueryOperation) -> QueryOperation:
            return cast("QueryOperation", plan.children[0])

        return keep, drop


def test_rules_of_the_engine_run_after_the_shared_ones(session: Any) -> None:
    query = parsed("SELECT a FROM (VALUES 1, 2) AS t(a) WHERE a > 1", session)
    trace: list[str] = []
    operations = [CollectModifyOperation(query)]
    (shared,) = optimize(operations, session)
    (rewritten,) = optimize(operations, session, cast("Planner", WithRules()), trace)
    assert rewritten.child == shared.child.children[0]
    assert trace[-1] == "drop"
    assert "keep" not in trace


@pytest.mark.parametrize(("is_streaming", "is_filtered"), [(False, False), (True, True)])
def test_the_program_of_the_session_s_mode_runs(
    session: Any, monkeypatch: pytest.MonkeyPatch, is_streaming: bool, is_filtered: bool
) -> None:
    monkeypatch.setattr(type(session), "is_streaming_mode", is_streaming)
    trace: list[str] = []
    optimize([CollectModifyOperation(parsed("SELECT COUNT(*) FROM (VALUES 1, 2) AS t(a) WHERE a > 1", session))], session, None, trace)
    assert ("drop_global_aggregate_of_no_input" in trace) is is_filtered


def test_each_rule_for_some_nodes_has_a_file_of_its_name_and_knows_the_names_of_these_nodes() -> None:
    names = {node.__name__ for node in (*QUERY_OPERATIONS, *CHANGELOG_OPERATIONS, TemporalJoinQueryOperation)}
    rules = {rule for program in (BATCH, STREAMING, STREAMING_ROWS) for rule in program.rules() if hasattr(rule, "nodes")}
    assert len(rules) > 5
    for rule in rules:
        assert callable(getattr(import_module(f"table_api.plan.rules.{rule.__name__}"), rule.__name__))
        assert set(rule.nodes) <= names, rule.__name__
