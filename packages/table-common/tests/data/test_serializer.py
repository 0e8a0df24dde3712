from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

from table_common.data import PickleSerializer
from table_common.exceptions import TableRuntimeException


def test_the_pickle_serializer_round_trips_objects_of_its_class() -> None:
    serializer = PickleSerializer(Fraction)
    assert serializer.deserialize(serializer.serialize(Fraction(1, 2))) == Fraction(1, 2)


def test_the_pickle_serializer_refuses_other_classes() -> None:
    serializer = PickleSerializer(Fraction)
    with pytest.raises(TableRuntimeException, match="for the class Fraction, but got int"):
        serializer.serialize(1)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(TableRuntimeException, match="for the class Fraction, but got str"):
        serializer.deserialize(pickle.dumps("x"))


def test_the_pickle_serializer_refuses_bytes_that_are_no_pickle() -> None:
    with pytest.raises(TableRuntimeException, match="not a pickle of the class Fraction"):
        PickleSerializer(Fraction).deserialize(b"x")


def test_the_error_of_the_pickle_serializer_names_the_object() -> None:
    with pytest.raises(TableRuntimeException, match="cannot be pickled"):
        PickleSerializer(object).serialize(lambda: None)


def test_a_serializer_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(PickleSerializer(Fraction))) == PickleSerializer(Fraction)
