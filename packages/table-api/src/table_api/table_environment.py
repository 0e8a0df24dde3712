"""Names of ``pyflink.table.table_environment``."""

from table_api.environment.table_environment import TableEnvironment
from table_api.pyflink_names.stream_table_environment import StreamTableEnvironment

__all__ = ["StreamTableEnvironment", "TableEnvironment"]
