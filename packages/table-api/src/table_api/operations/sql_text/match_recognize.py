"""MATCH_RECOGNIZE."""

from __future__ import annotations

from table_api.operations.query.match_recognize import MatchRecognizeQueryOperation
from table_api.operations.sql_text.block import Block, Column, bare, unique
from table_api.operations.sql_text.expressions import call_text, expression_text, order_text
from table_api.operations.sql_text.printer import SqlPrinter, write
from table_common.expressions import (
    ANY_VARIABLE,
    MatchTime,
    PatternAggregate,
    PatternExpression,
    PatternVariable,
    RowNavigation,
    ValueLiteralExpression,
)
from table_common.types import DayTimeIntervalType, LocalZonedTimestampType, quote_identifier


@write.register(MatchRecognizeQueryOperation)
def _match_recognize(node: MatchRecognizeQueryOperation, printer: SqlPrinter) -> Block:
    below = printer.single(printer.query(node.child))
    own = [column.own_name or column.name for column in below.columns]
    writer = _Writer(own, printer)
    orders = ", ".join(
        order_text(order, expression_text(order.expression, [[quote_identifier(n) for n in own]], printer)) for order in node.order_by
    )
    parts = [f"PARTITION BY {', '.join(quote_identifier(own[key.field_index]) for key in node.partition_by)}"] if node.partition_by else []
    parts.append(f"ORDER BY {orders}")
    if node.measures:
        measures = (f"{writer.text(m)} AS {quote_identifier(name)}" for m, name in zip(node.measures, node.names, strict=True))
        parts.append(f"MEASURES {', '.join(measures)}")
    target = f" {quote_identifier(node.after_match_variable)}" if node.after_match_variable is not None else ""
    parts += ["ONE ROW PER MATCH", f"AFTER MATCH {node.after_match.value}{target}", f"PATTERN ({' '.join(map(_variable, node.pattern))})"]
    if node.within is not None:
        within = ValueLiteralExpression(node.within * 1_000_000, DayTimeIntervalType(nullable=False))
        parts[-1] += f" WITHIN {within.as_serializable_string()}"
    definitions = [f"{quote_identifier(d.variable)} AS {writer.text(d.condition)}" for d in node.definitions]
    # SQL wants at least one definition: a variable without any takes every row, as TRUE does.
    parts.append(f"DEFINE {', '.join(definitions) or f'{quote_identifier(node.pattern[0].name)} AS TRUE'}")
    alias = quote_identifier(printer.alias("m"))
    names = [*(own[key.field_index] for key in node.partition_by), *node.names]
    columns = [Column(f"{alias}.{quote_identifier(n)}", n, own_name=n) for n in unique(names)]
    text = "\n".join(parts)
    return Block(tuple(columns), f"{below.source} MATCH_RECOGNIZE (\n{text}\n) AS {alias}")


def _variable(variable: PatternVariable) -> str:
    return quote_identifier(variable.name) + str(variable)[len(variable.name) :]


class _Writer:
    """Writes expressions of a match; ``columns`` are the names in the input."""

    def __init__(self, columns: list[str], printer: SqlPrinter) -> None:
        self._columns = columns
        self._printer = printer

    def text(self, expression: PatternExpression) -> str:
        values = [self._value(value) for value in expression.values]
        return bare(expression_text(expression.expression, [values], self._printer))

    def _value(self, value: RowNavigation | PatternAggregate | MatchTime) -> str:
        match value:
            case RowNavigation():
                column = self._column(value.variable, value.column.field_index)
                if not value.from_first and not value.offset:
                    return column
                return f"{'FIRST' if value.from_first else 'LAST'}({column}, {value.offset})"
            case PatternAggregate():
                columns = [self._column(value.variable, i) for i in range(len(self._columns))]
                args = [expression_text(arg, [columns], self._printer) for arg in (*value.args, *value.constants)]
                return call_text(value.function, args or ["*"], self._printer)
            case MatchTime(column=None):
                return "MATCH_PROCTIME()"
            case MatchTime():
                is_local = value.column is not None and isinstance(value.column.output_type, LocalZonedTimestampType)
                argument = quote_identifier(self._columns[value.column.field_index]) if is_local and value.column is not None else ""
                return f"MATCH_ROWTIME({argument})"

    def _column(self, variable: str, index: int) -> str:
        name = quote_identifier(self._columns[index])
        return name if variable == ANY_VARIABLE else f"{quote_identifier(variable)}.{name}"
