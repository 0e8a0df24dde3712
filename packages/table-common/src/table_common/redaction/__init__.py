"""Redacts secrets and resolved values in errors, and in the errors of statements."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .errors_of_statements: secrets_hidden
    .hidden_values: HiddenValues has_hidden_values redact_error
    """,
)
