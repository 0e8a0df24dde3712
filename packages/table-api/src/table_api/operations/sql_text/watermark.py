"""Tables with a WATERMARK: it belongs to the table, so a query over it does not say it."""

from __future__ import annotations

from table_api.operations.query.watermark import WatermarkQueryOperation
from table_api.operations.sql_text.block import Block
from table_api.operations.sql_text.printer import SqlPrinter, write


@write.register(WatermarkQueryOperation)
def _watermark(node: WatermarkQueryOperation, printer: SqlPrinter) -> Block:
    return printer.query(node.child)
