"""JSON text: its limit of nesting, a strict parser and a compact writer, and the canonical text of a VARIANT."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .depth: MOST_LEVELS MOST_LEVELS_OF_TYPES PLAIN_LEVELS as_deep_as_it_is require_levels
    .double_text: double_text
    .values: JsonNumber NumberText parse plain_quote write
    .variant: variant_text
    """,
)
