"""The contract of catalogs whose functions or models can be changed."""

from __future__ import annotations

from pathlib import Path

from table_common.catalog import CatalogFunction, CatalogModel, ObjectPath, ResolvedSchema
from table_common.types import parse_logical_type
from table_testing.catalog_case import MISSING, CatalogCase, fails, try_to_change

_FUNCTION = CatalogFunction("package.module.Function", "PYTHON", "what it's for ✓")
_OTHER = CatalogFunction("package.Other")


class CatalogFunctionCompliance(CatalogCase):
    """Does nothing where users cannot change functions and models."""

    def test_functions_keep_all_they_were_created_with(self, tmp_path: Path) -> None:
        if not self.changes("functions"):
            return
        with self.opened(tmp_path) as catalog:
            database = self.database(catalog)
            path, other = ObjectPath(database, "f"), ObjectPath(database, "g")
            catalog.create_function(path, _FUNCTION, False)
            catalog.create_function(other, _OTHER, False)
            assert catalog.function_exists(path)
            assert catalog.get_function(path) == _FUNCTION
            assert catalog.get_function(other) == _OTHER
            assert "f" in catalog.list_functions(path.database_name)

    def test_functions_keep_their_names(self, tmp_path: Path) -> None:
        if not self.changes("functions"):
            return
        with self.opened(tmp_path) as catalog:
            database = self.database(catalog)
            before = catalog.list_functions(database)
            names = sorted({name.lower() for name in self.names})
            for name in names:
                catalog.create_function(ObjectPath(database, name), CatalogFunction("module.Function", description=name), False)
            assert catalog.list_functions(database) == sorted([*before, *names])
            for name in names:
                assert catalog.get_function(ObjectPath(database, name)).description == name
                catalog.drop_function(ObjectPath(database, name), False)
            assert catalog.list_functions(database) == before

    def test_a_function_that_exists_is_not_created_again(self, tmp_path: Path) -> None:
        if not self.changes("functions"):
            return
        with self.opened(tmp_path) as catalog:
            path = ObjectPath(self.database(catalog), "present")
            catalog.create_function(path, _FUNCTION, False)
            fails("present", catalog.create_function, path, _OTHER, False)
            catalog.create_function(path, _OTHER, True)
            assert catalog.get_function(path) == _FUNCTION

    def test_a_function_needs_its_database(self, tmp_path: Path) -> None:
        if not self.changes("functions"):
            return
        with self.opened(tmp_path) as catalog:
            fails(MISSING, catalog.create_function, ObjectPath(MISSING, "f"), _FUNCTION, False)
            fails(MISSING, catalog.create_function, ObjectPath(MISSING, "f"), _FUNCTION, True)

    def test_functions_are_altered_and_dropped(self, tmp_path: Path) -> None:
        if not self.changes("functions"):
            return
        with self.opened(tmp_path) as catalog:
            path = ObjectPath(self.database(catalog), "f")
            other = ObjectPath(self.database(catalog, "second_db"), "f" if self.changes("databases") else "g")
            for one in (path, other):
                catalog.create_function(one, _FUNCTION, False)
            catalog.alter_function(path, _OTHER, False)
            assert (catalog.get_function(path), catalog.get_function(other)) == (_OTHER, _FUNCTION)
            catalog.drop_function(path, False)
            assert (catalog.function_exists(path), catalog.function_exists(other)) == (False, True)

    def test_unknown_functions_are_changed_only_if_they_may_be_missing(self, tmp_path: Path) -> None:
        if not self.changes("functions"):
            return
        with self.opened(tmp_path) as catalog:
            for database in (self.database(catalog), MISSING):
                path = ObjectPath(database, MISSING)
                fails(MISSING, catalog.alter_function, path, _FUNCTION, False)
                fails(MISSING, catalog.drop_function, path, False)
                catalog.alter_function(path, _FUNCTION, True)
                catalog.drop_function(path, True)
                assert not catalog.function_exists(path)

    def test_models_keep_all_they_were_created_with(self, tmp_path: Path) -> None:
        if not self.changes("models"):
            return
        with self.opened(tmp_path) as catalog:
            path, model = ObjectPath(self.database(catalog), "m"), _model("what it's for ✓")
            catalog.create_model(path, model, False)
            assert catalog.model_exists(path)
            assert catalog.get_model(path) == model
            assert "m" in catalog.list_models(path.database_name)

    def test_models_are_created_altered_renamed_and_dropped(self, tmp_path: Path) -> None:
        if not self.changes("models"):
            return
        with self.opened(tmp_path) as catalog:
            database = self.database(catalog)
            path, other = ObjectPath(database, "m"), ObjectPath(database, "occupied")
            for one in (path, other):
                catalog.create_model(one, _model(one.object_name), False)
            fails("m", catalog.create_model, path, _model("x"), False)
            catalog.create_model(path, _model("x"), True)
            assert catalog.get_model(path) == _model("m")
            catalog.alter_model(path, _model("new"), False)
            assert (catalog.get_model(path), catalog.get_model(other)) == (_model("new"), _model("occupied"))
            fails("occupied", catalog.rename_model, path, "occupied", False)
            catalog.rename_model(path, "renamed", False)
            assert catalog.list_models(database) == ["occupied", "renamed"]
            assert catalog.get_model(ObjectPath(database, "renamed")) == _model("new")
            catalog.drop_model(other, False)
            assert catalog.list_models(database) == ["renamed"]

    def test_unknown_models_are_changed_only_if_they_may_be_missing(self, tmp_path: Path) -> None:
        if not self.changes("models"):
            return
        with self.opened(tmp_path) as catalog:
            path = ObjectPath(self.database(catalog), MISSING)
            fails(MISSING, catalog.alter_model, path, _model(), False)
            fails(MISSING, catalog.rename_model, path, "renamed", False)
            fails(MISSING, catalog.drop_model, path, False)
            fails(MISSING, catalog.create_model, ObjectPath(MISSING, "m"), _model(), True)
            catalog.alter_model(path, _model(), True)
            catalog.rename_model(path, "renamed", True)
            catalog.drop_model(path, True)
            assert catalog.list_models(path.database_name) == []

    def test_models_share_no_options_with_callers(self, tmp_path: Path) -> None:
        if not self.changes("models"):
            return
        with self.opened(tmp_path) as catalog:
            path, given = ObjectPath(self.database(catalog), "m"), {"provider": "x"}
            catalog.create_model(path, CatalogModel(ResolvedSchema(()), ResolvedSchema(()), given), False)
            try_to_change(given)
            found = catalog.get_model(path)
            assert isinstance(found, CatalogModel)
            assert dict(found.options) == {"provider": "x"}, "the catalog keeps the mapping that it was given"
            try_to_change(found.options)
            again = catalog.get_model(path)
            assert isinstance(again, CatalogModel)
            assert dict(again.options) == {"provider": "x"}, "the catalog returns the mapping that it keeps"


def _model(comment: str | None = None) -> CatalogModel:
    number, text = parse_logical_type("INT"), parse_logical_type("STRING")
    return CatalogModel(ResolvedSchema.physical([("n", number)]), ResolvedSchema.physical([("text", text)]), {"provider": "x"}, comment)
