"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from table_api.operations.query.set import SetOperationType, SetQueryOperation
from table_api.operations.sql_text.block import Block, Column, Stage, unique
from table_api.operations.sql_text.printer import SqlPrinter, write

_WORDS = {SetOperationType.UNION: "UNION", SetOperationType.INTERSECT: "INTERSECT", SetOperationType.MINUS: "EXCEPT"}


@write.register(SetQueryOperation)
def _set(node: SetQueryOperation, printer: SqlPrinter) -> Block:
    first, *others = map(printer.query, node.inputs)
    word = f"\n{_WORDS[node.kind]}{' ALL' if node.all else ''}\n"
    text = word.join(map(_side, (first, *others)))
    names = unique(first.names)
    return Block(tuple(Column("", name) for name in names), body=text, stage=Stage.DISTINCT)


def _side(block: Block) -> str:
    text = block.render()
    return text if not block.body and block.stage <= Stage.DISTINCT else f"(\n{text}\n)"
