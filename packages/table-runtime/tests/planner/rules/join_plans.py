"""Chains of joins over tables without rows, for the tests of the search."""

from __future__ import annotations

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import JoinQueryOperation, QueryOperation
from table_api.plan.optimizer import optimize
from table_common.tree import preorder
from table_runtime.planner.rules.join_chains import JoinChain, written_chains


def chain_of(query: str, **tables: str) -> JoinChain:
    """Returns the longest chain of a query; each table has the BIGINT columns that are given as ``"a, b"``."""
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as env:
        for name, columns in tables.items():
            types = ", ".join(f"{column} BIGINT" for column in columns.split(", "))
            env.execute_sql(f"CREATE TABLE {name} ({types}) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
        from table_api.operations import CollectModifyOperation

        env.get_config().set("table.optimizer.source.report-statistics-enabled", "false")
        planner = env._session.planner
        planner.rules = lambda: ()  # type: ignore[method-assign]
        (plan,) = optimize([CollectModifyOperation(env.sql_query(query).query_operation)], env._session, planner)
        return max(written_chains(plan.child).values(), key=lambda chain: len(chain.leaves))


def joins_of(root: QueryOperation) -> list[JoinQueryOperation]:
    """Returns the joins of a plan, top first."""
    return [node for node in preorder(root, QueryOperation) if isinstance(node, JoinQueryOperation)]
