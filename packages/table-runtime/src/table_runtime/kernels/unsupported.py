"""Built-in scalar functions that this engine does not support, with the reason shown to the user."""

from __future__ import annotations

from table_common.functions import FunctionDefinition
from table_common.functions.builtin import conversion, temporal

UNSUPPORTED: dict[FunctionDefinition, str] = {
    conversion.CURRENT_DATABASE: "it is replaced by a constant when a query is planned",
    temporal.SOURCE_WATERMARK: "it is only allowed in the WATERMARK clause of a table whose source emits its own watermarks",
}
