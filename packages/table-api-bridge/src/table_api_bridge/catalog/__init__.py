"""The catalogs of a Spark session as catalogs of a table environment."""

from table_api_bridge.catalog.factory import SparkCatalogFactory
from table_api_bridge.catalog.spark_catalog import SparkCatalog

__all__ = ["SparkCatalog", "SparkCatalogFactory"]
