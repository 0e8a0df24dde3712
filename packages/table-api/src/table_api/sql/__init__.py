"""The SQL front end: text to syntax tree to operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from table_api.sql.parser import parse_expression, parse_script, parse_statement, split_statements

__all__ = ["parse_expression", "parse_script", "parse_statement", "split_statements"]


def __getattr__(name: str) -> object:
    # The syntax tree is in this package too, and those who import it need no grammar.
    if name not in __all__:
        raise AttributeError(f"module 'table_api.sql' has no attribute '{name}'")
    from table_api.sql import parser

    return getattr(parser, name)
