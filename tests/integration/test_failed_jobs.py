"""Failed jobs of the embedded engine: the memory that they used is free for the next one."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableRuntimeException

MakeEnv = Callable[[str], TableEnvironment]
ROWS = 300_000
MOST_BYTES = 32 << 20
"""Half of the rows. Until Python 3.12 the closures of comprehensions, which outlive their cleared frames, hold the batch that failed."""


@pytest.fixture(autouse=True)
def without_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT LISTAGG(s), MAX(1 / (id - {last})) FROM wide",
        "SELECT s, MAX(1 / (id - {last})) FROM wide GROUP BY s",
        "SELECT s, 1 / (id - {last}) FROM wide ORDER BY s",
    ],
)
def test_an_error_that_is_kept_holds_no_rows(make_env: MakeEnv, query: str) -> None:
    env = make_env("arrow")
    env.create_temporary_view("t", env.from_arrow(pa.table({"id": range(ROWS)})))
    env.execute_sql("CREATE TEMPORARY VIEW wide AS SELECT id, REPEAT('x', 200) || CAST(id AS STRING) AS s FROM t")
    before = pa.total_allocated_bytes()
    with pytest.raises(TableRuntimeException, match="Division by zero") as kept:
        env.execute_sql(query.format(last=ROWS - 1)).to_arrow()
    assert kept.value.code == "RUNTIME"
    assert pa.total_allocated_bytes() - before < MOST_BYTES
