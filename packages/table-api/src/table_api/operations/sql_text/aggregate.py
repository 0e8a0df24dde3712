"""GROUP BY and aggregates."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from table_api.operations.query.aggregate import AggregateCall, AggregateQueryOperation
from table_api.operations.sql_text.block import Block, Cell, Column, Stage, bare
from table_api.operations.sql_text.expressions import call_text, order_text
from table_api.operations.sql_text.printer import SqlPrinter, refusal, write
from table_common.frozen_dataclass import replace
from table_common.functions import FunctionKind
from table_common.types import quote_string


@write.register(AggregateQueryOperation)
def _aggregate(node: AggregateQueryOperation, printer: SqlPrinter) -> Block:
    for call in node.aggregates:
        if call.function.kind is FunctionKind.TABLE_AGGREGATE:
            raise refusal(f"SQL has no call of the table aggregate '{call.function.name}'.", "create_temporary_view")
    block = printer.read(node.child, last=Stage.SELECT, cells=(Cell.REFERENCE, Cell.SCALAR))
    if node.state_ttl is not None:
        if not block.alias:  # the hint names the only table of FROM
            block = printer.named(block)
        block = replace(block, state_ttls=((block.alias, node.state_ttl.text),))
    keys = [block.columns[key.field_index] for key in node.grouping]
    columns = [Column(key.text, name, key.cell, key.own_name) for key, name in zip(keys, node.names, strict=False)]
    for call, name in zip(node.aggregates, node.names[len(keys) :], strict=True):
        columns.append(Column(_call(call, block, printer), name, Cell.OTHER))
    texts = [bare(key.text) for key in keys]
    if node.grouping_sets is not None:
        sets = ", ".join(f"({', '.join(texts[i] for i in positions)})" for positions in node.grouping_sets)
        group_by = f"GROUP BY GROUPING SETS ({sets})"
        columns.append(Column(f"GROUPING_ID({', '.join(texts)})", node.GROUPING_ID, Cell.OTHER))
    elif texts or not node.aggregates:
        group_by = f"GROUP BY {', '.join(texts) or '()'}"
    else:
        group_by = ""
    return replace(block, columns=tuple(columns), group_by=group_by, stage=Stage.GROUP_BY)


def _call(call: AggregateCall, block: Block, printer: SqlPrinter) -> str:
    args = [bare(block.columns[arg.field_index].text) for arg in call.args] + [constant_text(value) for value in call.constant_args]
    if call.distinct and args:
        args[0] = f"DISTINCT {args[0]}"
    text = call_text(call.function, args, printer)
    if call.order_by:
        keys = ", ".join(order_text(order, block.columns[_position(order)].text) for order in call.order_by)
        text = f"{text[:-1]} ORDER BY {keys})" if call.function.name == "ARRAY_AGG" else f"{text} WITHIN GROUP (ORDER BY {keys})"
    if call.filter is not None:
        text += f" FILTER (WHERE {bare(block.columns[call.filter.field_index].text)})"
    return text


def _position(order: Any) -> int:
    position: int = order.expression.field_index
    return position


def constant_text(value: Any) -> str:
    """Returns a constant argument of an aggregate.

    Raises:
        ValidationException: constants of its class are not written in SQL.
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | Decimal():
            return f"{value:f}" if isinstance(value, Decimal) else str(value)
        case float():
            text = repr(value).upper()
            return text if "E" in text else f"{text}E0"
        case str():
            return quote_string(value)
    raise refusal(f"the constant {value!r} of an aggregate has no SQL.", "create_temporary_view")
