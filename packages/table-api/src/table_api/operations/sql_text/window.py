"""OVER."""

from __future__ import annotations

from table_api.expressions.unresolved import FrameBoundKind, FrameUnit
from table_api.operations.query.window import WindowBound, WindowCall, WindowFrame, WindowQueryOperation
from table_api.operations.sql_text.block import Block, Cell, Column, Stage
from table_api.operations.sql_text.expressions import call_text, expression_text, order_text
from table_api.operations.sql_text.printer import SqlPrinter, write


@write.register(WindowQueryOperation)
def _window(node: WindowQueryOperation, printer: SqlPrinter) -> Block:
    block = printer.read(node.child, last=Stage.WHERE)
    keys = ", ".join(block.texts[key.field_index] for key in node.partition_by)
    orders = ", ".join(order_text(order, expression_text(order.expression, [block.texts], printer)) for order in node.order_by)
    window = [f"PARTITION BY {keys}"] if keys else []
    window += [f"ORDER BY {orders}"] if orders else []
    columns = [
        Column(_call(call, window, block, printer, node), name, Cell.OTHER) for call, name in zip(node.calls, node.names, strict=True)
    ]
    return block.with_columns((*block.columns, *columns), Stage.SELECT)


def _call(call: WindowCall, window: list[str], block: Block, printer: SqlPrinter, node: WindowQueryOperation) -> str:
    args = [expression_text(arg, [block.texts], printer) for arg in call.args]
    if call.distinct and args:
        args[0] = f"DISTINCT {args[0]}"
    text = call_text(call.function, args, printer)
    if call.filter is not None:
        text += f" FILTER (WHERE {block.texts[call.filter.field_index]})"
    if call.ignore_nulls is not None:
        text += " IGNORE NULLS" if call.ignore_nulls else " RESPECT NULLS"
    frame = []
    if call.frame is not None and call.frame != _default(bool(node.order_by)):
        frame = [f"{call.frame.unit.value} BETWEEN {_bound(call.frame.lower)} AND {_bound(call.frame.upper)}"]
    return f"{text} OVER ({' '.join([*window, *frame])})"


def _default(has_order: bool) -> WindowFrame:
    """Returns the frame of a window that says none: only it may be one of ranges over several keys."""
    first = WindowBound(FrameBoundKind.UNBOUNDED_PRECEDING)
    if has_order:
        return WindowFrame(FrameUnit.RANGE, first, WindowBound(FrameBoundKind.CURRENT_ROW))
    return WindowFrame(FrameUnit.ROWS, first, WindowBound(FrameBoundKind.UNBOUNDED_FOLLOWING))


def _bound(bound: WindowBound) -> str:
    if bound.offset is None:
        return bound.kind.value
    value = bound.offset.value
    text = str(value) if isinstance(value, int) and 0 <= value < 2**31 and "INTERVAL" not in str(bound.offset) else str(bound.offset)
    return f"{text} {bound.kind.value}"
