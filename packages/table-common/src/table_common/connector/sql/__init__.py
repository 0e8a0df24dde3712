"""The base of connectors for SQL databases: a table with its dialect, and sources and sinks over it."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .conditions: condition_sql
    .query: SqlQuery
    .quoting: conflict_clause quote_name quote_text where_clause
    .sink: SqlTableSink
    .source: SqlTableSource
    .table: SqlTable
    """,
)
