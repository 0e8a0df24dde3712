import math

import pyarrow as pa

from table_common.arrow import apply_changes


def changelog(*changes: tuple[int, int | None, float]) -> pa.Table:
    kinds, first, second = zip(*changes, strict=True)
    columns = [pa.array(first, pa.int32()), pa.array(second, pa.float64()), pa.array(kinds, pa.int8())]
    return pa.Table.from_arrays(columns, names=["a", "b", "$row_kind"])


def test_retractions_take_back_equal_rows_and_the_others_stay_in_their_order() -> None:
    changes = changelog((0, 1, 1.0), (0, 2, 2.0), (1, 1, 1.0), (2, 1, 5.0), (0, 3, 3.0), (3, 2, 2.0))
    assert apply_changes(changes, 2).to_pydict() == {"a": [1, 3], "b": [5.0, 3.0]}


def test_each_retraction_removes_one_equal_row() -> None:
    assert apply_changes(changelog((0, 1, 1.0), (0, 1, 1.0), (3, 1, 1.0)), 2).num_rows == 1


def test_null_and_nan_are_equal_to_themselves() -> None:
    assert apply_changes(changelog((0, None, math.nan), (3, None, math.nan)), 2).num_rows == 0


def test_a_retraction_of_nothing_is_ignored() -> None:
    assert apply_changes(changelog((3, 1, 1.0), (0, 1, 1.0)), 2).num_rows == 1


def test_nested_values_are_compared_whole() -> None:
    rows = pa.table({"a": pa.array([[1, None], [1, None], [2]]), "$row_kind": pa.array([0, 3, 0], pa.int8())})
    assert apply_changes(rows, 1).to_pydict() == {"a": [[2]]}


def test_a_table_of_insertions_is_returned_as_it_is() -> None:
    table = pa.table({"a": [1, 2]})
    assert apply_changes(table, 1) is table
