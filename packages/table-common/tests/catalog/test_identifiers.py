"""Tests for table_common.catalog.identifiers."""

from __future__ import annotations

import pytest

from table_common.catalog import ObjectIdentifier, ObjectPath
from table_common.exceptions import ValidationException


def test_paths_have_getters_and_an_order() -> None:
    path = ObjectPath.from_string("db.t")
    assert (path.get_database_name(), path.get_object_name(), path.get_full_name()) == ("db", "t", "db.t")
    assert f"{path}" == "db.t"
    assert [path.compare_to(other) for other in (ObjectPath("db", "s"), path, ObjectPath("e", "a"))] == [1, 0, -1]
    for wrong in ("t", "c.db.t", ".t", ""):
        with pytest.raises(ValidationException, match="is not a path in a catalog"):
            ObjectPath.from_string(wrong)


def test_identifiers_have_getters() -> None:
    identifier = ObjectIdentifier.of("c", "db", "t")
    assert (identifier.get_catalog_name(), identifier.get_database_name(), identifier.get_object_name()) == ("c", "db", "t")
    assert (identifier.to_list(), identifier.to_object_path()) == (["c", "db", "t"], ObjectPath("db", "t"))
