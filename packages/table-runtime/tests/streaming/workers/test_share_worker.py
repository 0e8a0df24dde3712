"""Statements in several workers: their final tables are those of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from worker_tables import STATEMENTS, with_tables


def test_final_tables_are_those_of_one_worker(environments: Any, tables: Path, table_of: Callable[[Any], Any]) -> None:
    one, two, four = (with_tables(environments(workers), tables) for workers in (1, 2, 4))
    for name, statement in STATEMENTS.items():
        assert "2 workers" in two.explain_sql(statement), name
        expected = table_of(one.execute_sql(statement))
        assert expected, name
        assert table_of(two.execute_sql(statement)) == expected, name
        if name in ("groups", "join", "windows", "ranks"):
            assert table_of(four.execute_sql(statement)) == expected, name
