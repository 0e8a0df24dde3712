"""Resolved expressions as SQL over given texts of columns."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations.query.sort import SortOrder
from table_api.operations.sql_text.block import KEYWORD_FUNCTIONS, Cell, bare
from table_api.operations.sql_text.printer import SqlPrinter, refusal
from table_api.operations.subquery import OuterReferenceExpression, SubqueryExpression, contains_subquery
from table_common.exceptions import ValidationException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    is_deterministic,
)
from table_common.functions import BuiltInFunctionDefinition, FunctionDefinition
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.tree import fold, nodes_of
from table_common.types import BigIntType, LogicalType, RowType, VarBinaryType, VarCharType

_COMPARISONS = frozenset(
    BUILT_INS_BY_NAME[name]
    for name in (
        "EQUALS", "NOT_EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL",
        "BETWEEN", "NOT_BETWEEN", "IN", "NOT_IN", "IS_DISTINCT_FROM", "IS_NOT_DISTINCT_FROM",
    )
)  # fmt: skip
_ROW = BUILT_INS_BY_NAME["ROW"]
_TIGHTNESS = (
    ("AND",),
    ("EQUALS", "NOT_EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL"),
    ("PLUS", "MINUS"),
    ("TIMES", "DIVIDE"),
)
_LEVELS: dict[FunctionDefinition, int] = {BUILT_INS_BY_NAME[name]: level for level, names in enumerate(_TIGHTNESS) for name in names}
"""How tightly the common operators bind: an argument that binds tighter than the operator around it needs no parentheses."""


def expression_text(expression: ResolvedExpression, inputs: Sequence[Sequence[str]], printer: SqlPrinter) -> str:
    """Returns the text; ``inputs[i][j]`` is that of column j of input i.

    Raises:
        ValidationException: a function has no name in SQL.
    """

    def combine(node: ResolvedExpression, args: Sequence[str]) -> str:
        match node:
            case FieldReferenceExpression():
                return inputs[node.input_index][node.field_index]
            case OuterReferenceExpression():
                return printer.outer[node.position]
            case SubqueryExpression():
                return _subquery_text(node, args, printer)
            case CallExpression():
                return _call_text(node, args, printer)
            case TypeLiteralExpression():
                return type_text(node.output_type)
            case ValueLiteralExpression():
                return _literal_text(node)
        raise refusal(f"{type(node).__name__} has no SQL.", "create_temporary_view")

    return fold(expression, ResolvedExpression, combine)


def _call_text(call: CallExpression, args: Sequence[str], printer: SqlPrinter) -> str:
    text = call_text(call.function, _arguments(call, args), printer)
    type_ = call.output_type
    if call.function is not _ROW or not isinstance(type_, RowType):
        return text
    has_names_of_sql = type_.field_names == tuple(f"EXPR${position}" for position in range(len(type_.fields)))
    return text if has_names_of_sql else f"CAST({text} AS {type_text(type_)})"


def call_text(function: FunctionDefinition, args: list[str], printer: SqlPrinter) -> str:
    """Returns the text of a call.

    Raises:
        ValidationException: it is a user's function that no name stands for.
    """
    if not function.is_user_defined:
        return function.name if function.name in KEYWORD_FUNCTIONS else function.render_sql(args)
    name = printer.functions(function)
    if name is None:
        raise refusal(
            f"the function '{function.name}' is not registered.",
            f"create_temporary_system_function('{function.name}', …) or create_function first, and call it by its name",
        )
    return f"{name}({', '.join(args)})"


def order_text(order: SortOrder, text: str) -> str:
    """Returns a key of ORDER BY: what is the default stays out."""
    nulls = "" if order.nulls_first == order.ascending else f" NULLS {'FIRST' if order.nulls_first else 'LAST'}"
    return f"{text}{'' if order.ascending else ' DESC'}{nulls}"


def cell_of(expression: ResolvedExpression) -> Cell:
    """Returns what the text of an expression over columns of FROM is."""
    if isinstance(expression, (FieldReferenceExpression, OuterReferenceExpression)):
        return Cell.REFERENCE
    if isinstance(expression, ValueLiteralExpression) or contains_subquery(expression) or not is_deterministic([expression]):
        return Cell.OTHER
    return Cell.SCALAR


def uses_outer_rows(expressions: Sequence[ResolvedExpression]) -> bool:
    """Returns whether a query inside of the expressions is given columns: an aggregate among these would become the inner query's."""
    return any(query.arguments for one in expressions for query in nodes_of(one, ResolvedExpression, SubqueryExpression))


def type_text(type_: LogicalType) -> str:
    """Returns a type as the target of a cast, whose nullability is that of its argument; STRING and BYTES by these names."""
    plain = type_.with_nullability(True)
    return plain.summary() if plain in (VarCharType(), VarBinaryType()) else plain.serializable()


# --- parts ------------------------------------------------------------------------------------------------------------------------


def _arguments(call: CallExpression, args: Sequence[str]) -> list[str]:
    texts = list(args)
    level = _LEVELS.get(call.function)
    if call.function in _COMPARISONS:
        plain = {type(a.output_type) for a in call.args if not isinstance(a, ValueLiteralExpression) and _takes_bare(a.output_type)}
        texts = [_bare_literal(a, t) if type(a.output_type) in plain else t for a, t in zip(call.args, texts, strict=True)]
    if level is None:
        takes_bare = isinstance(call.function, BuiltInFunctionDefinition) and call.function.renderer is None
        return [bare(text) for text in texts] if takes_bare else texts
    return [
        bare(text) if isinstance(arg, CallExpression) and _LEVELS.get(arg.function, -1) > level else text
        for arg, text in zip(call.args, texts, strict=True)
    ]


def _takes_bare(type_: LogicalType) -> bool:
    return isinstance(type_, BigIntType) or (isinstance(type_, VarCharType) and type_ == VarCharType(nullable=type_.nullable))


def _bare_literal(expression: ResolvedExpression, text: str) -> str:
    """Returns a constant without its cast: beside a BIGINT or STRING it becomes one by itself."""
    if not isinstance(expression, ValueLiteralExpression) or expression.value is None:
        return text
    if isinstance(expression.value, int) and -(2**31) <= expression.value < 2**31:
        return str(expression.value)
    return "'" + expression.value.replace("'", "''") + "'" if isinstance(expression.value, str) and expression.value else text


def _literal_text(literal: ValueLiteralExpression) -> str:
    try:
        return literal.as_serializable_string()
    except ValidationException as error:
        raise refusal(error.message, "read the constant from a table") from None


def _subquery_text(node: SubqueryExpression, args: Sequence[str], printer: SqlPrinter) -> str:
    operands, outer = args[: len(node.operands)], args[len(node.operands) :]
    query = f"(\n{printer.inside(outer).query(node.query).render()}\n)"
    left = f"({', '.join(operands)})" if len(operands) > 1 else "".join(operands)
    match node.kind:
        case SubqueryKind.SCALAR:
            return query
        case SubqueryKind.IN | SubqueryKind.NOT_IN:
            return f"({left} {node.kind.value} {query})"
        case SubqueryKind.ANY | SubqueryKind.ALL:
            assert node.comparison is not None
            sign = node.comparison.render_sql(["", ""]).strip("() ")
            return f"({left} {sign} {node.kind.value} {query})"
        case _:
            return f"{node.kind.value} {query}"
