from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from join_plans import chain_of

from table_runtime.planner.rules.column_estimates import ColumnEstimate, Estimate
from table_runtime.planner.rules.join_chains import JoinChain
from table_runtime.planner.rules.join_sizes import JoinSizes, bits


def table(rows: float, *distinct: float) -> Estimate:
    return Estimate(rows, tuple(ColumnEstimate(count, count, rows) for count in distinct))


def sizes(chain: JoinChain, *estimates: Estimate) -> JoinSizes:
    return JoinSizes(chain, estimates)


def test_rows_do_not_depend_on_how_the_conditions_are_written() -> None:
    tables = {"a": "x, y", "b": "x, y", "c": "x, y"}
    estimates = [table(1_000, 100, 1_000), table(100, 100, 10), table(100, 100, 100)]
    chains = [
        chain_of(f"SELECT a.x, a.y, b.x, b.y, c.x, c.y FROM a, b, c WHERE {condition}", **tables)
        for condition in ("a.x = b.x AND b.x = c.x", "a.x = b.x AND a.x = c.x", "a.x = b.x AND a.x = c.x AND b.x = c.x")
    ]
    assert {round(sizes(chain, *estimates).rows(0b111)) for chain in chains} == {1_000}


def test_columns_equal_to_one_column_connect_their_tables() -> None:
    chain = chain_of("SELECT a.x, b.x, c.x FROM a, b, c WHERE a.x = b.x AND b.x = c.x", a="x", b="x", c="x")
    found = sizes(chain, *[table(10, 10)] * 3)
    assert found.neighbors == [0b110, 0b101, 0b011]
    assert found.rows(0b101) == pytest.approx(10)


def test_an_attached_input_keeps_or_adds_rows() -> None:
    chain = chain_of("SELECT a.x, a.y FROM a JOIN b ON a.x = b.x WHERE a.y IN (SELECT x FROM c)", a="x, y", b="x", c="x")
    found = sizes(chain, table(1_000, 1_000, 100), table(1_000, 1_000), table(10, 10))
    semi = next(index for index, leaf in enumerate(chain.leaves) if leaf.required)
    assert found.rows(0b111) == pytest.approx(100, rel=0.01)
    assert found.rows(1 << semi) == 10


def test_bits_are_positions() -> None:
    assert list(bits(0b1011)) == [0, 1, 3]
