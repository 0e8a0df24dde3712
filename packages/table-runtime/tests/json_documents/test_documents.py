"""Documents that have the same template."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from table_runtime.json_documents import documents as module
from table_runtime.json_documents.documents import documents

END = "                "
"""Documents at the end of a buffer are left to the caller; this is the last one in the tests."""


@pytest.fixture(autouse=True)
def _few_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST", 2)


def found(*texts: str | None) -> dict[int, list[str]]:
    """Returns the texts of the slots by row."""
    result = {}
    for group in documents(pa.array([*texts, END], pa.string())):
        slots = [group.texts(slot).to_pylist() for slot in range(len(group.template.quoted))]
        result.update({int(row): [slot[index] for slot in slots] for index, row in enumerate(group.rows)})
    return result


def test_documents_of_several_templates() -> None:
    texts = ('{"a":1,"b":"x"}', "[1,2]", '{"a":null,"b":""}', None, "[-20,0.5]", "{}")
    assert found(*texts) == {0: ["1", "x"], 1: ["1", "2"], 2: ["null", ""], 4: ["-20", "0.5"]}


@pytest.mark.parametrize(
    "value",
    ["0", "-1", "12345678", "123456789", "1234567890123456", "12345678901234567890123", "0.000001", "-0.5", "-0.0", "9.12345678901", "true", "false", "null"],
)  # fmt: skip
def test_values_that_are_taken(value: str) -> None:
    assert found(f"[{value},7]", f"[7,{value}]", "[7,7]") == {0: [value, "7"], 1: ["7", value], 2: ["7", "7"]}


@pytest.mark.parametrize(
    "value",
    ["-0", "00", "01", "-01", "1.", ".5", "-", "+1", "1e5", "1E-5", "1.5e3", "0.0000001", "0.0000000", "1" * 24, "1." + "1" * 24, "nul", "nulll", "True", "truefalse", "1null", "null1", "NaN", "1-", "1 ", " 1", "", '"1"', "[1]", "\t1", "１", "1:", "1;", "--1"],
)  # fmt: skip
def test_values_that_are_left_to_the_caller(value: str) -> None:
    assert found("[7,7]", f"[{value},7]", "[7,7]", f"[7,{value}]") == {0: ["7", "7"], 2: ["7", "7"]}


def test_every_byte_counts() -> None:
    """A document with one byte changed is the same document with other values, or it is left to the caller."""
    text = '{"a":[1.5,{"b c":"x y"}],"d":null}'
    for position in range(len(text)):
        changed = [text[:position] + chr(byte) + text[position + 1 :] for byte in range(1, 128)]
        for row, slots in found(text, text, *changed).items():
            if row >= 2 and len(slots) == 3:
                number, string, constant = slots
                value = {"a": [json.loads(number), {"b c": string}], "d": json.loads(constant)}
                assert json.loads(changed[row - 2]) == value, changed[row - 2]


def test_rows_that_are_null() -> None:
    (group,) = documents(pa.array(["[null]", "[1]", "[null]", END]))
    nulls = group.nulls(0)
    assert nulls is not None
    assert nulls.tolist() == [True, False, True]
    (group,) = documents(pa.array(['["null"]', '["n"]', END]))
    assert group.nulls(0) is None


def test_slices() -> None:
    texts = pa.array(["[5]", "[1]", "[2]", END, "[6]"]).slice(1, 3)
    (group,) = documents(texts)
    assert (group.rows.tolist(), group.texts(0).to_pylist()) == ([0, 1], ["1", "2"])
