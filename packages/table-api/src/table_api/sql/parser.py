"""The parser: SQL text to a syntax tree.

The grammar is that of Flink 2.3, with its reserved words and statements. Extensions:

    a != b                            as a <> b
    a::INT                            as CAST(a AS INT)
    a ILIKE 'x%'                      as case-insensitive LIKE (Flink parses it but has no such operator)
    INTERVAL n DAY, INTERVAL (n) DAY  as n * INTERVAL '1' DAY (likewise)
    … LEFT SEMI|ANTI JOIN …           semi-joins and anti-joins
    … PIVOT (…), … UNPIVOT (…)        rows to columns and columns to rows (Flink parses them and fails)
    :name                             the value of a parameter, if values are passed
"""

# Differs from Flink: != and :: are accepted (error_b_0154, error_b_0150).
# Differs from Flink: a precision that no type has is refused where it is written, also in CREATE TABLE (ddl_b_0323).
# Differs from Flink: CREATE OR REPLACE VIEW, DESCRIBE FUNCTION of a function of SQL, COUNT(), LISTAGG(…) WITHIN GROUP, ARRAY(query), untyped NULL
# operands such as NULL + 1, INTERVAL '100' DAY without a precision, and columns of TIMESTAMP WITH TIME ZONE are accepted.
# Differs from Flink: NATURAL JOIN, COUNT(DISTINCT r) of a ROW, TYPEOF(PROCTIME()), SUM(DISTINCT) over HOP windows, the quantifier {,2}, and DISTINCT
# and FILTER with OVER in batch mode work; Flink fails while it plans them.
# Differs from Flink: LEFT SEMI JOIN and LEFT ANTI JOIN are accepted (join_b_0046).

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from table_api.expressions.unresolved import Span, UnresolvedExpression
from table_api.operations import Operation
from table_api.sql.ast import QueryNode, Statement
from table_api.sql.grammar.catalog_definitions import QUERY_FIRST, CatalogDefinitionRules
from table_api.sql.grammar.lexer import END, Tokens, tokenize
from table_api.sql.grammar.nesting import room_for
from table_api.sql.grammar.token_stream import Backtrack
from table_common.exceptions import ValidationException
from table_common.redaction import secrets_hidden

_T = TypeVar("_T")


def parse_statement(text: str, *, parameters: Mapping[str, object] | None = None) -> QueryNode | Statement | Operation:
    """Returns the syntax tree of the one statement in ``text``, which may end with a semicolon.

    Args:
        text: SQL.
        parameters: The values of ``:name``; they become literals and are never inserted as text.

    Raises:
        SqlParserException: The text does not match the grammar; the error has the position and the expected tokens.
        ValidationException: It matches, but a literal or a type has an impossible value, or there are several statements.

    Example:
        >>> parse_statement("USE db").path
        ('db',)
    """
    return _parse(tokenize(text), _only_statement, parameters)


def parse_script(text: str, *, parameters: Mapping[str, object] | None = None) -> list[tuple[QueryNode | Statement | Operation, Span]]:
    """Returns the statements of ``text``, each with its span; empty statements are left out. Errors are those of ``parse_statement``."""
    return _parse(tokenize(text), _all_statements, parameters)


def parse_expression(text: str, *, parameters: Mapping[str, object] | None = None) -> UnresolvedExpression:
    """Returns the expression in ``text``; errors are those of ``parse_statement``."""
    return _parse(tokenize(text), _only_expression, parameters)


