from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.set_operations.distinct import Distinct
from table_runtime.batch.set_operations.set_operation import Except, Intersect
from table_runtime.batch.set_operations.union import UnionAll

FIELDS = [("x", pa.int32()), ("l", pa.list_(pa.string()))]
LEFT = [(1, ["a"])] * 3 + [(None, None)] * 2 + [(2, [])]
RIGHT = [(1, ["a"]), (None, None), (3, ["b"])]


def counted(rows: list[tuple[Any, ...]]) -> Counter[str]:
    return Counter(map(repr, rows))


@pytest.mark.parametrize("keep_all", [True, False])
@pytest.mark.parametrize("operation", [Intersect, Except])
def test_rows_come_out_as_often_as_sql_says(harness: Any, operation: Any, keep_all: bool) -> None:
    left, right = counted(LEFT), counted(RIGHT)
    if not keep_all:
        left, right = Counter(left.keys()), Counter(right.keys())
    wanted = left & right if operation is Intersect else left - right
    sources = harness.source(FIELDS, LEFT), harness.source(FIELDS, RIGHT)
    assert counted(harness.rows(operation(sources, pa.schema(FIELDS), keep_all=keep_all))) == wanted


def test_union_all_keeps_all_rows_in_order(harness: Any) -> None:
    union = UnionAll([harness.source(FIELDS, LEFT), harness.source(FIELDS, RIGHT)], pa.schema(FIELDS))
    assert harness.rows(union) == LEFT + RIGHT


def test_distinct_keeps_one_of_equal_rows_and_nulls_are_equal(harness: Any) -> None:
    assert harness.rows(Distinct(harness.source(FIELDS, LEFT))) == [(1, ["a"]), (None, None), (2, [])]


def test_set_operations_on_nothing_give_nothing(harness: Any) -> None:
    nothing = harness.source(FIELDS, [])
    assert harness.rows(Except((nothing, nothing), pa.schema(FIELDS), keep_all=True)) == []
