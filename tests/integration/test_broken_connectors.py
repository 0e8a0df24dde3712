"""Errors of a connector that violates its contract name the connector, on both engines, instead of looking like a bug of the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from table_api import TableEnvironment
from table_common.arrow import ArrowTableSource
from table_common.connector import ArrowScanProvider
from table_common.connector.source.abilities import SupportsFilterPushDown
from table_common.exceptions import TableError
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.types import BigIntType, RowType
from table_runtime.connectors.values import ValuesTableFactory

MakeEnv = Callable[[str], TableEnvironment]
ROW_TYPE = RowType.of([("a", BigIntType())], nullable=False)
BATCH = pa.record_batch([pa.array([1, 2], pa.int64())], names=["a"])
READS: dict[str, tuple[Callable[[], Any], str]] = {
    "a batch": (lambda: BATCH, "read returned a pyarrow.RecordBatch where an iterator of record batches is expected"),
    "a table": (lambda: pa.Table.from_batches([BATCH]), "read returned a pyarrow.Table where an iterator"),
    "nothing": (lambda: None, "read returned a NoneType where an iterator"),
    "tables": (lambda: [pa.Table.from_batches([BATCH])], "read gave a value of the type pyarrow.Table where a record batch is expected"),
    "rows": (lambda: [(1,), (2,)], "read gave a value of the type tuple where a record batch is expected"),
}


@dataclass(frozen=True)
class Scan(ArrowScanProvider):
    """Returns the data of the test case."""

    case: str

    def splits(self) -> Sequence[Any]:
        return [0]

    def read(self, split: Any) -> Iterator[Any]:
        return READS[self.case][0]()  # type: ignore[no-any-return]


@dataclass
class Source(ArrowTableSource):
    """A source that returns this scan, and loses filters."""

    case: str = ""

    def read(self, split: Any) -> Any:
        return READS[self.case][0]()

    def get_scan_runtime_provider(self, context: Any) -> ArrowScanProvider:
        return Scan(self.case)

    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        return SupportsFilterPushDown.Result((), ())


@pytest.fixture(autouse=True)
def _by_value() -> Iterator[None]:
    """Pickles the classes of this module by value, because workers cannot import tests."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


def failure(env: TableEnvironment, monkeypatch: pytest.MonkeyPatch, case: str, query: str) -> str:
    monkeypatch.setattr(ValuesTableFactory, "create_dynamic_table_source", lambda self, context: Source(ROW_TYPE, case))
    env.execute_sql("CREATE TABLE broken (a BIGINT) WITH ('connector' = 'values', 'data-id' = 'broken')")
    with pytest.raises(TableError) as raised:
        list(env.execute_sql(query).collect())
    return str(raised.value)


@pytest.mark.parametrize("engine", ["arrow", "spark"])
@pytest.mark.parametrize("case", READS)
def test_an_object_other_than_a_record_batch_is_an_error_of_the_connector(
    make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch, case: str, engine: str
) -> None:
    message = failure(make_env(engine), monkeypatch, case, "SELECT * FROM broken")
    assert f"Scan.{READS[case][1]}" in message
    assert "This is a bug" not in message


def test_a_source_that_loses_filters_is_named_in_the_error(make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    message = failure(make_env("arrow"), monkeypatch, "rows", "SELECT * FROM broken WHERE a = 1")
    assert "Source.apply_filters other filters than it was offered" in message
    assert "This is a bug" not in message


def test_the_error_of_an_arrow_table_source_names_the_result_of_read() -> None:
    with pytest.raises(TableError, match=r"Source.read returned a pyarrow.RecordBatch where an iterator"):
        list(Source(ROW_TYPE, "a batch").selected(None))
