"""Errors for attributes that a table does not have."""

from __future__ import annotations

import re

import pytest

from table_api import Table
from table_api.tables import unknown_attribute
from table_api.tables.unknown_attribute import unknown_attribute as error_of


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("groupBy", r"A Table has no attribute or column 'groupBy'\. Write group_by\(col\('a'\)\)\."),
        ("toPandas", r"Write to_pandas\(\)\."),
        ("prize", r"Did you mean 'price'\?"),
        ("selct", r"Did you mean 'select'\?"),
        ("zzzz", r"A Table has no attribute or column 'zzzz'$"),
        ("__dataframe__", r"A Table has no attribute or column '__dataframe__'$"),
    ],
)
def test_it_suggests_what_is_there(name: str, message: str) -> None:
    assert re.search(message, str(error_of(name, ["id", "price"], dir(Table))))


def test_counterparts_are_methods_of_tables() -> None:
    for name, counterpart in unknown_attribute._COUNTERPARTS.items():
        assert not hasattr(Table, name)
        assert counterpart.startswith("env.") or hasattr(Table, counterpart.partition("(")[0])
