"""Names of ``pyflink.table.result_kind``."""

from table_api.table_result import ResultKind

__all__ = ["ResultKind"]
