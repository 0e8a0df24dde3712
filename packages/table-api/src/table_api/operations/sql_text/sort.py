"""ORDER BY, OFFSET and FETCH."""

from __future__ import annotations

from table_api.operations.query.sort import SortOrder, SortQueryOperation
from table_api.operations.sql_text.block import Block, Stage
from table_api.operations.sql_text.expressions import expression_text, order_text
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import replace
from table_common.types import quote_identifier


@write.register(SortQueryOperation)
def _sort(node: SortQueryOperation, printer: SqlPrinter) -> Block:
    block = printer.query(node.child)
    last = Stage.DISTINCT if node.orders else Stage.ORDER_BY
    if block.stage > last:
        block = printer.relation(block)
    if node.orders:
        keys = ", ".join(order_text(order, _key(order, block, printer)) for order in node.orders)
        block = replace(block, order_by=f"ORDER BY {keys}", stage=Stage.ORDER_BY)
    limits = [f"OFFSET {node.offset} ROWS"] if node.offset else []
    limits += [f"FETCH NEXT {node.fetch} ROWS ONLY"] if node.fetch is not None else []
    return replace(block, limits="\n".join(limits), stage=Stage.FETCH) if limits else block


def _key(order: SortOrder, block: Block, printer: SqlPrinter) -> str:
    if not isinstance(order.expression, FieldReferenceExpression):
        return expression_text(order.expression, [block.texts], printer)
    position = order.expression.field_index
    column = block.columns[position]
    if block.stage <= Stage.WHERE and not block.body:
        return column.text
    return quote_identifier(column.name) if block.names.count(column.name) == 1 else str(position + 1)
