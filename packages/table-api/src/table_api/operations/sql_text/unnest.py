"""UNNEST, and calls of table functions."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations.query.unnest import UnnestQueryOperation, batch_call_of
from table_api.operations.sql_text.block import Block, Column, Stage, unique
from table_api.operations.sql_text.expressions import expression_text
from table_api.operations.sql_text.printer import SqlPrinter, refusal, write
from table_common.connector import PredictCall, VectorSearchCall
from table_common.expressions import CallExpression, field_references
from table_common.functions import FunctionKind
from table_common.types import quote_identifier, quote_string


@write.register(UnnestQueryOperation)
def _unnest(node: UnnestQueryOperation, printer: SqlPrinter) -> Block:
    below = printer.query(node.child)
    call = batch_call_of(node)
    if isinstance(call, PredictCall):
        return _prediction(node, call, below, printer)
    has_from = bool(below.source or below.body)
    left = printer.relation(below) if has_from else below
    if isinstance(call, VectorSearchCall):
        text = _search(node, call, left, printer)
    else:
        text = expression_text(node.expression, [left.texts], printer)
    is_call = isinstance(node.expression, CallExpression) and node.expression.function.kind in (
        FunctionKind.TABLE,
        FunctionKind.ASYNC_TABLE,
    )
    alias = quote_identifier(printer.alias("u"))
    names = unique(node.names)
    ordinality = " WITH ORDINALITY" if node.with_ordinality else ""
    table = f"LATERAL TABLE({text})" if is_call else f"UNNEST({text}){ordinality}"
    table = f"{table} AS {alias} ({', '.join(map(quote_identifier, names))})"
    columns = [Column(f"{alias}.{quote_identifier(inner)}", name, own_name=inner) for inner, name in zip(names, node.names, strict=True)]
    if has_from:
        words, condition = ("LEFT JOIN", " ON TRUE") if node.keeps_empty else ("CROSS JOIN", "")
        table = f"{left.source}\n{words} {table}{condition}"
    return Block((*left.columns, *columns), table, is_joined=has_from, state_ttls=left.state_ttls, strategies=left.strategies)


def _prediction(node: UnnestQueryOperation, prediction: PredictCall, below: Block, printer: SqlPrinter) -> Block:
    if prediction.model[-1].startswith("*"):
        raise refusal("its model is in no catalog.", "create_temporary_model, and from_model with its name")
    below = below.with_columns(below.columns, Stage.SELECT)
    names = [quote_identifier(name) for name in unique(below.names)]
    assert isinstance(node.expression, CallExpression)
    used = [next(iter(field_references(argument))) for argument in node.expression.args]
    arguments = [
        f"input => (\n{below.render()}\n)",
        f"model => MODEL {'.'.join(map(quote_identifier, prediction.model))}",
        f"args => DESCRIPTOR({', '.join(names[reference.field_index] for reference in used)})",
    ]
    if prediction.config:
        arguments.append(f"config => {_options(prediction.config)}")
    alias = quote_identifier(printer.alias("m"))
    columns = node.resolved_schema.column_names
    inner = unique(columns)
    text = f"ML_PREDICT({', '.join(arguments)}) AS {alias} ({', '.join(map(quote_identifier, inner))})"
    own = (Column(f"{alias}.{quote_identifier(name)}", column, own_name=name) for name, column in zip(inner, columns, strict=True))
    return Block(tuple(own), text)


def _search(node: UnnestQueryOperation, call: VectorSearchCall, left: Block, printer: SqlPrinter) -> str:
    if call.table[-1].startswith("*"):
        raise refusal("its search table is in no catalog.", "create_temporary_table, and the name of the table")
    assert isinstance(node.expression, CallExpression)
    arguments = [
        f"search_table => TABLE {'.'.join(map(quote_identifier, call.table))}",
        f"column_to_search => DESCRIPTOR({quote_identifier(call.column)})",
        f"column_to_query => {expression_text(node.expression.args[0], [left.texts], printer)}",
        f"top_k => {call.top_k}",
    ]
    if call.config:
        arguments.append(f"config => {_options(call.config)}")
    return f"VECTOR_SEARCH({', '.join(arguments)})"


def _options(config: Sequence[tuple[str, str]]) -> str:
    return f"MAP[{', '.join(quote_string(text) for pair in config for text in pair)}]"
