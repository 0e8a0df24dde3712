"""Support for tests of connectors, formats, catalogs, modules and engines: compliance suites to subclass (those of connectors and formats need the extra ``arrow``), and strategies (hypothesis)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_testing.catalog_compliance import CatalogCompliance
    from table_testing.connector_case import ConnectorCase, read_rows, write_rows
    from table_testing.file_format_compliance import FileFormatCompliance
    from table_testing.lookup_compliance import LookupCompliance
    from table_testing.module_compliance import ModuleCompliance
    from table_testing.offset_compliance import OffsetCompliance
    from table_testing.sink_compliance import SinkCompliance
    from table_testing.source_compliance import SourceCompliance
    from table_testing.sql_compliance import SqlCompliance

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
        "table_testing.catalog_compliance": ("CatalogCompliance",),
        "table_testing.connector_case": ("ConnectorCase", "read_rows", "write_rows"),
        "table_testing.file_format_compliance": ("FileFormatCompliance",),
        "table_testing.lookup_compliance": ("LookupCompliance",),
        "table_testing.module_compliance": ("ModuleCompliance",),
        "table_testing.offset_compliance": ("OffsetCompliance",),
        "table_testing.sink_compliance": ("SinkCompliance",),
        "table_testing.source_compliance": ("SourceCompliance",),
        "table_testing.sql_compliance": ("SqlCompliance",),
    },
)
