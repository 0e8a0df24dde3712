from __future__ import annotations

import json
import re
from typing import Any

import pytest

from table_runtime.formats.avro.schema_check import read_schema_text, reason_of


def record(*fields: Any, **others: Any) -> dict[str, Any]:
    return {"type": "record", "name": "r", "fields": list(fields), **others}


def field(type_: Any, name: str = "a") -> dict[str, Any]:
    return {"name": name, "type": type_}


@pytest.mark.parametrize(
    "schema",
    [
        "int",
        ["null", "string"],
        [],
        {"type": {"type": "string"}},
        record(field({"type": "enum", "name": "e", "symbols": []}), field("e", "b")),
        record(field({"type": "fixed", "name": "x.y.f", "size": 0}), field("x.y.f", "b"), namespace="n"),
        record(field({"type": "array", "items": {"type": "map", "values": "r"}}), namespace="n"),
        record(field({"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 3})),
        record(field({"type": "long", "logicalType": "unheard-of"})),
    ],
)
def test_schemas_are_read(schema: Any) -> None:
    assert read_schema_text(json.dumps(schema)) == schema


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (7, "it is 7, where a type belongs"),
        ("nosuch", "it is of the type 'nosuch', which is not defined"),
        (["null", ["int"]], "it is a union within a union"),
        ({}, "it has no 'type'"),
        ({"type": "record"}, "it has no 'name'"),
        ({"type": "record", "name": "r", "namespace": 1}, "the 'namespace' of it is not a text"),
        ({"type": "record", "name": "r"}, "'r' has no list of 'fields'"),
        (record({"type": "int"}, namespace="n"), "field 1 of 'n.r' has no 'name'"),
        (record(field("int"), field("int")), "'r' has two fields 'a'"),
        (record({"name": "a"}), "the field 'a' of 'r' has no 'type'"),
        (record(field("s")), "the field 'a' of 'r' is of the type 's', which is not defined"),
        (record(field({"type": "array"})), "the field 'a' of 'r' is of the type 'array', but has no 'items'"),
        (record(field({"type": "map", "values": None})), "'values' of the field 'a' of 'r' is null, where a type belongs"),
        ({"type": "enum", "name": "e", "symbols": [1]}, "'e' has no list of 'symbols'"),
        ({"type": "fixed", "name": "f", "size": True}, "'f' has no 'size' that is a whole number from 0 up"),
        ({"type": "bytes", "logicalType": "decimal"}, "it has no 'precision' that is a whole number from 1 up"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 3}, "it is a decimal of 2 digits with 3 after the point"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(schema: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        read_schema_text(json.dumps(schema))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"type": "int"', "it is not JSON in line 1, column 15, at its end"),
        ('{"type"; "int"}', "it is not JSON in line 1, column 8, at '; \"int\"}'"),
        ('{"type": ' * 100_000, "it is not JSON"),
        ("1" * 5000, "it is not JSON"),
    ],
)
def test_a_text_that_is_not_json_is_said_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        read_schema_text(text)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (EOFError(), "they end too early"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "invalid"), "a text is not UTF-8"),
        (OverflowError("too large to convert to C long"), "a number is too large"),
        (KeyError("a"), "they are no values of its types"),
        (ValueError("there is no branch 7 of a union"), "there is no branch 7 of a union"),
    ],
)
def test_reasons_are_no_words_of_python(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason
