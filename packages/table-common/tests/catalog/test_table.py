from __future__ import annotations

import pickle

import pytest

from table_common.catalog import CatalogTable, CatalogView, ResolvedCatalogTable, ResolvedSchema, Schema

TABLE = CatalogTable(Schema(), "text", {"connector": "x"}, partition_keys=("day",))


def test_a_copy_has_other_options_and_the_same_rest() -> None:
    copy = TABLE.copy({"connector": "y"})
    assert dict(copy.options) == {"connector": "y"}
    assert (copy.comment, copy.partition_keys) == ("text", ("day",))
    assert TABLE.copy() == TABLE


def test_options_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        TABLE.options["connector"] = "y"  # type: ignore[index]  # a mapping that cannot be changed


def test_options_are_a_copy_of_those_given() -> None:
    options = {"connector": "x"}
    table = CatalogTable(Schema(), None, options)
    options["connector"] = "y"
    assert table.options["connector"] == "x"


def test_tables_and_views_survive_pickling() -> None:
    view = CatalogView(Schema(), None, {}, "SELECT 1", "SELECT 1")
    assert pickle.loads(pickle.dumps((TABLE, view))) == (TABLE, view)


def test_a_resolved_table_shows_options_keys_and_comment_of_its_origin() -> None:
    resolved = ResolvedCatalogTable(TABLE, ResolvedSchema(()))
    assert (dict(resolved.options), resolved.partition_keys, resolved.comment) == ({"connector": "x"}, ("day",), "text")


def test_secret_options_are_not_shown() -> None:
    assert "hunter2" not in repr(CatalogTable(Schema(), None, {"password": "hunter2"}))
