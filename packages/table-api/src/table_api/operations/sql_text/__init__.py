"""Queries of the plan as SQL with full names, which our parser reads back to the same query; a file for each family of nodes."""

from table_api.operations.sql_text.printer import FunctionNames, query_text

__all__ = ["FunctionNames", "query_text"]
