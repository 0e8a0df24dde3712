"""Errors of catalogs have the classes that programs of PyFlink catch."""

from __future__ import annotations

import pickle

import pytest

from table_common import catalog_exceptions
from table_common.exceptions import CatalogException, TableError, ValidationException, WrongKindException


@pytest.mark.parametrize("name", catalog_exceptions.__all__)
def test_each_is_a_catalog_exception_and_survives_pickle(name: str) -> None:
    error = getattr(catalog_exceptions, name)("It is so.", hint="Do that.")
    assert isinstance(error, CatalogException)
    restored = pickle.loads(pickle.dumps(error))
    assert (type(restored), str(restored)) == (type(error), "It is so.\nhint: Do that.")


def test_missing_objects_are_listed() -> None:
    error = catalog_exceptions.TableNotExistException.unknown("Table", "oders", ["orders"], where="c.d")
    assert type(error) is catalog_exceptions.TableNotExistException
    assert error.message == "Table 'oders' does not exist in c.d. Did you mean 'orders'? Available: orders."


def test_python_s_own_classes_catch_what_is_invalid() -> None:
    assert issubclass(ValidationException, (TableError, ValueError))
    assert not issubclass(ValidationException, TypeError)
    assert issubclass(WrongKindException, ValidationException)
    assert issubclass(WrongKindException, TypeError)
