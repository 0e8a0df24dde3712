"""CREATE TABLE of the connector ``python`` without columns: those of the Arrow data that the callable gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError, ValidationException
from table_runtime.connectors.python import register_callable, unregister_callable

DATA = pa.table({"a": pa.array([1, 2], pa.int32()), "b": pa.array(["x", None]).dictionary_encode(), "n": pa.nulls(2)})


@pytest.fixture
def declared() -> Iterator[Callable[[object], TableEnvironment]]:
    def create(target: object) -> TableEnvironment:
        register_callable("given", target)
        env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
        env.execute_sql("CREATE TABLE t WITH ('connector' = 'python', 'callable' = 'given')")
        return env

    yield create
    unregister_callable("given")


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(DATA, id="a table"),
        pytest.param(lambda: DATA, id="a function"),
        pytest.param(DATA.to_batches, id="batches"),
        pytest.param(lambda limit: iter([DATA.slice(0, limit)]), id="a function that is told that one row is enough"),
        pytest.param(DATA.to_reader, id="a reader"),
    ],
)
def test_columns_are_those_of_the_data(declared: Callable[[object], TableEnvironment], target: object) -> None:
    env = declared(target)
    columns = [f"{column.name} {column.data_type}" for column in env.from_path("t").get_resolved_schema().columns]
    assert columns == ["a INT", "b STRING", "n STRING"]
    assert [tuple(row) for row in env.execute_sql("SELECT a, b, n FROM t LIMIT 1").collect()] == [(1, "x", None)]


@pytest.mark.parametrize("target", [[(1, "x")], lambda: [{"a": [1]}], lambda: 7, list, lambda columns: DATA])
def test_rows_do_not_say_their_columns(declared: Callable[[object], TableEnvironment], target: object) -> None:
    env = declared(target)
    with pytest.raises(ValidationException, match="has no columns: none were declared, and none could be inferred when it was created"):
        env.from_path("t")


def test_a_callable_that_fails_is_named(declared: Callable[[object], TableEnvironment]) -> None:
    def broken() -> object:
        raise OSError("closed")

    with pytest.raises(TableError, match=r"The Python callable 'given' of table .* failed: OSError: closed"):
        declared(broken)
