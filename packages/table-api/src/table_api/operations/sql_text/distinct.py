"""SELECT DISTINCT."""

from __future__ import annotations

from table_api.operations.query.distinct import DistinctQueryOperation
from table_api.operations.sql_text.block import Block, Stage
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.frozen_dataclass import replace


@write.register(DistinctQueryOperation)
def _distinct(node: DistinctQueryOperation, printer: SqlPrinter) -> Block:
    block = printer.query(node.child)
    if block.body or block.stage >= Stage.DISTINCT:
        block = printer.relation(block)
    if node.state_ttl is not None:
        if not block.alias or block.group_by or block.stage > Stage.SELECT:  # the hint is for the aggregate of a SELECT, if there is one
            block = printer.named(block)
        block = replace(block, state_ttls=((block.alias, node.state_ttl.text),))
    return replace(block, is_distinct=True, stage=Stage.DISTINCT)
