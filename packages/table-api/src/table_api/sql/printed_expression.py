"""Prints a declared expression: names in back-ticks, keywords and built-in functions in upper case, units of intervals in the singular."""

from __future__ import annotations

from collections.abc import Iterator

from table_api.expressions.unresolved import Call, Reference, UnresolvedExpression
from table_api.sql.grammar.keywords import KEYWORDS
from table_api.sql.grammar.lexer import NUMBER, STRING, tokenize
from table_api.sql.grammar.literals import INTERVAL_UNITS
from table_api.sql.parser import parse_expression
from table_common.functions.builtin import lookup_built_in
from table_common.tree import preorder
from table_common.types import quote_identifier


def printed_expression(text: str) -> str:
    """Returns the text of an expression as SHOW CREATE prints it; blanks, parentheses and user functions stay as they are written.

    Example:
        >>> printed_expression("ts - interval '5' seconds")
        "`ts` - INTERVAL '5' SECOND"

    Raises:
        SqlParserException: the text is not an expression.
    """
    changes = dict(_words(text))
    changes.update(_names(text))
    for (start, end), word in sorted(changes.items(), reverse=True):
        text = text[:start] + word + text[end:]
    return text


def _names(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for node in preorder(parse_expression(text), UnresolvedExpression):
        if isinstance(node, Reference):
            for span, name in zip(node.part_spans, node.path, strict=True):
                yield (span.start, span.end), quote_identifier(name)
        elif isinstance(node, Call) and isinstance(node.function, tuple) and node.name_span is not None:
            name = node.function[-1].upper()
            if len(node.function) == 1 and lookup_built_in(name) is not None:
                yield (node.name_span.start, node.name_span.end), name


def _words(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yields the keywords and numbers in upper case; a name that is a keyword is overwritten by ``_names``."""
    tokens = tokenize(text)
    kinds = tokens.kinds
    for index, kind in enumerate(kinds):
        place = tokens.starts[index], tokens.ends[index]
        if kind == NUMBER:
            yield place, text[place[0] : place[1]].upper()
        elif kind in KEYWORDS:
            is_unit = index > 1 and kinds[index - 1] == STRING and kinds[index - 2] == "INTERVAL"
            yield place, INTERVAL_UNITS.get(kind, kind) if is_unit else kind
