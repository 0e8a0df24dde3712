"""Views that are defined by a plan, without SQL text."""

from __future__ import annotations

from table_api.operations import QueryOperation
from table_common.catalog import CatalogView
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True)
class QueryOperationCatalogView(CatalogView):
    """A view with the plan of its query; only a catalog in memory can keep it.

    Source: Flink's ``org.apache.flink.table.catalog.QueryOperationCatalogView``.
    """

    operation: QueryOperation | None = None
