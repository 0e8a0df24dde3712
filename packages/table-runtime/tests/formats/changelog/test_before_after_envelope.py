"""Changes of pairs of rows, before and after, in the order of their envelopes."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.connector import RowKind
from table_runtime.formats.changelog.before_after_envelope import OperationCodes, before_and_after, columns_by_name, first_problem, one_of

CODES = OperationCodes("op", ("c", "r"), "u", "d")
ROW = pa.struct([("id", pa.int32()), ("s", pa.string())])


def changes_of(*pairs: tuple[str | None, Any, Any]) -> list[tuple[str, Any, int]]:
    """Returns (row kind, row, position of the envelope) of each change."""
    operations, before, after = zip(*pairs, strict=True) if pairs else ((), (), ())
    count = len(pairs)
    changes = before_and_after(
        CODES, pa.array(operations, pa.string()), pa.array(before, ROW), pa.array(after, ROW), pa.array(range(10, 10 + count), pa.int64())
    )
    assert changes.problems.null_count == count
    kinds = [RowKind(code).short_string for code in changes.kinds.to_pylist()]
    return list(zip(kinds, changes.rows.to_pylist(), changes.positions.to_pylist(), strict=True))


A, B = {"id": 1, "s": "a"}, {"id": 1, "s": None}


def test_changes_keep_the_order_of_their_envelopes_the_row_before_first() -> None:
    found = changes_of(("c", None, A), ("u", A, B), ("d", B, None), ("r", None, B))
    assert found == [("+I", A, 10), ("-U", A, 11), ("+U", B, 11), ("-D", B, 12), ("+I", B, 13)]


def test_a_row_that_an_operation_does_not_have_is_no_change() -> None:
    assert changes_of(("c", A, B), ("d", A, B)) == [("+I", B, 10), ("-D", A, 11)]


def test_an_operation_that_is_unknown_or_null_is_no_change() -> None:
    assert changes_of(("x", A, B), (None, A, B)) == []


def test_no_envelopes_give_no_changes() -> None:
    assert changes_of() == []


def test_an_unknown_operation_is_described_with_the_known_ones() -> None:
    problems = CODES.unknown(pa.array(["c", "x", None, "u", ""], pa.string())).to_pylist()
    assert problems == [
        None,
        "'op' must be one of c, r, u, d, not x",
        "'op' must be one of c, r, u, d, not NULL",
        None,
        "'op' must be one of c, r, u, d, not ",
    ]


def test_the_first_problem_of_each_envelope_counts() -> None:
    found = first_problem(pa.array([None, "a", None]), pa.array(["b", "b", None]), pa.scalar(None, pa.string()))
    assert found.to_pylist() == ["b", "a", None]


def test_null_is_none_of_the_words() -> None:
    assert one_of(pa.array(["c", None, "C"]), ["c"]).to_pylist() == [True, False, False]


def test_the_fields_of_a_row_that_is_null_are_null() -> None:
    rows = pa.StructArray.from_arrays([pa.array([1, 2])], names=["x"], mask=pa.array([False, True]))
    assert columns_by_name(rows)["x"].to_pylist() == [1, None]
    assert columns_by_name(rows.slice(1))["x"].to_pylist() == [None]
