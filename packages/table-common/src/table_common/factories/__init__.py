"""Factories: discovery by entry point and validation of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.factories.catalog import CatalogFactory
    from table_common.factories.catalog_store import CatalogStoreFactory
    from table_common.factories.factory import Factory, install_hint
    from table_common.factories.factory_util import FactoryUtil
    from table_common.factories.format import DeserializationFormatFactory, FileFormatFactory, FormatFactory, SerializationFormatFactory
    from table_common.factories.option_validation import validate_options
    from table_common.factories.table import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory, InferredSchema
    from table_common.factories.watermark_params import WatermarkOptions, WatermarkParams

__all__ = [
    "CatalogFactory",
    "CatalogStoreFactory",
    "DeserializationFormatFactory",
    "DynamicTableFactory",
    "DynamicTableSinkFactory",
    "DynamicTableSourceFactory",
    "Factory",
    "FactoryUtil",
    "FileFormatFactory",
    "FormatFactory",
    "InferredSchema",
    "SerializationFormatFactory",
    "WatermarkOptions",
    "WatermarkParams",
    "install_hint",
    "validate_options",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.factories.catalog": ("CatalogFactory",),
        "table_common.factories.catalog_store": ("CatalogStoreFactory",),
        "table_common.factories.factory": ("Factory", "install_hint"),
        "table_common.factories.factory_util": ("FactoryUtil",),
        "table_common.factories.format": (
            "DeserializationFormatFactory",
            "FileFormatFactory",
            "FormatFactory",
            "SerializationFormatFactory",
        ),
        "table_common.factories.option_validation": ("validate_options",),
        "table_common.factories.table": ("DynamicTableFactory", "DynamicTableSinkFactory", "DynamicTableSourceFactory", "InferredSchema"),
        "table_common.factories.watermark_params": ("WatermarkOptions", "WatermarkParams"),
    },
)
