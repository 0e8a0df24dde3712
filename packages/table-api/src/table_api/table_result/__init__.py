"""Results of statements."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .closeable_iterator: CloseableIterator
    .live_table: LiveTable
    .result: ResultKind TableResult
    """,
)
