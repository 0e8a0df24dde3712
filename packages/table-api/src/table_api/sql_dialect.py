"""Names of ``pyflink.table.sql_dialect``."""

from table_api.table_config import SqlDialect

__all__ = ["SqlDialect"]
