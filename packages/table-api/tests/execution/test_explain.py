"""EXPLAIN: which statements have a plan."""

from __future__ import annotations

import pytest

from table_api import TableEnvironment
from table_api.execution.explain import explain_text, planned
from table_api.operations import CollectModifyOperation, SinkModifyOperation
from table_api.operations.command import ExplainOperation
from table_common.exceptions import TableException, ValidationException

SINK = "CREATE TABLE s (a INT, b STRING) WITH ('connector' = 'memory')"
INSERT = "INSERT INTO s SELECT * FROM t"


def test_a_query_is_planned_as_one_whose_rows_go_to_the_caller(env: TableEnvironment) -> None:
    query = env.session.parse("SELECT a FROM t")
    assert planned(query) == [CollectModifyOperation(query)]


def test_insertions_are_planned_as_they_are(env: TableEnvironment) -> None:
    env.execute_sql(SINK)
    insertion = env.session.parse(INSERT)
    assert isinstance(insertion, SinkModifyOperation)
    assert planned(insertion) == [insertion]
    statement_set = env.session.parse(f"EXECUTE STATEMENT SET BEGIN {INSERT}; {INSERT}; END")
    assert len(planned(statement_set)) == 2


def test_a_statement_without_a_plan_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(TableException, match="EXPLAIN accepts a query, an INSERT"):
        env.explain_sql("SHOW TABLES")


def test_explain_of_explain_is_that_of_its_statement(env: TableEnvironment) -> None:
    statement = "EXPLAIN CHANGELOG_MODE SELECT a FROM t"
    ((text,),) = env.execute_sql(statement).collect()
    assert env.explain_sql(statement) == text
    assert "changelogMode=[I]" in text


def test_an_unknown_detail_is_refused(env: TableEnvironment) -> None:
    operation = ExplainOperation(env.session.parse("SELECT a FROM t"), ("nothing",))
    with pytest.raises(ValidationException, match="Explain detail 'nothing'"):
        explain_text(operation, env.session, [])
