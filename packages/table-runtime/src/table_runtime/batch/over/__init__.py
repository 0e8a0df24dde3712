"""Window functions (OVER): rows sorted into partitions, frames as ranges of positions, one file per family of functions."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .frames: Bound Frame Frames make_frames
    .sorted_rows: SortedRows
    .window_function: WindowFunction
    """,
)
