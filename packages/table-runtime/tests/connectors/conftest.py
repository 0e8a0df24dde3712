"""Tables as connectors are given them by an engine, without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema, UniqueConstraint
from table_common.configuration import ReadableConfig
from table_common.factories import DynamicTableFactory
from table_common.types import parse_logical_type

TableContext = Callable[..., DynamicTableFactory.Context]


@pytest.fixture
def table() -> TableContext:
    """Gives a function that returns the context of the table c.d.t with these columns and options."""

    def make(
        columns: Mapping[str, str],
        options: Mapping[str, str] | None = None,
        partition_keys: tuple[str, ...] = (),
        key: tuple[str, ...] = (),
    ) -> DynamicTableFactory.Context:
        physical = ResolvedSchema.physical([(name, parse_logical_type(text)) for name, text in columns.items()])
        schema = ResolvedSchema(physical.columns, primary_key=UniqueConstraint("pk", key) if key else None)
        table = ResolvedCatalogTable(CatalogTable(Schema(()), options=dict(options or {}), partition_keys=partition_keys), schema)
        return DynamicTableFactory.Context(ObjectIdentifier("c", "d", "t"), table, ReadableConfig())

    return make
