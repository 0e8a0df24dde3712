"""Operators that write: through connectors, to files, and to the reader of a query."""
