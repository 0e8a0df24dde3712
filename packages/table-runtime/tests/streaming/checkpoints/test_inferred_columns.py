from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import ListView, MapView
from table_runtime.streaming.checkpoints.inferred_columns import inferred_column, plain_message


@dataclass
class Message:
    path: str | None
    counts: dict[int, int]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Message("a", {3: 1}), {"path": "a", "counts": {"3": 1}}),
        ((), []),
        ({"files": ["a"], "time": 1}, {"files": ["a"], "time": 1}),
        ([Message(None, {})], [{"path": None, "counts": {}}]),
    ],
)
def test_messages_are_json(message: Any, expected: Any) -> None:
    assert plain_message(message, "the messages of the sink o") == expected


def test_a_message_of_another_class_says_what_to_do() -> None:
    with pytest.raises(TableRuntimeException, match="The messages of the sink o hold an object of the class RecordBatch") as raised:
        plain_message([pa.record_batch({"a": [1]})], "the messages of the sink o")
    assert "Run the job once more with the version that wrote the folder, and stop it" in str(raised.value)


class Plain:
    def __init__(self) -> None:
        self.n = 1
        self.names = ["a"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[1, None], []], [[1, None], []]),
        ([{"a": [1.5]}, None], [[("a", [1.5])], None]),
        ([Row(1, "x"), Row(2, None)], [{"f0": 1, "f1": "x"}, {"f0": 2, "f1": None}]),
        ([ListView([1]), ListView()], [{"list": [1]}, {"list": []}]),
        ([MapView({1: "a"})], [{"map": [(1, "a")]}]),
        ([Message("a", {1: 2})], [{"path": "a", "counts": [(1, 2)]}]),
        ([Plain()], [{"n": 1, "names": ["a"]}]),
        ([], []),
    ],
)
def test_accumulators_are_columns(values: list[Any], expected: list[Any]) -> None:
    assert inferred_column(values, "the state").to_pylist() == expected


def test_values_without_a_common_type_are_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="In the state, the accumulators of a user function cannot be written as a column"):
        inferred_column([[1, "a"]], "the state")
