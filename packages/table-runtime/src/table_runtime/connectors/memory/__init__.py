"""The connector ``memory``: tables of Arrow data in the memory of the process, with all abilities of the SPI for batch jobs."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .factory: MemoryTableFactory
    .tables: drop_memory_table put_memory_table read_memory_table
    """,
)
