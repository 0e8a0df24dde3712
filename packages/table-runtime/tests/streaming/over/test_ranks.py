from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from table_runtime.streaming.over.ranks import OverRank, RankKind

if TYPE_CHECKING:
    from conftest import Check, Partition


def row_number(rows: Partition, at: int) -> int:
    return at + 1


def rank(rows: Partition, at: int) -> int:
    return 1 + sum(row[0] < rows[at][0] for row in rows)


def dense_rank(rows: Partition, at: int) -> int:
    return len({row[0] for row in rows if row[0] <= rows[at][0]})


@pytest.mark.parametrize(
    ("kind", "expected"), [(RankKind.ROW_NUMBER, row_number), (RankKind.RANK, rank), (RankKind.DENSE_RANK, dense_rank)]
)
def test_ranks_count_the_rows_or_times_before(check: Check, kind: RankKind, expected: Callable[[Partition, int], int]) -> None:
    check(OverRank(0, kind, pa.int64()), [expected])
