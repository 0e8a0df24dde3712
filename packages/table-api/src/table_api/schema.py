"""Names of ``pyflink.table.schema``."""

from table_common.catalog import Schema

__all__ = ["Schema"]
