from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from typing_extensions import override

from table_common.data import RawValueData, TypeSerializer
from table_common.exceptions import TableRuntimeException


class FractionSerializer(TypeSerializer[Fraction]):
    """Counts what it is asked for."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    @override
    def serialize(self, value: Fraction) -> bytes:
        self.calls.append("serialize")
        return str(value).encode()

    @override
    def deserialize(self, data: bytes) -> Fraction:
        self.calls.append("deserialize")
        return Fraction(data.decode())


def test_to_object() -> None:
    assert RawValueData[Fraction].from_bytes(b"1/2").to_object(FractionSerializer()) == Fraction(1, 2)


def test_to_object_restores_once() -> None:
    serializer = FractionSerializer()
    value = RawValueData[Fraction].from_bytes(b"1/2")
    assert value.to_object(serializer) is value.to_object(serializer)
    assert serializer.calls == ["deserialize"]


def test_to_object_needs_no_serializer_for_an_existing_object() -> None:
    serializer, fraction = FractionSerializer(), Fraction(1, 2)
    assert RawValueData.from_object(fraction).to_object(serializer) is fraction
    assert serializer.calls == []


def test_to_bytes() -> None:
    serializer = FractionSerializer()
    value = RawValueData.from_object(Fraction(1, 2))
    assert (value.to_bytes(serializer), value.to_bytes(serializer), serializer.calls) == (b"1/2", b"1/2", ["serialize"])


def test_from_object() -> None:
    assert RawValueData.from_object(Fraction(1, 2)) == RawValueData.from_object(Fraction(2, 4))


def test_values_of_equal_bytes_are_equal() -> None:
    assert RawValueData.from_bytes(b"x") == RawValueData.from_bytes(b"x")
    assert hash(RawValueData.from_bytes(b"x")) == hash(RawValueData.from_bytes(b"x"))


def test_a_value_of_bytes_is_not_equal_to_one_of_an_object() -> None:
    assert RawValueData.from_bytes(b"x") != RawValueData.from_object(b"x")


def test_a_value_of_an_object_is_not_pickled_behind_ones_back() -> None:
    with pytest.raises(TableRuntimeException, match="was not serialized"):
        pickle.dumps(RawValueData.from_object(Fraction(1, 2)))


def test_a_serialized_value_is_pickled_as_its_bytes() -> None:
    value = RawValueData.from_object(Fraction(1, 2))
    value.to_bytes(FractionSerializer())
    data = pickle.dumps(value)
    assert b"Fraction" not in data
    assert pickle.loads(data) == RawValueData.from_bytes(b"1/2")


def test_repr_shows_no_content() -> None:
    assert [repr(RawValueData.from_bytes(b"x")), repr(RawValueData.from_object(Fraction(1)))] == [
        "RawValueData(1 bytes)",
        "RawValueData(object of Fraction)",
    ]
