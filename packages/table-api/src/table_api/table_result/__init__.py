"""What a statement gives back."""

from table_api.table_result.closeable_iterator import CloseableIterator
from table_api.table_result.result import Job, ResultKind, TableResult
from table_api.table_result.result_row import ResultRow

__all__ = ["CloseableIterator", "Job", "ResultKind", "ResultRow", "TableResult"]
