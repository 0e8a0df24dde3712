"""Fields of Protocol Buffers as columns and back: every kind of field, defaults, and values that do not fit."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from table_common.arrow import to_arrow_schema
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.protobuf.values import MessageReader, MessageWriter

PLAIN = {
    "d": (1, "DOUBLE", 1.5),
    "f": (2, "FLOAT", 0.5),
    "i64": (3, "BIGINT", -(2**63)),
    "u64": (4, "BIGINT", 2**63 - 1),
    "i32": (5, "INT", -(2**31)),
    "x64": (6, "BIGINT", 7),
    "x32": (7, "INT", 7),
    "b": (8, "BOOLEAN", True),
    "s": (9, "STRING", "é"),
    "y": (12, "BYTES", b"\xff"),
    "u32": (13, "BIGINT", 2**32 - 1),
    "sx32": (15, "INT", -7),
    "sx64": (16, "BIGINT", -7),
    "z32": (17, "INT", -7),
    "z64": (18, "BIGINT", -7),
}
"""Fields by name: the type's number in descriptors, the column's type, and a value that is not the default."""


@cache
def message_type() -> Any:
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="all.proto", package="p", syntax="proto3")
    kind = file.enum_type.add(name="Kind")
    kind.value.add(name="A", number=0)
    kind.value.add(name="B", number=1)
    inner = file.message_type.add(name="Inner")
    inner.field.add(name="q", number=1, type=5, label=1)
    every = file.message_type.add(name="Every")
    for number, (name, (code, _, _)) in enumerate(PLAIN.items(), 1):
        every.field.add(name=name, number=number, type=code, label=1)
    every.field.add(name="e", number=30, type=14, type_name=".p.Kind", label=1)
    every.field.add(name="r", number=31, type=11, type_name=".p.Inner", label=1)
    every.field.add(name="l", number=32, type=5, label=3)
    every.field.add(name="texts", number=33, type=9, label=3)
    every.field.add(name="rows", number=34, type=11, type_name=".p.Inner", label=3)
    every.oneof_decl.add(name="_o")
    every.field.add(name="o", number=35, type=5, label=1, oneof_index=0, proto3_optional=True)
    for name, number, value in (("m", 36, {"type": 5}), ("mm", 37, {"type": 11, "type_name": ".p.Inner"})):
        entry = every.nested_type.add(name=f"{name.capitalize()}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=9, label=1)
        entry.field.add(name="value", number=2, label=1, **value)
        every.field.add(name=name, number=number, type=11, type_name=f".p.Every.{name.capitalize()}Entry", label=3)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("p.Every"))


def row_of(columns: dict[str, str]) -> RowType:
    return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)


def read(columns: dict[str, str], *messages: Any, defaults: bool = False) -> list[tuple[Any, ...]]:
    arrays = MessageReader(message_type().DESCRIPTOR, row_of(columns), defaults=defaults).columns(messages)
    return list(zip(*(array.to_pylist() for array in arrays), strict=True))


def written(columns: dict[str, str], *rows: tuple[Any, ...], null_text: str = "") -> list[Any]:
    row_type = row_of(columns)
    schema = to_arrow_schema(row_type)
    batch = pa.RecordBatch.from_arrays([pa.array([row[i] for row in rows], f.type) for i, f in enumerate(schema)], schema=schema)
    return [message_type().FromString(data) for data in MessageWriter(message_type(), row_type, null_text=null_text).messages(batch)]


def test_every_kind_of_number_and_text_is_read_as_it_was_written() -> None:
    columns = {name: type_ for name, (_, type_, _) in PLAIN.items()}
    row = tuple(value for _, _, value in PLAIN.values())
    assert read(columns, *written(columns, row)) == [row]


def test_a_field_that_is_not_set_is_its_default_and_null_where_the_message_knows_the_difference() -> None:
    columns = {"i32": "INT", "s": "STRING", "e": "STRING", "l": "ARRAY<INT>", "m": "MAP<STRING, INT>", "o": "INT", "r": "ROW<q INT>"}
    empty = message_type()()
    assert read(columns, empty) == [(0, "", "A", [], [], None, None)]
    assert read(columns, empty, defaults=True) == [(0, "", "A", [], [], 0, None)]
    assert read({"o": "INT", "r": "ROW<q INT>"}, message_type()(o=0, r={})) == [(0, {"q": 0})]


def test_null_leaves_a_field_out() -> None:
    (message,) = written({"i32": "INT", "o": "INT", "r": "ROW<q INT>", "l": "ARRAY<INT>"}, (None, None, None, None))
    assert message == message_type()()


def test_a_row_of_nulls_is_a_message_that_is_there() -> None:
    (message,) = written({"r": "ROW<q INT>"}, ({"q": None},))
    assert message.HasField("r")


def test_null_in_arrays_and_maps_is_the_default_of_the_type() -> None:
    columns = {"l": "ARRAY<INT>", "texts": "ARRAY<STRING>", "m": "MAP<STRING, INT>", "rows": "ARRAY<ROW<q INT>>"}
    messages = written(columns, ([1, None], ["a", None], [("k", None)], [{"q": 1}, None]), null_text="none")
    assert read(columns, *messages) == [([1, 0], ["a", "none"], [("k", 0)], [{"q": 1}, {"q": 0}])]


def test_messages_in_maps_are_rows() -> None:
    columns = {"mm": "MAP<STRING, ROW<q INT>>"}
    assert read(columns, *written(columns, ([("a", {"q": 1}), ("b", None)],))) in (
        [([("a", {"q": 1}), ("b", {"q": 0})],)],
        [([("b", {"q": 0}), ("a", {"q": 1})],)],
    )


def test_an_enum_is_its_name_or_its_number() -> None:
    messages = written({"e": "STRING"}, ("B",))
    messages[0].e = 1
    assert read({"e": "STRING"}, *messages) == [("B",)]
    assert read({"e": "INT"}, *messages) == [(1,)]
    assert read({"e": "STRING"}, message_type()(e=9)) == [("9",)]


def test_a_name_that_the_enum_does_not_have_is_an_error() -> None:
    with pytest.raises(TableRuntimeException, match="Column 'e': 'C' does not fit its Protobuf field"):
        written({"e": "STRING"}, ("C",))


def test_a_negative_number_does_not_fit_a_field_without_a_sign() -> None:
    with pytest.raises(TableRuntimeException, match="Column 'u64': -1 does not fit its Protobuf field"):
        written({"u64": "BIGINT"}, (-1,))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"u64": "BIGINT"}, {"u64": 2**63}),
        ({"u32": "INT"}, {"u32": 2**31}),
        ({"x32": "INT"}, {"x32": 2**32 - 1}),
    ],
)
def test_a_number_without_a_sign_that_is_too_large_is_an_error(columns: dict[str, str], message: Any) -> None:
    (name,) = columns
    with pytest.raises(TableRuntimeException, match=f"Column '{name}': a value of its Protobuf field does not fit {columns[name]}"):
        read(columns, message_type()(**message))


@pytest.mark.parametrize(
    ("column", "type_", "named"),
    [
        ("i64", "INT", "int64"),
        ("i32", "SMALLINT", "int32"),
        ("s", "BYTES", "string"),
        ("y", "STRING", "bytes"),
        ("d", "FLOAT", "double"),
        ("b", "INT", "bool"),
        ("e", "SMALLINT", r"p\.Kind"),
        ("e", "BOOLEAN", r"p\.Kind"),
        ("r", "STRING", r"p\.Inner"),
        ("l", "INT", "repeated int32"),
        ("rows", "ARRAY<INT>", r"repeated p\.Inner"),
        ("m", "ARRAY<INT>", r"repeated p\.Every\.MEntry"),
        ("m", "MAP<STRING, STRING>", "int32"),
        ("mm", "MAP<STRING, INT>", r"p\.Inner"),
    ],
)
def test_a_column_of_another_type_is_refused_for_reading_and_writing(column: str, type_: str, named: str) -> None:
    expected = rf"^Column .* is .*, but the Protobuf field is {named}\."
    with pytest.raises(TableException, match=expected):
        MessageReader(message_type().DESCRIPTOR, row_of({column: type_}), defaults=False)
    with pytest.raises(TableException, match=expected):
        MessageWriter(message_type(), row_of({column: type_}), null_text="")


def test_a_field_inside_of_a_row_that_does_not_exist_is_refused_with_its_message_type() -> None:
    with pytest.raises(ValidationException, match=r"Column 'qq' does not exist in the Protobuf message type 'p\.Inner'\. Did you mean 'q'"):
        MessageReader(message_type().DESCRIPTOR, row_of({"rows": "ARRAY<ROW<qq INT>>"}), defaults=False)
