"""Statements that Flink has and this project does not: the error says why and what to do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment, TableException


@pytest.fixture(scope="module")
def env() -> Iterator[TableEnvironment]:
    """An environment without any engine."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        yield environment


@pytest.mark.parametrize(
    ("statement", "reason", "hint"),
    [
        ("CREATE CONNECTION c WITH ('type' = 'x')", "Connections are not supported", "options"),
        ("ADD JAR '/x.jar'", "JARs are not supported", "add_python_file"),
        ("BEGIN STATEMENT SET", "for scripts and the prompt", "create_statement_set"),
    ],
)
def test_the_error_says_why_and_what_to_do(env: TableEnvironment, statement: str, reason: str, hint: str) -> None:
    with pytest.raises(TableException, match=reason) as raised:
        env.execute_sql(statement)
    assert hint in (raised.value.hint or "")
    assert raised.value.position is not None


@pytest.mark.parametrize("statement", [None, b"SELECT 1", 5])
@pytest.mark.parametrize("method", ["sql_query", "execute_sql", "explain_sql"])
def test_a_statement_that_is_no_text_is_refused(env: TableEnvironment, method: str, statement: object) -> None:
    with pytest.raises(TypeError, match=f"A statement is text, but got {type(statement).__name__}"):
        getattr(env, method)(statement)
