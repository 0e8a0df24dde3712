"""The SQL front end: it parses text to syntax trees and converts these to operations."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .parser: expected_tokens parse_expression parse_script parse_statement split_statements
    .string_completion: open_string
    """,
)
