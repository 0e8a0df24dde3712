"""The SQL front end: text to syntax tree to operations."""

from table_api.sql.parser import expected_tokens, parse_expression, parse_script, parse_statement, split_statements

__all__ = ["expected_tokens", "parse_expression", "parse_script", "parse_statement", "split_statements"]
