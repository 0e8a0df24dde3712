"""Operators that write, in batch and streaming mode: through connectors, to files, and to the reader of a query."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .sink: write_to
    .staged_files: StagedFiles
    """,
)
