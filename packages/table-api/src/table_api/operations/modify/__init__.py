"""Operations that an engine executes."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .collect: CollectModifyOperation
    .row_level: DeleteOperation UpdateOperation
    .sink: SinkModifyOperation
    """,
)
