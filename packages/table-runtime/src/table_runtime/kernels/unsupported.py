"""Built-in scalar functions that this engine does not support, with the reason shown to the user."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conversion, temporal

__all__ = ["UNSUPPORTED"]

UNSUPPORTED: dict[FunctionDefinition, str] = {
    conversion.CURRENT_DATABASE: "it is a constant by the time a query is planned",
    temporal.SOURCE_WATERMARK: "it only stands in the WATERMARK clause of a table whose source makes its own watermarks",
}
