"""Syntax trees to operations: names are looked up, expressions typed, options read."""

from table_api.sql.conversion.statement import convert_statement

__all__ = ["convert_statement"]
