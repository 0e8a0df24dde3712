"""Process table functions in FROM."""

from __future__ import annotations

from table_api.operations.query.process_table_function import ProcessTableFunctionQueryOperation
from table_api.operations.sql_text.block import Block, Column, Stage, unique
from table_api.operations.sql_text.expressions import call_text, expression_text, order_text
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.expressions import FieldReferenceExpression
from table_common.types import quote_identifier, quote_string


@write.register(ProcessTableFunctionQueryOperation)
def _process_table_function(node: ProcessTableFunctionQueryOperation, printer: SqlPrinter) -> Block:
    arguments, times = [], []
    for table, argument in zip(node.tables, node.arguments, strict=True):
        if argument.name is None:
            continue
        below = printer.query(table)
        below = below.with_columns(below.columns, Stage.SELECT)
        names = [quote_identifier(name) for name in unique(below.names)]
        text = f"{quote_identifier(argument.name)} => (\n{below.render()}\n)"
        if argument.partition_by:
            text += f" PARTITION BY ({', '.join(names[key.field_index] for key in argument.partition_by)})"
        if argument.order_by:
            columns = [
                names[order.expression.field_index] for order in argument.order_by if isinstance(order.expression, FieldReferenceExpression)
            ]
            text += f" ORDER BY ({', '.join(map(order_text, argument.order_by, columns))})"
        arguments.append(text)
        if argument.time is not None and names[argument.time.field_index] not in times:
            times.append(names[argument.time.field_index])
    scalars = [argument.name for argument in node.signature.arguments if not argument.is_table]
    arguments += [
        f"{quote_identifier(name)} => {expression_text(scalar, [[]], printer)}" for name, scalar in zip(scalars, node.scalars, strict=True)
    ]
    if times:
        arguments.append(f"on_time => DESCRIPTOR({', '.join(times)})")
    if node.uid is not None:
        arguments.append(f"uid => {quote_string(node.uid)}")
    alias = quote_identifier(printer.alias("p"))
    own = (Column(f"{alias}.{quote_identifier(name)}", name, own_name=name) for name in node.resolved_schema.column_names)
    return Block(tuple(own), f"{call_text(node.function, arguments, printer)} AS {alias}")
