from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import IntType
from table_common.types.extraction.data_type_hint import DataTypeHint, hint_of_class


def test_a_hint_without_a_type_is_empty_even_with_options() -> None:
    assert DataTypeHint().is_empty
    assert DataTypeHint(default_decimal_precision=10).is_empty
    assert not DataTypeHint("INT").is_empty
    assert not DataTypeHint(IntType()).is_empty


def test_an_unknown_version_of_the_extraction_is_refused() -> None:
    with pytest.raises(ValidationException, match="DataTypeHint does not know version 7"):
        DataTypeHint(version=7)


def test_the_hint_of_a_class_is_not_that_of_its_base() -> None:
    hint = DataTypeHint("STRING")

    @hint
    class Base:
        pass

    class Derived(Base):
        pass

    assert hint_of_class(Base) == hint
    assert hint_of_class(Derived) is None
