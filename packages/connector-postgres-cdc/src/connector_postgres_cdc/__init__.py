"""The connector ``postgres-cdc``: tables of PostgreSQL and their changes, over an ordinary connection. It depends on ``table_common`` and ``connector_jdbc`` only."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .factory: PostgresCdcTableFactory
    .source: PostgresCdcTableSource
    """,
)
