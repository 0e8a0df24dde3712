"""Mutations that make the text of statements invalid."""

from __future__ import annotations

import random
import re

__all__ = ["mutated"]

TOKEN = re.compile(r"'(?:[^']|'')*'|`[^`]*`|\"[^\"]*\"|[A-Za-z_$][\w$]*|\d+(?:\.\d+)?|<=|>=|<>|!=|=>|\|\||::|\s+|.", re.DOTALL)
STRANGE = [
    *[
        "(",
        ")",
        ",",
        ".",
        ";",
        "*",
        "+",
        "-",
        "/",
        "%",
        "=",
        "<",
        ">",
        "?",
        ":",
        "@",
        "#",
        "[",
        "]",
        "{",
        "}",
        "'",
        '"',
        "`",
        "\\",
        "|",
        "&",
        "^",
        "~",
        "$",
        "\x00",
        "\xa0",
        "\u202e",
        "é",
        "漢",
        "😀",
    ],
    *[
        "NULL",
        "TRUE",
        "0",
        "-1",
        "1e400",
        "99999999999999999999",
        "2147483648",
        "0.1",
        "''",
        "'x'",
        "X'zz'",
        "DATE",
        "'2024-13-01'",
        "INTERVAL",
        "'1'",
        "DAY",
        "TIMESTAMP",
        "'0000-00-00'",
    ],
    *[
        "SELECT",
        "FROM",
        "WHERE",
        "GROUP",
        "BY",
        "HAVING",
        "ORDER",
        "LIMIT",
        "OFFSET",
        "JOIN",
        "LEFT",
        "ON",
        "USING",
        "UNION",
        "ALL",
        "EXCEPT",
        "IN",
        "EXISTS",
        "NOT",
        "AND",
        "OR",
        "CASE",
        "WHEN",
        "THEN",
        "END",
    ],
    *[
        "OVER",
        "PARTITION",
        "ROWS",
        "BETWEEN",
        "PRECEDING",
        "CAST",
        "AS",
        "WITH",
        "VALUES",
        "DISTINCT",
        "LATERAL",
        "TABLE",
        "UNNEST",
        "INSERT",
        "INTO",
        "CREATE",
        "VIEW",
        "EXPLAIN",
        "ROW",
        "ARRAY",
        "MAP",
    ],
    *[
        "COUNT(*)",
        "SUM",
        "AVG",
        "LISTAGG",
        "RAND()",
        "REPEAT('ab',1000000)",
        "SUBSTRING",
        "JSON_VALUE",
        "CURRENT_TIMESTAMP",
        "TUMBLE",
        "MATCH_RECOGNIZE",
    ],
]


def mutated(sql: str, other: str, generator: random.Random) -> str:
    """Returns the statement with one to four errors."""
    tokens = TOKEN.findall(sql)
    for _ in range(generator.choice((1, 1, 1, 2, 2, 3, 4))):
        tokens = _mutated_once(tokens, other, generator) or tokens
    return "".join(tokens)


def _mutated_once(tokens: list[str], other: str, generator: random.Random) -> list[str]:
    at = generator.randrange(len(tokens))
    to = min(len(tokens), at + generator.randint(1, 8))
    match generator.randrange(16):
        case 0:
            return tokens[:at] + tokens[to:]
        case 1:
            return tokens[:to] + tokens[at:]
        case 2:
            return [*tokens[:at], " ", generator.choice(STRANGE), " ", *tokens[at:]]
        case 3:
            return [*tokens[:at], generator.choice(STRANGE), *tokens[at + 1 :]]
        case 4:
            elsewhere = generator.randrange(len(tokens))
            return [*tokens[:at], tokens[elsewhere], *tokens[at + 1 :]]
        case 5:
            return tokens[:at]
        case 6:
            others = TOKEN.findall(other)
            start = generator.randrange(len(others))
            return [*tokens[:at], *others[start : start + generator.randint(1, 20)], *tokens[at:]]
        case 7:
            numbers = [i for i, token in enumerate(tokens) if token[0].isdigit()]
            if not numbers:
                return []
            i = generator.choice(numbers)
            return [*tokens[:i], generator.choice(("0", "-1", "2147483648", "9223372036854775808", "1e308", "0.0000001")), *tokens[i + 1 :]]
        case 8:
            words = [i for i, token in enumerate(tokens) if token[0].isalpha()]
            if len(words) < 2:
                return []
            i, j = generator.sample(words, 2)
            swapped = list(tokens)
            swapped[i], swapped[j] = tokens[j], tokens[i]
            return swapped
        case 9:
            depth = generator.choice((1, 3, 50, 2000))
            return [*tokens[:at], "(" * depth, *tokens[at:to], ")" * depth, *tokens[to:]]
        case _:  # most often accepted by the grammar: another token of the same kind
            sort = _sort(tokens[at])
            others = [token for token in [*tokens, *TOKEN.findall(other)] if _sort(token) == sort]
            return [*tokens[:at], generator.choice(others), *tokens[at + 1 :]]


def _sort(token: str) -> str:
    return "word" if token[0].isalpha() else "number" if token[0].isdigit() else token[0]
