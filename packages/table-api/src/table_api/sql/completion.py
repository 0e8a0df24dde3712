"""Completion at a position in a statement: keywords from the grammar, names from the catalogs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from table_api.sql.grammar.keywords import CALLABLE, NILADIC, RESERVED
from table_api.sql.grammar.lexer import Tokens, tokenize
from table_api.sql.grammar.syntax_error import EXPRESSION, OPERATOR
from table_api.sql.grammar.token_stream import NAMES
from table_api.sql.grammar.types import TYPE, TYPE_WORDS
from table_api.sql.parser import expected_tokens, split_statements
from table_api.sql.string_completion import StringNames, complete_string, open_string

_EXPRESSION_WORDS = frozenset(
    {"ARRAY", "CASE", "CAST", "EXISTS", "EXTRACT", "FALSE", "INTERVAL", "MAP", "NOT", "NULL", "ROW", "TRUE", "TRY_CAST"}
)
_OPERATOR_WORDS = frozenset({"AND", "BETWEEN", "IN", "IS", "LIKE", "NOT", "OR", "SIMILAR"})
_QUOTED_OR_WORD_AT_END = re.compile(r"`[^`]*`|(`[^`]*|[\w$]+)\Z")
_PLAIN_NAME = re.compile(r"[^\W\d][\w$]*")
_AFTER_TABLE = frozenset({"FROM", "JOIN", "INTO", "OVERWRITE", "UPDATE", "TABLE"})


class CompletionNames(StringNames, Protocol):
    """The names that completion offers, supplied by an environment. No method may raise."""

    def catalogs(self) -> Iterable[str]:
        """The catalogs."""

    def databases(self, catalog: str | None) -> Iterable[str]:
        """The databases of a catalog; None is the current one."""

    def tables(self, path: tuple[str, ...]) -> Iterable[str]:
        """The tables and views of the database ``path``; ``()`` is the current one, one part a database of the current catalog."""

    def columns(self, path: tuple[str, ...]) -> Sequence[str]:
        """The columns of a table; empty if there is no such table."""

    def query_columns(self, query: str) -> Sequence[str]:
        """The columns of a query; empty if it is wrong."""

    def functions(self) -> Iterable[str]:
        """The functions that can be called by a name of one part."""

    def modules(self) -> Iterable[str]:
        """The loaded modules."""


def complete(text: str, position: int, names: CompletionNames) -> list[str]:
    """Returns the completions at ``position`` of ``text``, sorted, names before keywords.

    The beginning of the word that precedes the position selects among them, ignoring case. Reserved words and names that are not plain words
    are quoted with back-ticks.
    """
    position = max(0, min(position, len(text)))
    quote = open_string(text[:position])
    if quote is not None:
        return complete_string(text[:position], quote, names)
    # Back-ticks in pairs are complete names.
    typed = next((match.group(1) for match in _QUOTED_OR_WORD_AT_END.finditer(text, 0, position) if match.group(1)), "")
    before = text[: position - len(typed)]
    expected = expected_tokens(before, len(before))
    if not expected:
        return []
    statement = _statement_around(before + text[position:], len(before))  # without an open back-tick
    qualifier = _qualifier(before)
    prefix = typed.lstrip("`").lower()
    matches = _matching({_quoted(name) for name in _names(expected, qualifier, statement, names)}, prefix)
    if EXPRESSION in expected and not qualifier:
        functions = {_quoted(name, is_function=True) for name in names.functions() if not name.startswith("$")}
        matches += _matching(functions.difference(matches), prefix)
    if qualifier or typed.startswith("`"):
        return matches
    return matches + sorted(word for word in _keywords(expected) if word.lower().startswith(prefix) and word not in matches)


def _matching(candidates: Iterable[str], prefix: str) -> list[str]:
    return sorted((name for name in candidates if name.lstrip("`").lower().startswith(prefix)), key=str.lower)


def _keywords(expected: frozenset[str]) -> set[str]:
    words = {word for word in expected if word.replace("_", "").isalpha() and word.isupper()}
    if EXPRESSION in expected:
        words |= _EXPRESSION_WORDS | NILADIC
    if OPERATOR in expected:
        words |= _OPERATOR_WORDS
    if TYPE in expected:
        words |= TYPE_WORDS
    return words


def _names(expected: frozenset[str], qualifier: tuple[str, ...], statement: Tokens, names: CompletionNames) -> list[str]:
    found: list[str] = []
    if expected & {EXPRESSION, "column name"}:
        found += _columns(qualifier, statement, names)
    if expected & {"table name", "view name"}:
        found += _tables(qualifier, names)
        if not qualifier:
            found += _common_tables(statement)
    if "database name" in expected:
        found += names.databases(qualifier[0] if qualifier else None)
        if not qualifier:
            found += names.catalogs()
    if not qualifier:
        for what, listed in (
            ("catalog name", names.catalogs),
            ("function name", names.functions),
            ("module name", names.modules),
        ):
            if what in expected:
                found += listed()
    return found


def _tables(qualifier: tuple[str, ...], names: CompletionNames) -> list[str]:
    found = list(names.tables(qualifier))
    if not qualifier:
        found += [*names.databases(None), *names.catalogs()]
    elif len(qualifier) == 1:
        found += names.databases(qualifier[0])
    return found


def _columns(qualifier: tuple[str, ...], statement: Tokens, names: CompletionNames) -> list[str]:
    """Returns the columns of all tables of the statement, or of the table that the qualifier names."""
    tables = _tables_of(statement)
    common = _common_tables(statement)

    def columns_of(path: tuple[str, ...]) -> Sequence[str]:
        query = common.get(path[0]) if len(path) == 1 else None
        return names.query_columns(query) if query is not None else names.columns(path)

    derived = _derived_tables(statement)
    if qualifier:
        if qualifier[-1] in derived:
            return list(names.query_columns(derived[qualifier[-1]]))
        path = next((path for alias, path in tables if alias == qualifier[-1] or path == qualifier), qualifier)
        return list(columns_of(path))
    columns = [column for _, path in tables for column in columns_of(path)]
    columns += [column for query in derived.values() for column in names.query_columns(query)]
    return columns + [alias for alias, _ in tables] + list(derived)


def _common_tables(statement: Tokens) -> dict[str, str]:
    """Returns the tables of WITH and, for each, the query that reads it."""
    kinds, values = statement.kinds, statement.values
    found: dict[str, str] = {}
    if not kinds or kinds[0] != "WITH":
        return found
    for index in range(1, len(kinds) - 2):
        if kinds[index] in NAMES and kinds[index - 1] in ("WITH", ",") and kinds[index + 1 : index + 3] == ["AS", "("]:
            end = _closing(kinds, index + 2)
            if end is None:
                break
            definitions = statement.text[statement.starts[0] : statement.ends[end]]
            found[values[index]] = f"{definitions} SELECT * FROM {_quoted(values[index])}"
    return found


def _derived_tables(statement: Tokens) -> dict[str, str]:
    """Returns the queries in FROM by their aliases."""
    kinds = statement.kinds
    found: dict[str, str] = {}
    for index in range(1, len(kinds) - 1):
        if kinds[index] == "(" and kinds[index - 1] in ("FROM", "JOIN", ",") and kinds[index + 1] in ("SELECT", "WITH", "VALUES"):
            end = _closing(kinds, index)
            if end is None:
                continue
            alias = end + 2 if kinds[end + 1] == "AS" else end + 1
            if alias < len(kinds) and kinds[alias] in NAMES:
                found[statement.values[alias]] = statement.text[statement.starts[index + 1] : statement.ends[end - 1]]
    return found


def _closing(kinds: Sequence[str], start: int) -> int | None:
    """Returns the position of the parenthesis that closes the one at ``start``, or None."""
    depth = 0
    for index in range(start, len(kinds)):
        depth += (kinds[index] == "(") - (kinds[index] == ")")
        if depth == 0:
            return index
    return None


def _tables_of(statement: Tokens) -> list[tuple[str, tuple[str, ...]]]:
    """Returns alias and path of tables after FROM, JOIN and similar keywords; the statement may be incomplete."""
    kinds, values = statement.kinds, statement.values
    tables: list[tuple[str, tuple[str, ...]]] = []
    in_from = False
    index = 0
    while index < len(kinds) - 1:
        kind = kinds[index]
        index += 1
        if kind in _AFTER_TABLE:
            in_from = True
        elif not (kind == "," and in_from):
            in_from = in_from and kind not in ("WHERE", "SELECT", "GROUP", "ON", "SET")
            continue
        if kinds[index] not in NAMES:
            continue
        path = [values[index]]
        while kinds[index + 1] == "." and kinds[index + 2] in NAMES:
            index += 2
            path.append(values[index])
        index += 1
        if kinds[index] == "AS":
            index += 1
        alias = path[-1]
        if kinds[index] in NAMES:
            alias = values[index]
            index += 1
        tables.append((alias, tuple(path)))
    return tables


def _statement_around(text: str, position: int) -> Tokens:
    for span in split_statements(text):
        if span.start <= position <= span.end + 1:
            return tokenize(text[span.start : span.end], lenient=True)
    return tokenize("")


def _qualifier(before: str) -> tuple[str, ...]:
    """Returns the parts of the qualifier before the position: (a, b) for ``a.b.``."""
    tokens = tokenize(before, lenient=True)
    parts: list[str] = []
    index = len(tokens.kinds) - 2
    while index >= 1 and tokens.kinds[index] == "." and tokens.kinds[index - 1] in NAMES:
        parts.insert(0, tokens.values[index - 1])
        index -= 2
    return tuple(parts)


def _quoted(name: str, *, is_function: bool = False) -> str:
    # Built-in functions in upper case, such as EXTRACT and FLOOR, have a syntax of their own if they are reserved.
    is_word = name.upper() in RESERVED and not (is_function and (name.isupper() or name.upper() in CALLABLE))
    plain = _PLAIN_NAME.fullmatch(name) is not None and not is_word
    return name if plain else "`" + name.replace("`", "``") + "`"
