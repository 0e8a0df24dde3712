"""The connector ``python``: tables that read rows from a Python callable or iterable, or write rows to a callable."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .factory: PythonTableFactory
    .references: register_callable unregister_callable
    """,
)
