"""The connector ``spark``: tables and views of a Spark session."""

from table_api_bridge.connector.factory import SparkTableFactory

__all__ = ["SparkTableFactory"]
