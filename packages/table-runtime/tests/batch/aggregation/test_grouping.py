import pyarrow as pa
import pytest

from table_common.exceptions import JobCancelledException
from table_runtime.aggregates import Reduction
from table_runtime.batch.aggregation import grouping
from table_runtime.batch.aggregation.grouping import reduce_groups
from table_runtime.cancellation import CancellationToken


def test_each_key_has_one_group_and_null_is_a_key() -> None:
    (keys,), (sums, counts), groups = reduce_groups(
        [pa.array([1, None, 1, None])], [Reduction(pa.array([1, 2, 3, 4]), "sum"), Reduction(pa.array([1, 2, None, 4]), "count")], 4
    )
    assert groups == 2
    assert dict(zip(keys.to_pylist(), zip(sums.to_pylist(), counts.to_pylist(), strict=True), strict=True)) == {1: (4, 1), None: (6, 2)}


def test_without_keys_there_is_one_group_also_over_no_rows() -> None:
    keys, (total,), groups = reduce_groups([], [Reduction(pa.array([], pa.int64()), "count")], 0)
    assert (keys, total.to_pylist(), groups) == ([], [0], 1)


def test_a_cancelled_run_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "CHECKED_ROWS", 10)
    token = CancellationToken()
    column = pa.array(range(1000))

    def group() -> None:
        token.cancel()
        reduce_groups([column], [Reduction(column, "sum")], len(column))

    with pytest.raises(JobCancelledException):
        token.run(group)


def test_it_asks_while_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def check() -> None:
        asked.append(len(asked))
        if len(asked) == 3:
            raise JobCancelledException("cancelled")

    monkeypatch.setattr(grouping, "current_check", lambda: check)
    column = pa.array(range(300_000))
    with pytest.raises(JobCancelledException):
        reduce_groups([column], [Reduction(column, "sum")], len(column))
    assert len(asked) == 3


def test_many_rows_give_ordered_functions_their_order() -> None:
    rows = grouping.CHECKED_ROWS + 70_000
    keys, values = pa.array([number % 3 for number in range(rows)]), pa.array(range(rows))
    (found,), (lists,), count = reduce_groups([keys], [Reduction(values, "list")], rows)
    assert count == 3
    assert dict(zip(found.to_pylist(), lists.to_pylist(), strict=True)) == {key: list(range(key, rows, 3)) for key in range(3)}
