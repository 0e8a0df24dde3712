from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from table_common.connector import (
    ArrowSinkProvider,
    CommitContext,
    SinkCommitter,
    SinkWriter,
    WriterContext,
    message_from_json,
    message_to_json,
)
from table_common.exceptions import TableException, TableRuntimeException
from table_common.frozen_dataclass import dataclass as frozen_dataclass


@frozen_dataclass(frozen=True, slots=True)
class Inner:
    name: str
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outer:
    file: str | None
    rows: Mapping[int, int]
    by_name: dict[str, list[float]]
    inner: Inner | None
    others: Sequence[Inner]
    is_last: bool


MESSAGE = Outer("a", {0: 7, 12: 1}, {"x": [1.5, 2]}, Inner("i", (1, 2)), [Inner("j")], True)


class Provider(ArrowSinkProvider):
    def __init__(self, class_: type | None) -> None:
        self._class = class_

    @property
    def message_class(self) -> type | None:
        return self._class

    def create_writer(self, context: WriterContext) -> SinkWriter:
        raise NotImplementedError

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        raise NotImplementedError


def stored(provider: ArrowSinkProvider, message: Any) -> Any:
    return message_from_json(provider, json.loads(json.dumps(message_to_json(provider, message))))


@pytest.mark.parametrize("message", [MESSAGE, Outer(None, {}, {}, None, [], False)])
def test_a_message_of_a_declared_class_is_read_as_it_was_written(message: Outer) -> None:
    assert stored(Provider(Outer), message) == message


@pytest.mark.parametrize("message", [None, True, 2**70, 1.5, "é\0", [], {"a": [{"b": None}]}])
def test_a_json_value_is_read_as_it_was_written(message: object) -> None:
    assert stored(Provider(None), message) == message


def test_a_tuple_is_a_list() -> None:
    assert stored(Provider(None), (1, ())) == [1, []]


@pytest.mark.parametrize(
    ("class_", "message", "where"),
    [
        (None, b"x", "'message' is of the class bytes"),
        (None, {"a": [1, {2}]}, r"'message\['a'\]\[1\]' is of the class set"),
        (None, {1: 2}, "'message' is of the class dict with other keys than texts"),
        (None, MESSAGE, "'message' is of the class Outer"),
        (Inner, "x", "'message' is of the class str"),
        (Inner, Inner("a", (1, "2")), r"'message.sizes\[1\]' is of the class str"),  # type: ignore[arg-type]
        (Inner, Inner(None), "'message.name' is of the class NoneType"),  # type: ignore[arg-type]
        (Inner, Inner("a", (True,)), r"'message.sizes\[0\]' is of the class bool"),
    ],
)
def test_a_message_without_written_form_is_refused(class_: type | None, message: object, where: str) -> None:
    with pytest.raises(TableException, match=f"Provider's writer gives for the commit has no written form: {where}") as raised:
        message_to_json(Provider(class_), message)
    assert "A message is a JSON value" in str(raised.value)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("gASVAAAA", "'message' is 'gASVAAAA'"),
        ({"name": "a"}, "'message' has no 'sizes'"),
        ({"name": "a", "sizes": [], "more": 1}, "'message' has 'more', which is unknown"),
        ({"name": 7, "sizes": []}, "'message.name' is 7"),
        ({"name": "a", "sizes": ["b"]}, r"'message.sizes\[0\]' is 'b'"),
        ({"name": "a", "sizes": {}}, "'message.sizes' is {}"),
    ],
)
def test_what_is_not_a_message_of_the_class_is_refused(value: object, problem: str) -> None:
    with pytest.raises(TableRuntimeException, match=f"A stored message is not one of Provider: {problem}"):
        message_from_json(Provider(Inner), value)


def test_a_key_that_is_no_number_is_refused() -> None:
    value = message_to_json(Provider(Outer), MESSAGE)
    with pytest.raises(TableRuntimeException, match=r"a key of 'message.rows' is no int"):
        message_from_json(Provider(Outer), {**value, "rows": {"x": 1}})


@dataclass(frozen=True)
class Unwritable:
    rows: set[int]


def test_a_field_without_written_form_is_an_error_of_the_class() -> None:
    with pytest.raises(TableException, match=r"a field with the annotation set\[int\], which has no written form"):
        message_to_json(Provider(Unwritable), Unwritable({1}))
