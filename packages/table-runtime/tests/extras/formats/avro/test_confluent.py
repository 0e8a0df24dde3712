from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_runtime.formats import file_format
from table_runtime.formats.avro.confluent import AvroConfluentDecoder, AvroConfluentFormatFactory
from table_runtime.formats.avro.schema_registry import SchemaRegistry

COLUMNS = {"id": "INT NOT NULL", "s": "STRING"}


class OneSchema(SchemaRegistry):
    """A registry that is handed over."""

    def schema(self, number: int) -> str:
        return json.dumps({"type": "record", "name": "r", "fields": [{"name": "s", "type": "string"}, {"name": "id", "type": "int"}]})

    def register(self, subject: str, schema: str) -> int:
        return 1


def test_messages_carry_the_number_under_which_their_schema_is_registered(tmp_path: Path, batches: Any) -> None:
    options = {"url": tmp_path.as_uri(), "subject": "t-value"}
    first = batches.encode(AvroConfluentFormatFactory(), COLUMNS, [(1, "a")], **options)
    second = batches.encode(AvroConfluentFormatFactory(), {**COLUMNS, "n": "DOUBLE"}, [(2, "b", 1.5)], **options)
    again = batches.encode(AvroConfluentFormatFactory(), COLUMNS, [(3, "c")], **options)
    assert [messages[0].as_py()[:5] for messages in (first, second, again)] == [b"\0\0\0\0\1", b"\0\0\0\0\2", b"\0\0\0\0\1"]


def test_messages_of_several_schemas_come_out_in_their_order(tmp_path: Path, batches: Any) -> None:
    options = {"url": tmp_path.as_uri(), "subject": "t-value"}
    old = batches.encode(AvroConfluentFormatFactory(), COLUMNS, [(1, "a"), (3, "c")], **options)
    new = batches.encode(AvroConfluentFormatFactory(), {"n": "DOUBLE", **COLUMNS}, [(1.5, 2, "b")], **options)
    decoder = pickle.loads(pickle.dumps(batches.decoder(AvroConfluentFormatFactory(), COLUMNS, url=options["url"])))
    decoder.open()
    result = decoder.decode(pa.array([old[0].as_py(), new[0].as_py(), None, old[1].as_py()]))
    assert result.rows.column("id").to_pylist() == [1, 2, 3]
    assert result.positions.to_pylist() == [0, 1, 3]


def test_a_registry_can_be_handed_over(batches: Any) -> None:
    decoder = AvroConfluentDecoder(batches.row_type(COLUMNS), batches.config({}), OneSchema())
    assert decoder.decode(pa.array([b"\0\0\0\0\7\x02x\x0e"])).rows.to_pylist() == [{"id": 7, "s": "x"}]


@pytest.mark.parametrize(("message", "text"), [(b"x", "does not begin with a zero"), (b"\0\0\0\0\x09", "schema 9 is not in the registry")])
def test_a_message_without_a_known_schema_is_an_error(tmp_path: Path, batches: Any, message: bytes, text: str) -> None:
    with pytest.raises(TableRuntimeException, match=text):
        batches.decoder(AvroConfluentFormatFactory(), COLUMNS, url=tmp_path.as_uri()).decode(pa.array([message]))


def test_the_address_of_the_registry_is_checked_with_the_options() -> None:
    with pytest.raises(ValidationException, match=r"avro-confluent.url"):
        AvroConfluentFormatFactory().validate({"url": "ftp://x"})


def test_files_cannot_be_of_a_format_whose_messages_have_no_end() -> None:
    with pytest.raises(TableException, match="are not delimited"):
        file_format("avro-confluent")


def test_records_without_fields_are_rows(tmp_path: Path, batches: Any) -> None:
    options = {"url": tmp_path.as_uri(), "subject": "t-value"}
    batches.encode(AvroConfluentFormatFactory(), {}, [], **options)  # registers the schema
    empty = b"\0\0\0\0\1"
    (full,) = batches.encode(AvroConfluentFormatFactory(), {"s": "STRING"}, [("a",)], **options).to_pylist()
    for columns, rows in (({}, [{}, {}, {}]), ({"s": "STRING"}, [{"s": None}, {"s": "a"}, {"s": None}])):
        result = batches.decoder(AvroConfluentFormatFactory(), columns, url=options["url"]).decode(
            pa.array([empty, full, None, b"", empty])
        )
        assert (result.rows.to_pylist(), result.positions.to_pylist()) == (rows, [0, 1, 4])
