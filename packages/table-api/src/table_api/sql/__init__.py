"""The SQL front end: it parses text to syntax trees and converts these to operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.sql.parser import expected_tokens, parse_expression, parse_script, parse_statement, split_statements
    from table_api.sql.string_completion import open_string

__all__ = ["expected_tokens", "open_string", "parse_expression", "parse_script", "parse_statement", "split_statements"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.sql.parser": ("expected_tokens", "parse_expression", "parse_script", "parse_statement", "split_statements"),
        "table_api.sql.string_completion": ("open_string",),
    },
)
