"""PIVOT and UNPIVOT: the nodes that they are parsed to."""

from __future__ import annotations

from table_api.sql.ast import PivotRef, Select, TableNameRef, UnpivotRef
from table_api.sql.parser import parse_statement


def source(text: str) -> object:
    query = parse_statement(f"SELECT * FROM {text}")
    assert isinstance(query, Select)
    return query.source


def test_pivot_has_aggregates_columns_and_values() -> None:
    pivot = source("t PIVOT (SUM(a) AS s FOR (b, c) IN ((1, 2) AS x, (3, 4))) AS p")
    assert isinstance(pivot, PivotRef)
    assert (pivot.input, pivot.alias, len(pivot.aggregates)) == (TableNameRef(("t",)), "p", 1)
    assert [(len(value.values), value.name) for value in pivot.values] == [(2, "x"), (2, None)]


def test_unpivot_has_value_columns_a_label_and_groups() -> None:
    unpivot = source("t UNPIVOT (v FOR label IN (a AS 'x', b))")
    assert isinstance(unpivot, UnpivotRef)
    assert (unpivot.value_names, len(unpivot.groups)) == (("v",), 2)


def test_pivot_can_be_a_name() -> None:
    assert source("unpivoted AS pivoted") == TableNameRef(("unpivoted",), alias="pivoted")
