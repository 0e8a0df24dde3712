"""The statements that the suite runs, over an engine that answers from lists of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ledger import TABLES
from planted_errors import LedgerSuite

from table_testing import SqlCompliance

Rows = list[tuple[Any, ...]]


class Result:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def collect(self) -> Rows:
        return self._rows

    def wait(self) -> None:
        """The statement has run already."""


class Engine:
    """Answers each query with all rows of its table, and copies rows at an INSERT; ``answer`` changes the rows that a query gives."""

    def __init__(self, answer: Callable[[str, Rows], Rows] = lambda query, rows: rows) -> None:
        self.statements: list[str] = []
        self.closed = 0
        self._answer = answer
        self._views: dict[str, Rows] = {}
        self._name = ""

    def create_temporary_view(self, name: str, rows: Rows) -> None:
        self._views[name] = rows

    def execute_sql(self, statement: str) -> Result:
        self.statements.append(statement)
        created = re.match(r"CREATE TEMPORARY TABLE tested .*'name' = '(\w+)'", statement)
        if created:
            self._name = created[1]
        if statement.startswith("INSERT") and "WHERE" not in statement:
            TABLES[self._name] += self._answer(statement, self._views["plain"])
        if not statement.startswith("SELECT"):
            return Result([])
        is_tested = " tested" in statement
        rows = list(TABLES[self._name]) if is_tested else list(self._views["plain"])
        return Result(self._answer(statement, rows) if is_tested else rows)

    def close(self) -> None:
        self.closed += 1


class Suite(SqlCompliance):
    """The connector of ``ledger.py`` on one engine."""

    engines = ("fake",)
    factory = LedgerSuite.factory
    schema = LedgerSuite.schema
    rows = LedgerSuite.rows
    primary_key = ("id",)
    create_table = LedgerSuite.create_table
    stored_rows = LedgerSuite.stored_rows
    engine = Engine()

    @contextmanager
    def _environment(self, engine: str) -> Iterator[Any]:
        yield self.engine
        self.engine.close()

    def _plain(self, environment: Any) -> Any:
        return list(self.rows)


@pytest.fixture
def properties() -> dict[str, object]:
    return {}


def on(engine: Engine) -> Suite:
    suite = Suite()
    suite.engine = engine
    return suite


def test_equal_rows_pass_and_the_engine_is_named(tmp_path: Path, properties: dict[str, object]) -> None:
    engine = Engine()
    on(engine).test_sql_gives_the_same_rows_with_and_without_push_down(tmp_path, properties.__setitem__)
    assert properties == {"engines": "fake"}
    assert engine.closed == 1
    assert len(engine.statements) == 1 + 2 * len(Suite().queries())


def test_a_row_that_push_down_loses_is_found(tmp_path: Path, properties: dict[str, object]) -> None:
    engine = Engine(lambda query, rows: rows[1:] if "IS NULL" in query else rows)
    with pytest.raises(AssertionError, match=r"fake: SELECT .* IS NULL gave"):
        on(engine).test_sql_gives_the_same_rows_with_and_without_push_down(tmp_path, properties.__setitem__)


def test_the_table_is_declared_with_its_key_and_quoted_options() -> None:
    engine = Engine()
    Suite()._declare(engine, "tested", {"path": "it's"})
    (statement,) = engine.statements
    assert "PRIMARY KEY (`id`) NOT ENFORCED" in statement
    assert statement.endswith(f"WITH ('connector' = '{Suite.factory().factory_identifier}', 'path' = 'it''s')")


def test_inserted_rows_are_compared_with_what_the_system_stores(tmp_path: Path, properties: dict[str, object]) -> None:
    on(Engine()).test_sql_inserts_rows(tmp_path, properties.__setitem__)
    with pytest.raises(AssertionError, match="fake"):
        on(Engine(lambda statement, rows: rows[:-1])).test_sql_inserts_rows(new(tmp_path), properties.__setitem__)


def new(folder: Path) -> Path:
    inner = folder / "second"
    inner.mkdir()
    return inner


def test_without_an_engine_nothing_runs(tmp_path: Path, properties: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Suite, "engines", ())
    Suite().test_sql_inserts_no_rows(tmp_path, properties.__setitem__)
    assert properties == {"engines": ""}


def test_each_column_is_asked_for_null_and_each_integer_for_ranges() -> None:
    queries = Suite().queries()
    for name in ("id", "name", "amount", "is_new"):
        assert f"SELECT * FROM {{t}} WHERE `{name}` IS NULL" in queries
    assert any("`id` BETWEEN 1 AND 2" in query for query in queries)
    assert any("`name` LIKE 'o%'" in query for query in queries)


def test_deletions_and_updates_say_what_they_leave() -> None:
    row = Suite.rows[0]
    changed = [change(row) for statement, change in Suite()._modifications() if statement.startswith("UPDATE")]
    deleted = [change(row) for statement, change in Suite()._modifications() if statement.startswith("DELETE")]
    assert changed == [row, (*row[:-1], None)]
    assert deleted == [row, row, row, row]
