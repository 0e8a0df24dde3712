"""Names and constants in SQL text, and the clauses that are made of them, as standard SQL writes them."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def quote_name(name: str) -> str:
    """Returns a name in double quotes.

    Example:
        >>> quote_name('a"b')
        '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Returns a text in single quotes, for databases in which a backslash is an ordinary character.

    Example:
        >>> quote_text("O'Neil")
        "'O''Neil'"
    """
    return "'" + text.replace("'", "''") + "'"


def where_clause(conditions: Sequence[str]) -> str:
    """Returns the WHERE of all conditions, with a space before it; nothing if there are none.

    Example:
        >>> "DELETE FROM t" + where_clause(["a = 1", "b = 2"])
        'DELETE FROM t WHERE a = 1 AND b = 2'
    """
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def conflict_clause(names: Sequence[str], keys: Collection[str]) -> str:
    """Returns what makes an INSERT of these columns an upsert by the key, with a space before it: PostgreSQL's clause, which others have too.

    Example:
        >>> conflict_clause(["id", "name"], ["id"])
        ' ON CONFLICT ("id") DO UPDATE SET "name" = excluded."name"'
    """
    others = [f"{quote_name(name)} = excluded.{quote_name(name)}" for name in names if name not in keys]
    action = f"UPDATE SET {', '.join(others)}" if others else "NOTHING"
    return f" ON CONFLICT ({', '.join(map(quote_name, keys))}) DO {action}"
