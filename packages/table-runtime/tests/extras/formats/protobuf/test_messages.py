from __future__ import annotations

import base64
import pickle
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2

from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_runtime.formats.protobuf.factory import ProtobufFormatFactory

COLUMNS = {
    "id": "BIGINT",
    "s": "STRING",
    "one": "ROW<q INT>",
    "many": "ARRAY<ROW<q INT>>",
    "e": "STRING",
    "m": "MAP<STRING, DOUBLE>",
    "l": "ARRAY<STRING>",
}
ROWS = [(1, "x", {"q": 3}, [{"q": 1}, {"q": 2}], "B", [("k", 1.5)], ["a", "b"]), (2, "", None, [], "A", [], [])]


def descriptors() -> str:
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="order.proto", package="shop", syntax="proto3")
    kind = file.enum_type.add(name="Kind")
    kind.value.add(name="A", number=0)
    kind.value.add(name="B", number=1)
    file.message_type.add(name="Item").field.add(name="q", number=1, type=5, label=1)
    order = file.message_type.add(name="Order")
    order.field.add(name="id", number=1, type=3, label=1)
    order.field.add(name="s", number=2, type=9, label=1)
    order.field.add(name="one", number=3, type=11, type_name=".shop.Item", label=1)
    order.field.add(name="many", number=4, type=11, type_name=".shop.Item", label=3)
    order.field.add(name="e", number=5, type=14, type_name=".shop.Kind", label=1)
    order.field.add(name="m", number=6, type=11, type_name=".shop.Order.MEntry", label=3)
    order.field.add(name="l", number=7, type=9, label=3)
    entry = order.nested_type.add(name="MEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=9, label=1)
    entry.field.add(name="value", number=2, type=1, label=1)
    return base64.b64encode(files.SerializeToString()).decode()


OPTIONS = {"message_class_name": "shop.Order", "descriptor_set": descriptors()}


def test_rows_become_messages_and_rows_again(batches: Any) -> None:
    messages = batches.encode(ProtobufFormatFactory(), COLUMNS, ROWS, **OPTIONS)
    decoder = pickle.loads(pickle.dumps(batches.decoder(ProtobufFormatFactory(), COLUMNS, **OPTIONS)))
    assert decoder.decode(messages).rows.equals(batches.batch(COLUMNS, ROWS))


def test_a_broken_message_is_an_error_or_is_counted(batches: Any) -> None:
    broken = pa.array([b"\xff\xff", b""])
    with pytest.raises(TableRuntimeException, match=r"Message 1 is not a shop.Order: .* begins with 0xffff"):
        batches.decoder(ProtobufFormatFactory(), {"id": "BIGINT"}, **OPTIONS).decode(broken)
    result = batches.decoder(ProtobufFormatFactory(), {"id": "BIGINT"}, ignore_parse_errors="true", **OPTIONS).decode(broken)
    assert (result.rows.to_pylist(), result.ignored) == ([{"id": 0}], 1)


def test_a_message_type_that_does_not_exist_is_refused_with_the_closest() -> None:
    with pytest.raises(ValidationException, match=r"Did you mean 'shop.Order'"):
        ProtobufFormatFactory().validate({"message-class-name": "shop.Ordr", "descriptor-set": descriptors()})


def test_a_column_without_a_field_is_refused(batches: Any) -> None:
    with pytest.raises(ValidationException, match="Column 'idd' does not exist"):
        batches.decoder(ProtobufFormatFactory(), {"idd": "INT"}, **OPTIONS)


def test_a_column_of_another_type_is_refused_with_both_types(batches: Any) -> None:
    with pytest.raises(TableException, match=r"Column 'many' is INT, but the Protobuf field is repeated shop.Item"):
        batches.decoder(ProtobufFormatFactory(), {"many": "INT"}, **OPTIONS)
