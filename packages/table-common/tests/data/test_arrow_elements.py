"""Arrays of an Arrow library are converted by what is registered."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.data import arrow_elements as registry
from table_common.data.arrow_elements import ArrowElements, arrow_elements, register_arrow_elements
from table_common.exceptions import TableRuntimeException
from table_common.types import LogicalType


def test_without_a_registration_the_error_says_what_to_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", [])
    with pytest.raises(TableRuntimeException, match="is not imported"):
        arrow_elements()


def test_the_last_registration_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_arrow(array: Any, element_type: LogicalType) -> list[Any]:
        return list(array)

    monkeypatch.setattr(registry, "_registered", [])
    register_arrow_elements(ArrowElements(from_arrow, lambda values, element_type, serializers: tuple(values)))
    assert arrow_elements().from_arrow is from_arrow
