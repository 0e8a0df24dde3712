"""Columns and values of the rows that reach a branch."""

from __future__ import annotations

import gc

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.expressions.scope import Scope

BATCH = pa.record_batch({"a": pa.array([1, 2, 3, None]), "b": pa.array(["w", "x", "y", "z"])})


def test_nested_branches_see_their_rows() -> None:
    outer = Scope(BATCH, 4)
    inner = outer.narrow(pa.array([False, True, True, True]))
    innermost = inner.narrow(pa.array([True, False, True]))
    assert (inner.num_rows, innermost.num_rows) == (3, 2)
    assert innermost.column(0).to_pylist() == [2, None]
    assert inner.column(1).to_pylist() == ["x", "y", "z"]
    assert outer.column(0).to_pylist() == [1, 2, 3, None]


def test_a_branch_of_all_rows_is_the_same_scope() -> None:
    scope = Scope(BATCH, 4)
    assert scope.narrow(pa.array([True] * 4)) is scope


def test_values_of_enclosing_rows_are_reused_but_not_those_of_a_branch() -> None:
    outer = Scope(BATCH, 4)
    inner = outer.narrow(pa.array([False, False, True, True]))
    outer.keep(7, pa.array([10, 20, 30, 40]))
    outer.keep(8, pa.scalar(5))
    inner.keep(9, pa.array([1, 2]))
    found = inner.find(7)
    assert found.to_pylist() == [30, 40]
    assert inner.find(8) == pa.scalar(5)
    assert (outer.find(9), inner.find(1)) == (None, None)


def test_no_rows_are_a_scope_too() -> None:
    scope = Scope(BATCH, 4).narrow(pa.array([False] * 4))
    assert (scope.num_rows, scope.column(1).to_pylist()) == (0, [])


def test_the_size_counts_the_values_of_branches() -> None:
    outer = Scope(BATCH, 4)
    inner = outer.narrow(pa.array([True, True, False, False]))
    outer.keep(0, pa.array([1, 2, 3, 4], pa.int64()))
    outer.keep(1, pa.scalar(1))
    inner.keep(2, pa.array([1, 2], pa.int64()))
    assert outer.size_of_values() == 48


def test_rows_are_released_with_the_last_reference_and_not_by_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        before = pa.total_allocated_bytes()
        outer = Scope(pa.record_batch({"a": pa.array(range(10_000))}), 10_000)
        inner = outer.narrow(pc.equal(outer.column(0), 5))
        inner.keep(0, inner.column(0))
        assert pa.total_allocated_bytes() > before
        del outer, inner
        assert pa.total_allocated_bytes() == before
    finally:
        gc.enable()
