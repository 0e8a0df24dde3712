"""WHERE and HAVING."""

from __future__ import annotations

from table_api.operations.query.filter import FilterQueryOperation
from table_api.operations.sql_text.block import Block, Cell, Stage, bare
from table_api.operations.sql_text.expressions import expression_text, uses_outer_rows
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.frozen_dataclass import replace


@write.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, printer: SqlPrinter) -> Block:
    block = printer.query(node.child)
    if block.stage is Stage.GROUP_BY and not uses_outer_rows([node.condition]):
        text = expression_text(node.condition, [block.texts], printer)
        return replace(block, having=f"HAVING {bare(text)}", stage=Stage.HAVING)
    if block.stage is not Stage.WHERE or not block.all_are(Cell.REFERENCE):
        block = printer.relation(block)
    text = expression_text(node.condition, [block.texts], printer)
    return replace(block, where=(*block.where, text), stage=Stage.WHERE)
