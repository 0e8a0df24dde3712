"""Names of ``pyflink.table.statement_set``."""

from table_api.tables.statement_set import StatementSet

__all__ = ["StatementSet"]
