"""Rows and values as programs and connectors hold them."""

from table_common.connector.changelog_mode import RowKind
from table_common.data.row import Row

__all__ = ["Row", "RowKind"]
