"""Calls of models: what they may return, and how errors name them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import PredictCall, PredictFunction, Predictions, PredictRuntimeProvider, PredictTableFunction
from table_common.exceptions import TableRuntimeException
from table_common.functions import UserFunction
from table_common.types import ArrayType, IntType, RowType, VarCharType
from table_runtime.udf import Invocation, make_invoker

OUTPUT = RowType.of([("n", IntType(nullable=False)), ("text", VarCharType())])


class Given(PredictFunction, PredictRuntimeProvider):
    def __init__(self, result: Any) -> None:
        self.result = result

    def predict(self, batch: Any) -> Any:
        assert batch.schema.names == ["a"]
        return self.result

    def create_predict_function(self) -> PredictFunction:
        return self


def call(result: Any) -> Any:
    prediction = PredictCall(("m",), RowType.of([("a", IntType())]), OUTPUT)
    definition = UserFunction(PredictTableFunction(prediction, Given(result)), "ML_PREDICT(MODEL m)", deterministic=False)
    invoker = make_invoker(Invocation(definition, [IntType()], ArrayType(OUTPUT)))
    return invoker([pa.array([1, None], pa.int32())], 2).to_pylist()


def batch(numbers: list[int | None]) -> pa.RecordBatch:
    return pa.record_batch({"x": pa.array(numbers, pa.int64()), "y": ["a"] * len(numbers)})


def test_a_row_for_each_row_or_as_many_as_are_said() -> None:
    assert call(batch([1, 2])) == [[{"n": 1, "text": "a"}], [{"n": 2, "text": "a"}]]
    assert call(pa.Table.from_batches([batch([1, 2])])) == call(batch([1, 2]))
    assert call(Predictions(batch([1, 2, 3]), (3, 0))) == [[{"n": i, "text": "a"} for i in (1, 2, 3)], []]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (batch([1]), "it returned 1 rows for 2"),
        (Predictions(batch([1]), (1, 1)), "it returned 1 rows, but the counts of 2 for 2 rows sum up to 2"),
        (batch([1, None]), "its column n has NULL, but OUTPUT declares it NOT NULL"),
        (pa.record_batch({"x": [1, 2]}), "it returned the columns x, but OUTPUT declares n INT, text STRING"),
        (pa.record_batch({"x": ["a", "b"], "y": ["a", "b"]}), "INT NOT NULL was declared"),
        ([1, 2], "it returned list, but it must return a record batch"),
    ],
)
def test_what_a_model_returns_is_checked(result: Any, message: str) -> None:
    with pytest.raises(TableRuntimeException, match=rf"The function ML_PREDICT\(MODEL m\) returned a wrong value: .*{message}"):
        call(result)
