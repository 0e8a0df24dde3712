"""Messages to rows: keys, values, metadata, deletions."""

from __future__ import annotations

import pytest
from kafka_brokers import new_topic, produce
from kafka_tables import all_rows, case_of, options_of, source_of

from table_common.connector import RowKind
from table_common.exceptions import TableRuntimeException

UPSERT = case_of("id BIGINT NOT NULL, name STRING NOT NULL", ("id",))
AFTER, DELETE = RowKind.UPDATE_AFTER.value, RowKind.DELETE.value


def test_columns_of_the_key_come_from_it_if_the_value_has_them_not() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"id": "v"}'], key=b"1")
    produce("tansu", topic, [b'{"id": "w"}'])
    produce("tansu", topic, [None], key=b"3")
    options = options_of("tansu", topic, key__format="csv", key__fields="k_id", key__fields_prefix="k_", value__fields_include="EXCEPT_KEY")
    assert all_rows(source_of(case_of("id STRING, k_id INT"), options)) == [("v", 1), ("w", None)]


def test_a_message_without_value_deletes_its_key_and_keeps_its_place() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"id": 1, "name": "a"}', None, b'{"id": 1, "name": "b"}'], key=b'{"id": 1}')
    produce("tansu", topic, [None], key=b'{"id": 2}')
    rows = all_rows(source_of(UPSERT, options_of("tansu", topic, is_upsert=True)))
    assert rows == [(1, "a", AFTER), (1, None, DELETE), (1, "b", AFTER), (2, None, DELETE)]


def test_deletions_keep_their_keys_where_values_cannot_be_read() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b"no JSON", None, b'{"id": 1, "name": "b"}'], key=b'{"id": 1}')
    options = options_of("tansu", topic, is_upsert=True, value__json__ignore_parse_errors="true")
    assert all_rows(source_of(UPSERT, options)) == [(1, None, DELETE), (1, "b", AFTER)]


def test_a_row_without_key_is_named() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"id": 1, "name": "a"}'], key=b'{"id": 1}')
    produce("tansu", topic, [None])
    with pytest.raises(TableRuntimeException, match=f"Topic '{topic}', partition 0, offset 1 has no key") as caught:
        all_rows(source_of(UPSERT, options_of("tansu", topic, is_upsert=True)))
    assert "'kafka'" in (caught.value.hint or "")


def test_a_key_that_cannot_be_read_is_named() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"name": "a"}'], key=b"no JSON")
    options = options_of("tansu", topic, is_upsert=True, value__fields_include="EXCEPT_KEY")
    with pytest.raises(TableRuntimeException, match=f"Topic '{topic}', partition 0, offset 0, key: no JSON"):
        all_rows(source_of(UPSERT, options))


def test_the_first_of_many_rows_without_key_is_named() -> None:
    topic = new_topic("tansu", 1)
    produce("tansu", topic, [b'{"id": 1, "name": "a"}'] * 1_234, key=b'{"id": 1}')
    produce("tansu", topic, [None, None])
    with pytest.raises(TableRuntimeException, match=f"Topic '{topic}', partition 0, offset 1234 has no key"):
        all_rows(source_of(UPSERT, options_of("tansu", topic, is_upsert=True)))


def test_deletions_among_many_messages_keep_their_places() -> None:
    topic = new_topic("tansu", 1)
    expected = []
    for number in range(30):
        key = b'{"id": %d}' % number
        produce("tansu", topic, [b'{"id": %d, "name": "a"}' % number] * 99, key=key)
        produce("tansu", topic, [None], key=key)
        expected += [(number, "a", AFTER)] * 99 + [(number, None, DELETE)]
    assert all_rows(source_of(UPSERT, options_of("tansu", topic, is_upsert=True))) == expected
