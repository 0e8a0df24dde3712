"""The temporary files to which operators spill."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .file: SpillFile StoredBatch StoredRows
    .files: SpillFiles
    """,
)
