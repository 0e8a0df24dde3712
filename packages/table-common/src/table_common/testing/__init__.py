"""Support for tests of connectors, formats, catalogs, modules and engines: compliance suites to subclass (they need ``table-common[arrow]``), and strategies (hypothesis)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.testing.catalog_compliance import CatalogCompliance
    from table_common.testing.connector_case import ConnectorCase, read_rows, write_rows
    from table_common.testing.file_format_compliance import FileFormatCompliance
    from table_common.testing.lookup_compliance import LookupCompliance
    from table_common.testing.module_compliance import ModuleCompliance
    from table_common.testing.offset_compliance import OffsetCompliance
    from table_common.testing.sink_compliance import SinkCompliance
    from table_common.testing.source_compliance import SourceCompliance
    from table_common.testing.sql_compliance import SqlCompliance

__all__ = [
    "CatalogCompliance",
    "ConnectorCase",
    "FileFormatCompliance",
    "LookupCompliance",
    "ModuleCompliance",
    "OffsetCompliance",
    "SinkCompliance",
    "SourceCompliance",
    "SqlCompliance",
    "read_rows",
    "write_rows",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.testing.catalog_compliance": ("CatalogCompliance",),
        "table_common.testing.connector_case": ("ConnectorCase", "read_rows", "write_rows"),
        "table_common.testing.file_format_compliance": ("FileFormatCompliance",),
        "table_common.testing.lookup_compliance": ("LookupCompliance",),
        "table_common.testing.module_compliance": ("ModuleCompliance",),
        "table_common.testing.offset_compliance": ("OffsetCompliance",),
        "table_common.testing.sink_compliance": ("SinkCompliance",),
        "table_common.testing.source_compliance": ("SourceCompliance",),
        "table_common.testing.sql_compliance": ("SqlCompliance",),
    },
)
