"""Results as text, as Flink shows them."""

from table_api.rendering.tableau import TableauStyle, cell_texts, display_width
from table_api.rendering.values import render_value

__all__ = ["TableauStyle", "cell_texts", "display_width", "render_value"]