def split_statements(text: str) -> list[Span]:
    """Returns the spans of the statements in ``text``, without their semicolons.

    Semicolons in strings, comments, quoted names and ``STATEMENT SET BEGIN … END`` do not count. The text may have syntax errors: a string or
    comment that is not closed extends to the end of the last statement.
    """
    tokens = tokenize(text, lenient=True)
    spans: list[Span] = []
    start: int | None = None
    in_set = False
    open_cases = 0
    for index, kind in enumerate(tokens.kinds):
        if kind == END or (kind == ";" and not in_set):
            # An END with text is the rest of the text that is not a token.
            end = tokens.ends[index] if kind == END and tokens.values[index] else tokens.ends[index - 1]
            if start is None and kind == END and tokens.values[index].strip():
                start = tokens.starts[index]
            if start is not None:
                spans.append(Span(start, end))
            start, open_cases = None, 0
            continue
        if start is None:
            start = tokens.starts[index]
        if kind == "BEGIN" and tokens.kinds[index - 2 : index] == ["STATEMENT", "SET"]:
            in_set = True
        elif kind == "CASE":
            open_cases += 1
        elif kind == "END" and open_cases:
            open_cases -= 1
        elif kind == "END":
            in_set = False
    return spans


def expected_tokens(text: str, position: int) -> frozenset[str]:
    """Returns the tokens that the grammar accepts at ``position``, after the text before it: keywords, signs, and kinds such as ``table name``.

    Empty if the text before has a syntax error, or ends inside a string or comment.
    """
    tokens = tokenize(text[:position], lenient=True)
    if tokens.values[-1]:
        return frozenset()
    # Only the last statement counts.
    breaks = [span.start for span in split_statements(text[:position] + " x")]
    first = next(index for index, start in enumerate(tokens.starts) if start >= breaks[-1] or index == len(tokens.starts) - 1)
    stream = _whole_grammar()(tokens, index=first, watch=len(tokens.kinds) - 1)
    try:
        with room_for(tokens):
            _only_statement(stream)
    except (Backtrack, ValidationException):
        if stream.index != stream.watch:
            return frozenset()
    return frozenset(stream.expected)


def _parse(tokens: Tokens, rule: Callable[[CatalogDefinitionRules], _T], parameters: Mapping[str, object] | None) -> _T:
    is_usual = rule is not _all_statements and tokens.kinds[0] in _USUAL_FIRST and _RARE.isdisjoint(tokens.kinds)
    grammar = CatalogDefinitionRules if is_usual else _whole_grammar()
    with secrets_hidden(tokens.text), room_for(tokens):
        try:
            return rule(grammar(tokens, parameters=parameters))
        except Backtrack as failure:
            # Parse again and record the expected tokens at the failing one; this raises the error.
            return rule(_whole_grammar()(tokens, watch=failure.index, parameters=parameters))


_USUAL_FIRST = {*QUERY_FIRST, "CREATE"}
"""The first words of the statements for which the rules of queries and definitions are enough, without the clauses ``_RARE``."""
_RARE = frozenset({"MATCH_RECOGNIZE", "PIVOT", "UNPIVOT"})


def _whole_grammar() -> type[CatalogDefinitionRules]:
    from table_api.sql.grammar.statements import Grammar  # the rules of statements that most programs do not have

    return Grammar


def _only_statement(stream: CatalogDefinitionRules) -> QueryNode | Statement | Operation:
    statement = stream.statement()
    if stream.accept(";") and stream.kind != END:
        raise stream.invalid("One statement is expected here, but another one follows.", stream.index + 1)
    if stream.kind != END:
        raise stream.unexpected(END)
    return statement


def _all_statements(stream: CatalogDefinitionRules) -> list[tuple[QueryNode | Statement | Operation, Span]]:
    statements: list[tuple[QueryNode | Statement | Operation, Span]] = []
    while True:
        while stream.accept(";"):
            pass
        if stream.kind == END:
            return statements
        start = stream.index
        statement = stream.statement()
        statements.append((statement, stream.span(start)))
        if stream.kind not in (";", END):
            raise stream.unexpected(";", END)


def _only_expression(stream: CatalogDefinitionRules) -> UnresolvedExpression:
    expression = stream.expression()
    if stream.kind != END:
        raise stream.unexpected(END)
    return expression
