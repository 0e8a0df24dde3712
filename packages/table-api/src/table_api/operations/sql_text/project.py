"""SELECT, and tables whose columns are not all stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from table_api.operations.query.project import ProjectQueryOperation
from table_api.operations.query.source import SourceQueryOperation
from table_api.operations.query.watermark import WatermarkQueryOperation
from table_api.operations.sql_text.block import Block, Cell, Column, Stage
from table_api.operations.sql_text.expressions import cell_of, expression_text, uses_outer_rows
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_api.operations.sql_text.source import table_block
from table_common.catalog import ComputedColumn
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, field_references, map_references
from table_common.functions.builtin import BUILT_INS_BY_NAME


@write.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, printer: SqlPrinter) -> Block:
    scan, expressions = _scan_below(node)
    if scan is not None and _is_whole_table(node, expressions, scan):
        return table_block(scan, node.names, printer)
    below = printer.query(node.child)
    block = below if _can_merge(node, below) else printer.relation(below)
    columns = []
    for expression, name in zip(node.projection, node.names, strict=True):
        if isinstance(expression, FieldReferenceExpression):
            column = block.columns[expression.field_index]
            columns.append(Column(column.text, name, column.cell, column.own_name))
        else:
            text = expression_text(expression, [block.texts], printer)
            inlined = {block.columns[reference.field_index].cell for reference in field_references(expression)}
            cell = Cell.OTHER if Cell.OTHER in inlined else cell_of(expression)
            columns.append(Column(text, name, cell))
    return block.with_columns(columns, Stage.SELECT)


def _can_merge(node: ProjectQueryOperation, block: Block) -> bool:
    """Returns whether the projection can be written over the texts of the block: what is computed there stays computed once."""
    if block.body or block.stage >= Stage.DISTINCT:
        return False
    if block.all_are(Cell.REFERENCE):
        return True
    if uses_outer_rows(node.projection):
        return False
    uses = Counter(reference.field_index for expression in node.projection for reference in field_references(expression))
    return all(column.cell is Cell.REFERENCE or uses[index] <= 1 for index, column in enumerate(block.columns))


def _scan_below(node: ProjectQueryOperation) -> tuple[SourceQueryOperation | None, Sequence[ResolvedExpression]]:
    """Returns the scan below a projection, and the columns over those of the scan; a watermark may stand between."""
    columns: Sequence[ResolvedExpression] = node.projection
    child = node.child
    if isinstance(child, WatermarkQueryOperation):
        child = child.child
        if isinstance(child, ProjectQueryOperation):
            below = child.projection
            columns = [map_references(column, lambda reference: below[reference.field_index]) for column in columns]
            child = child.child
    return (child, columns) if isinstance(child, SourceQueryOperation) else (None, ())


def _is_whole_table(node: ProjectQueryOperation, expressions: Sequence[ResolvedExpression], scan: SourceQueryOperation) -> bool:
    """Returns whether the projection only puts the table's columns into their order and computes those that are computed."""
    columns = scan.table.table.resolved_schema.columns
    if tuple(column.name for column in columns) != node.names:
        return False
    if all(column.is_physical() for column in columns):
        return False
    for column, expression in zip(columns, expressions, strict=True):
        if isinstance(column, ComputedColumn) and column.expression is not None:
            if column.expression.as_serializable_string() not in (expression.as_serializable_string(), _uncast(expression)):
                return False
        elif not isinstance(expression, FieldReferenceExpression) or expression.name != column.name:
            return False
    return True


def _uncast(expression: ResolvedExpression) -> str:
    if isinstance(expression, CallExpression) and expression.function is BUILT_INS_BY_NAME["CAST"]:
        return expression.args[0].as_serializable_string()
    return expression.as_serializable_string()
