"""Half a minute of ``proofs/differential.py``: random queries return the same rows as in DuckDB, and on both engines."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from table_testing.rounds import NIGHT, rounds

PART = 1 if NIGHT else 3
"""The short form of each comparison takes this part of its time."""
PROOF = Path(__file__).parents[2] / "proofs" / "differential.py"


@pytest.fixture(scope="module")
def proof() -> ModuleType:
    spec = importlib.util.spec_from_file_location("differential", PROOF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_random_queries_return_the_same_rows_as_duckdb(proof: ModuleType) -> None:
    run = proof.compare("duckdb", 1, seconds=45 // PART, sets=60)
    assert run.scripts == []
    assert run.counts["compared"] > 100 // PART // 2


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_random_queries_in_parts_return_the_same_rows_as_duckdb(proof: ModuleType, threads: int) -> None:
    run = proof.compare("duckdb", 5100 + 100 * threads, seconds=24 // PART, sets=30, threads=threads, is_divided=True)
    assert run.scripts == []
    assert run.counts["compared"] > 60 // PART // 2


def test_random_queries_in_parts_that_spill_return_the_same_rows_as_duckdb(proof: ModuleType) -> None:
    run = proof.compare("duckdb", 6400, seconds=20 // PART, sets=6, memory=20_000, threads=3, is_divided=True)
    assert run.scripts == []
    assert run.counts["compared"] > 10 // PART


def test_random_queries_that_spill_return_the_same_rows_as_duckdb(proof: ModuleType) -> None:
    run = proof.compare("duckdb", 4200, seconds=20 // PART, sets=6, memory=2000)
    assert run.scripts == []
    assert run.counts["compared"] > 10 // PART


@pytest.mark.filterwarnings("ignore")  # Spark's own
def test_random_queries_return_the_same_rows_on_both_engines(proof: ModuleType, spark: Any) -> None:
    run = proof.compare("spark", 1, seconds=30, queries=len(rounds(80)), external={"spark": spark})
    assert run.scripts == []
    assert run.counts["compared"] > 2


def test_a_difference_is_minimized_and_printed_as_a_program(proof: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = proof.Ours.run_text

    def without_sums(self: Any, sql: str) -> Any:
        outcome = plain(self, sql)
        return proof.Outcome(outcome.rows[1:]) if "SUM(" in sql and outcome.error is None else outcome

    monkeypatch.setattr(proof.Ours, "run_text", without_sums)
    run = proof.compare("duckdb", 1, seconds=600, sets=1)
    smallest = min(run.scripts, key=lambda script: script.count("SELECT"))
    assert smallest.count("SELECT") == 3  # the query, its text for DuckDB, and the statements that fill DuckDB's tables
    compile(smallest, "difference.py", "exec")


def test_an_error_in_a_value_that_one_engine_skips_is_not_a_difference(proof: ModuleType) -> None:
    from random_sql.parts import is_of_a_part
    from random_sql.sql_types import INT, TINYINT
    from random_sql.tables import Column, Table
    from random_sql.tree import Derived, Expr, Item, Join, Select, TableRef

    total = Expr(TINYINT, "SUM(CAST('100' AS TINYINT))", "CAST(SUM(CAST('100' AS TINYINT)) AS TINYINT)", (Expr(TINYINT, "1", "1"),))
    sums = Derived(Select((Item(total, "x0"),), TableRef("t", "a2")), "a1")
    query = Select((Item(Expr(INT, "1", "1"), "x0"),), Join("CROSS", TableRef("t", "a0"), sums, None))
    ours, theirs = proof.Ours("arrow"), proof.DuckDB()
    tables = [Table("t", (Column("id", INT),), ((1,), (2,)))]
    ours.load(tables)
    theirs.load(tables)
    failed, rows = proof.Outcome(error="SUM overflows", kind="TableRuntimeException"), proof.Outcome(((1,),))
    assert is_of_a_part(query, failed, rows, ours, theirs)
    assert not is_of_a_part(Select(query.items, TableRef("t", "a0")), failed, rows, ours, theirs)
    ours.close()
    theirs.close()
