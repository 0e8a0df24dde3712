"""Functions over columns and batches, which know nothing of expressions and plans."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .batches: cast_to_schema coalesce_batches make_batch rechunk
    .ordering: SortKey
    """,
)
