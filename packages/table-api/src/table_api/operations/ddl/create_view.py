"""Creating views."""

from __future__ import annotations

from table_api.operations.operation import Operation
from table_common.catalog import CatalogView, ObjectIdentifier
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CreateViewOperation(Operation):
    """``CREATE [OR REPLACE] [TEMPORARY] VIEW [IF NOT EXISTS]``: the view with all names in its query expanded and its schema known."""

    identifier: ObjectIdentifier
    catalog_view: CatalogView
    ignore_if_exists: bool = False
    is_temporary: bool = False
    replace: bool = False
