"""The syntax tree: queries, statements; expressions are ``table_api.expressions.unresolved``."""
