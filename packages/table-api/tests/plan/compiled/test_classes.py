"""The classes of compiled plans and their names."""

from __future__ import annotations

from table_api.operations import FilterQueryOperation, SinkModifyOperation
from table_api.plan.compiled.classes import CLASSES, ENUMS, short_name


def test_query_operations_are_written_without_their_suffix() -> None:
    assert short_name(FilterQueryOperation) == "Filter"
    assert short_name(SinkModifyOperation) == "SinkModifyOperation"


def test_each_class_is_found_by_its_name() -> None:
    assert all(CLASSES[short_name(cls)] is cls for cls in CLASSES.values())
    assert all(ENUMS[cls.__name__] is cls for cls in ENUMS.values())
