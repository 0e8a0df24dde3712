"""Factories: discovery by entry point and validation of options."""

from table_common.factories.catalog import CatalogFactory
from table_common.factories.factory import Factory, install_hint
from table_common.factories.format import FormatFactory
from table_common.factories.option_validation import validate_options
from table_common.factories.table import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory

__all__ = [
    "CatalogFactory",
    "DynamicTableFactory",
    "DynamicTableSinkFactory",
    "DynamicTableSourceFactory",
    "Factory",
    "FormatFactory",
    "install_hint",
    "validate_options",
]
