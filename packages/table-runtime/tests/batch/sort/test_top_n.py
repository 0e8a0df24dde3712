from __future__ import annotations

import math
import random
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import JobCancelledException
from table_runtime.batch.sort.limit import Limit
from table_runtime.batch.sort.sort import Sort
from table_runtime.batch.sort.top_n import TopN
from table_runtime.columns.ordering import SortKey

VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "int": (pa.int32(), [-1, 0, 7]),
    "float": (pa.float64(), [-math.inf, -1.0, 2.5, math.inf, math.nan]),
    "decimal": (pa.decimal128(20, 2), [Decimal("-1.00"), Decimal("0.01"), Decimal("12345678901234.56")]),
    "text": (pa.string(), ["", "Z", "a", "é", "\uffff", "\U0001f600"]),
    "boolean": (pa.bool_(), [False, True]),
    "bytes": (pa.binary(), [b"", b"\x00", b"\xff"]),
    "list": (pa.list_(pa.int32()), [[], [1], [1, 2], [3]]),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("nulls_first", [True, False])
def test_every_type_is_ordered_with_nulls_where_asked(harness: Any, name: str, ascending: bool, nulls_first: bool) -> None:
    type_, ordered = VALUES[name]
    rows = [(value,) for value in [None, *ordered, None]]
    random.Random(1).shuffle(rows)
    found = [row[0] for row in harness.rows(Sort(harness.source([("a", type_)], rows), [SortKey(0, ascending, nulls_first)]))]
    values = ordered if ascending else ordered[::-1]
    assert repr(found) == repr([None, None, *values] if nulls_first else [*values, None, None])


def test_sorting_is_stable_and_keys_count_in_order(harness: Any) -> None:
    rows = [(1, "b", 0), (0, "a", 1), (1, "a", 2), (0, "a", 3), (1, "b", 4)]
    source = harness.source([("x", pa.int32()), ("y", pa.string()), ("n", pa.int32())], rows)
    found = harness.rows(Sort(source, [SortKey(0, False), SortKey(1)]))
    assert [row[2] for row in found] == [2, 0, 4, 1, 3]


def test_no_rows_sort_to_no_rows(harness: Any) -> None:
    assert harness.rows(Sort(harness.source([("a", pa.int32())], []), [SortKey(0)])) == []


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("ascending", "nulls_first"), [(True, True), (True, False), (False, True), (False, False)])
def test_the_first_rows_are_those_of_the_whole_order(
    harness: Any, seed: int, ascending: bool, nulls_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("table_runtime.batch.sort.top_n.BATCH_ROWS", 4)
    rng = random.Random(seed)
    rows = [(rng.choice([None, math.nan, 1.0, 2.0, 3.0, -0.0]), n) for n in range(200)]
    source = harness.source([("f", pa.float64()), ("n", pa.int32())], rows)
    keys = [SortKey(0, ascending, nulls_first)]
    wanted = harness.rows(Sort(source, keys))[5:17]
    assert repr(harness.rows(TopN(source, keys, 5, 12))) == repr(wanted)


def test_fetching_no_rows_reads_nothing(harness: Any, endless: Any) -> None:
    assert harness.rows(TopN(endless, [SortKey(0)], 0, 0)) == []
    assert harness.rows(Limit(endless, 0, 0)) == []


def test_a_limit_skips_and_keeps_rows_across_batches(harness: Any) -> None:
    source = harness.source([("a", pa.int32())], [(n,) for n in range(10)])
    assert harness.rows(Limit(source, 2, 5)) == [(2,), (3,), (4,), (5,), (6,)]
    assert harness.rows(Limit(source, 8, None)) == [(8,), (9,)]


def test_a_limit_stops_what_is_below_it(harness: Any, endless: Any) -> None:
    assert len(harness.rows(Limit(endless, 0, 10))) == 10
    assert endless.is_closed


def test_a_cancelled_context_stops_a_sort(harness: Any, endless: Any) -> None:
    harness.context.token.cancel()
    with pytest.raises(JobCancelledException):
        harness.rows(Sort(endless, [SortKey(0)]))
    assert endless.is_closed
