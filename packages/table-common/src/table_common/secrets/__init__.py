"""Secrets: which keys have secrets, where secrets occur in options and statements, and files that only their owner can read."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .keys: is_secret_key
    .option_values: HIDDEN_CONTENT mask_options mask_value
    .private_files: make_private open_private
    .shown_fields: shown_field
    .statement_text: mask_hints mask_line mask_text secret_spans
    """,
)
