"""The connector ``python`` takes data frames, series and NumPy's arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from table_common.arrow import to_python_rows
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema
from table_common.configuration import ReadableConfig
from table_common.connector import ScanTableSource
from table_common.factories import DynamicTableFactory
from table_common.types import BigIntType, RowType, VarCharType
from table_runtime.connectors.python import PythonTableFactory, register_callable, unregister_callable

FIELDS = [("a", BigIntType()), ("b", VarCharType())]


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    unregister_callable("frame")


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(pd.DataFrame({"b": ["x", None], "a": [1, 2]}), id="a data frame"),
        pytest.param(pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=["i", "j"]), id="a data frame with an index"),
        pytest.param([pd.DataFrame({"a": [1], "b": ["x"]}), (2, None)], id="a data frame, then a row"),
        pytest.param({"a": np.array([1, 2]), "b": pd.Series(["x", None])}, id="a dict of arrays"),
    ],
)
def test_pandas_and_numpy_are_taken(given: object) -> None:
    register_callable("frame", lambda: given)
    options = {"connector": "python", "callable": "frame"}
    table = ResolvedCatalogTable(CatalogTable(Schema(()), options=options), ResolvedSchema.physical(FIELDS))
    context = DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, ReadableConfig())
    provider = PythonTableFactory().create_dynamic_table_source(context).get_scan_runtime_provider(ScanTableSource.ScanContext())
    batches = [batch for split in provider.splits() for batch in provider.read(split)]
    assert list(to_python_rows(batches, RowType.of(FIELDS, nullable=False))) == [(1, "x"), (2, None)]
