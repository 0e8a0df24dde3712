"""The messages of syntax errors: the unexpected token, the expected ones, and hints for common mistakes."""

from __future__ import annotations

from collections.abc import Sequence, Set

from table_api.sql.grammar.keywords import RESERVED, STATEMENT_STARTS
from table_api.sql.grammar.lexer import END, HINT, IDENTIFIER, STRING
from table_common.exceptions import SourcePosition, SqlParserException, closest

EXPRESSION = "an expression"
OPERATOR = "an operator"
_SHOWN = 12
_ALMOST_ALWAYS = frozenset({OPERATOR, "(", ".", HINT})
_CLAUSES = frozenset(
    [
        "AND",
        "AS",
        "BY",
        "ELSE",
        "END",
        "EXCEPT",
        "FROM",
        "GROUP",
        "HAVING",
        "IN",
        "INTERSECT",
        "INTO",
        "IS",
        "JOIN",
        "LIKE",
        "LIMIT",
        "NOT",
        "ON",
        "OR",
        "ORDER",
        "PARTITION",
        "SELECT",
        "SET",
        "THEN",
        "UNION",
        "VALUES",
        "WHEN",
        "WHERE",
        "WITH",
    ]
)
"""Reserved words that are not meant as a name where they are unexpected."""

_FOREIGN_STATEMENTS = {
    "COPY": "CREATE TABLE x WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '…') AS SELECT * FROM t; in the SQL client \\o x.csv "
    "writes the next results to a file",
    "SUMMARIZE": "SELECT COUNT(*), COUNT(a), COUNT(DISTINCT a), MIN(a), MAX(a), AVG(a) FROM t; in the SQL client \\summary t",
    "ATTACH": "CREATE CATALOG, which SHOW CATALOGS lists",
    "PRAGMA": "SET 'key' = 'value', and SET lists the options",
    "VACUUM": "ANALYZE TABLE t COMPUTE STATISTICS, which the optimizer uses",
}
"""The first word of a statement, and what to write instead."""
_CALLS = frozenset({EXPRESSION, "function name", "UNNEST"})
"""One of these is expected where a word before a parenthesis calls a function; elsewhere it is the name of a table, a view or a column."""


def syntax_error(
    text: str, kinds: Sequence[str], values: Sequence[str], index: int, position: SourcePosition, expected: Set[str]
) -> SqlParserException:
    """Returns the error for the token ``index``, where one of ``expected`` was expected."""
    if kinds[index] != END:
        message = f"Unexpected '{values[index]}'"
    else:
        message = "Unexpected end of the statement" if index else "The statement is empty"
    # Tokens that continue the preceding expression or name are possible almost everywhere, so they do not help.
    words = sorted(expected - _ALMOST_ALWAYS if expected - _ALMOST_ALWAYS else expected, key=lambda word: (word.isupper(), word))
    if len(words) == 1:
        message += f", expected {_shown(words[0])}."
    elif 1 < len(words) <= _SHOWN:
        message += f", expected one of {', '.join(map(_shown, words))}."
    elif words:
        message += f", expected one of {', '.join(map(_shown, words[:_SHOWN]))} and {len(words) - _SHOWN} more."
    else:
        message += "."
    return SqlParserException(message, position=position, hint=_hint(kinds, values, index, expected), expected=tuple(sorted(expected)))


def _shown(expected: str) -> str:
    return expected if expected.isupper() or " " in expected or expected.isalpha() else f"'{expected}'"


def _hint(kinds: Sequence[str], values: Sequence[str], index: int, expected: Set[str]) -> str | None:
    kind = kinds[index]
    before = kinds[index - 1] if index else ""
    word = values[index].upper()
    special = _special_hint(kind, word, before, expected)
    if special is not None:
        return special
    keywords = [name for name in expected if name.isupper()]
    if index == 0:
        if word in _FOREIGN_STATEMENTS:
            return f"write {_FOREIGN_STATEMENTS[word]}"
        if word == "FROM":
            return f"a query begins with SELECT: SELECT * FROM {_path_at(kinds, values, 1) or 't'}"
        keywords = sorted(STATEMENT_STARTS)
    # A misspelled keyword is often read as an alias, so the word before is looked at too: SELECT a FORM t.
    for place in (index, index - 1):
        if place >= 0 and kinds[place] == IDENTIFIER and values[place].upper() not in keywords:
            found = closest(values[place], keywords, 1)
            if found:
                return f"did you mean {found[0]} instead of '{values[place]}'?"
    takes_name = any(name == IDENTIFIER or name.endswith(" name") or name in (EXPRESSION, "alias") for name in expected)
    if kind in RESERVED - _CLAUSES and takes_name:
        if kinds[index + 1] == "(" and not _CALLS.isdisjoint(expected):
            from table_common.functions import FOREIGN_FUNCTIONS

            instead = FOREIGN_FUNCTIONS.get(word)
            if instead is not None:
                return f"{kind} is not a function here; write {instead}"
            return f"{kind} is a reserved word, not a function; a function of that name needs back-ticks: `{values[index]}`(…)"
        return f"{kind} is a reserved word; as a name it needs back-ticks: `{values[index]}`"
    return None


def _path_at(kinds: Sequence[str], values: Sequence[str], index: int) -> str:
    """Returns the path or file name that begins at a token, as it is written."""
    end = index
    while end < len(kinds) and kinds[end] in (IDENTIFIER, STRING, ".") and (end == index or "." in (kinds[end], kinds[end - 1])):
        end += 1
    is_quoted = [kinds[i] == IDENTIFIER and not values[i].isidentifier() for i in range(index, end)]
    return "".join(f"`{value}`" if quoted else value for value, quoted in zip(values[index:end], is_quoted, strict=True))


def _special_hint(kind: str, word: str, before: str, expected: Set[str]) -> str | None:
    if before == "," and kind in ("FROM", ")", END, ";"):
        return "remove the comma before, or add what should follow it"
    if word.upper() == "EMIT":
        return "EMIT is not supported: a window function such as TUMBLE emits each window once, other streaming aggregates emit a changelog"
    if kind == "(" and before == IDENTIFIER and "FROM" in expected:
        return "is a comma missing before?"
    if before == "(" and kind == ")" and EXPRESSION in expected:
        return "a list needs at least one value"
    if kind == HINT:
        return "a hint /*+ … */ is only allowed after SELECT or after the name of a table"
    if kind == STRING and before == STRING:
        return "a quote inside a string is doubled: 'it''s'"
    if kind == STRING and "table name" in expected:
        if before == "INTO":
            return "a file is written through a table: CREATE TABLE t WITH ('connector' = 'filesystem', …) AS SELECT …"
        return "a file is read in FROM: CREATE TEMPORARY VIEW v AS SELECT * FROM 'data.csv' gives it a name"
    if kind == "INTO":
        return "to store a result write INSERT INTO t SELECT …, or CREATE TABLE t AS SELECT …"
    if kind == END and ")" in expected:
        return "is a closing parenthesis missing?"
    if kind == END and {"ELSE", "END"} <= expected:
        return "CASE is closed by END"
    return None
