"""A view of a ``Table``, which has a plan but no SQL text."""

from __future__ import annotations

from table_api.operations import QueryOperation
from table_common.catalog import CatalogView
from table_common.frozen_dataclass import dataclass

__all__ = ["QueryOperationCatalogView"]


@dataclass(frozen=True)
class QueryOperationCatalogView(CatalogView):
    """A view that holds the plan of its query; it lives in memory only."""

    operation: QueryOperation | None = None
