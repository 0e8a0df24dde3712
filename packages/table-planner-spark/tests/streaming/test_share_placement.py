"""On which executors shares run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession

from table_planner_spark.spark_internals import anchor_of, divide_bytes, make_bytes, prefer_executors
from table_planner_spark.streaming.share_placement import SharePlacement, placed


@pytest.mark.parametrize(
    ("places", "executors", "expected"),
    [
        (["", "", "", ""], ["1", "2"], ["1", "2", "1", "2"]),
        (["1", "2", "1", "2"], ["1", "2", "3"], ["1", "2", "1", "2"]),
        (["1", "2", "1", "2"], ["2", "3"], ["3", "2", "3", "2"]),
        (["1", "2", "1", "2"], ["1", "2"], ["1", "2", "1", "2"]),
        (["1", "2"], [], ["1", "2"]),
    ],
)
def test_shares_stay_where_they_are_and_are_divided_evenly(
    places: Sequence[str], executors: Sequence[str], expected: Sequence[str]
) -> None:
    assert placed(places, executors) == expected


def test_an_executor_that_comes_takes_few_shares_of_others() -> None:
    before = placed([""] * 12, ["1", "2"])
    after = placed(before, ["1", "2", "3"])
    assert sorted(Counter(after).values()) == [4, 4, 4]
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 4


def test_places_change_neither_contents_nor_parts(spark: SparkSession) -> None:
    context = spark.sparkContext
    cells = divide_bytes(
        make_bytes(context, 2, lambda part: (bytes([10 * part + number]) for number in range(6))), 3, lambda cell: cell[0] % 3
    )
    placed_cells = prefer_executors(cells, anchor_of(context, ["7", "8", "7"]))
    assert [sorted(part) for part in placed_cells.glom().collect()] == [sorted(part) for part in cells.glom().collect()]


def test_one_machine_has_no_places(spark: SparkSession) -> None:
    placement = SharePlacement(3)
    placement.update(spark.sparkContext)
    cells = make_bytes(spark.sparkContext, 3, lambda _: iter(()))
    assert placement.apply(cells) is cells
