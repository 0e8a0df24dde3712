"""Random queries inside of queries give the rows that SQLite gives, which runs them row by row.

Every seed is a handful of queries over three small tables with many NULLs. A seed that fails is a query to be added to the conformance
cases.
"""

from __future__ import annotations

import random
import sqlite3
from typing import Any

import pytest

COLUMNS = ("n", "k", "v", "w")
TABLES = {"a": 10, "b": 7, "c": 4, "d": 0}
SEEDS = range(12)
QUERIES_PER_SEED = 8


class Generator:
    """Makes queries; ``scopes`` are the aliases that a place sees, the innermost last."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.aliases = 0

    def alias(self) -> str:
        self.aliases += 1
        return f"q{self.aliases}"

    def column(self, scopes: list[list[str]], inside: float = 0.6) -> str:
        local = len(scopes) == 1 or self.random.random() < inside
        aliases = scopes[-1] if local else self.random.choice(scopes[:-1])
        return f"{self.random.choice(aliases)}.{self.random.choice(COLUMNS)}"

    def expression(self, scopes: list[list[str]]) -> str:
        match self.random.randrange(8):
            case 0 | 1:
                return str(self.random.randint(0, 4))
            case 2:
                return f"({self.column(scopes)} + {self.column(scopes)})"
            case 3:
                return f"COALESCE({self.column(scopes)}, {self.random.randint(0, 3)})"
            case _:
                return self.column(scopes)

    def condition(self, scopes: list[list[str]], depth: int) -> str:
        choice = self.random.randrange(6 if depth <= 0 else 12)
        not_ = self.random.choice(["", "NOT "])
        match choice:
            case 0 | 1 | 2:
                return f"{self.expression(scopes)} {self.random.choice(['=', '=', '<>', '<', '>='])} {self.expression(scopes)}"
            case 3:
                return f"{self.column(scopes)} IS {not_}NULL"
            case 4:
                return f"({self.condition(scopes, depth - 1)} {self.random.choice(['AND', 'OR'])} {self.condition(scopes, depth - 1)})"
            case 5:
                return f"NOT ({self.condition(scopes, depth - 1)})"
            case 6 | 7:
                return f"{not_}EXISTS ({self.query(scopes, depth - 1)})"
            case 8 | 9 | 10:
                return f"{self.expression(scopes)} {not_}IN ({self.query(scopes, depth - 1)})"
            case _:
                return f"{self.expression(scopes)} {self.random.choice(['=', '<', '>'])} ({self.scalar(scopes, depth - 1)})"

    def where(self, scopes: list[list[str]], depth: int) -> str:
        parts = [self.condition(scopes, depth) for _ in range(self.random.choice([0, 1, 1, 2]))]
        if len(scopes) > 1 and self.random.random() < 0.7:
            parts.insert(0, f"{self.column(scopes, 1)} = {self.column(scopes, 0)}")
        return f" WHERE {' AND '.join(parts)}" if parts else ""

    def source(self, scopes: list[list[str]], depth: int) -> tuple[str, list[str]]:
        first, table = self.alias(), self.random.choice(list(TABLES))
        match self.random.randrange(6):
            case 0:
                second = self.alias()
                both = [first, second]
                condition = f"{first}.{self.random.choice(COLUMNS)} = {second}.{self.random.choice(COLUMNS)}"
                if self.random.random() < 0.4:
                    condition += f" AND {self.column([*scopes, both], 0.4)} = {self.column([*scopes, both], 1)}"
                join = self.random.choice(["JOIN", "LEFT JOIN"])
                return f"{table} {first} {join} {self.random.choice(list(TABLES))} {second} ON {condition}", both
            case 1 if depth > 0 and not scopes:
                inner = self.alias()
                distinct = self.random.choice(["", "DISTINCT "])
                return f"(SELECT {distinct}n, k, v, w FROM {table} {inner}{self.where([[inner]], depth - 1)}) {first}", [first]
            case _:
                return f"{table} {first}", [first]

    def aggregate(self, scopes: list[list[str]]) -> str:
        column = f"{self.random.choice(scopes[-1])}.{self.random.choice(COLUMNS)}"
        function = self.random.choice(["COUNT(*)", "COUNT({})", "COUNT(DISTINCT {})", "SUM({})", "MIN({})", "MAX({})"])
        return function.format(column)

    def query(self, scopes: list[list[str]], depth: int) -> str:
        source, aliases = self.source(scopes, depth)
        inside = [*scopes, aliases]
        where = self.where(inside, depth)
        match self.random.randrange(8):
            case 0:
                return f"SELECT {self.aggregate(inside)} FROM {source}{where}"
            case 1:
                group = f"{aliases[0]}.{self.random.choice(COLUMNS)}"
                having = f" HAVING {self.aggregate(inside)} > {self.random.randint(0, 3)}" if self.random.random() < 0.5 else ""
                return f"SELECT {self.random.choice([group, self.aggregate(inside)])} FROM {source}{where} GROUP BY {group}{having}"
            case 2:
                other, others = self.source(scopes, 0)
                operator = self.random.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
                second = f"SELECT {self.column([*scopes, others], 1)} FROM {other}{self.where([*scopes, others], 0)}"
                return f"SELECT {self.column(inside, 1)} FROM {source}{where} {operator} {second}"
            case 3:
                return f"SELECT DISTINCT {self.expression(inside)} FROM {source}{where}"
            case _:
                return f"SELECT {self.expression(inside)} FROM {source}{where}"

    def scalar(self, scopes: list[list[str]], depth: int) -> str:
        source, aliases = self.source(scopes, depth)
        inside = [*scopes, aliases]
        where = self.where(inside, depth)
        if self.random.random() < 0.25:
            order = ", ".join(f"{alias}.{column}" for alias in aliases for column in COLUMNS)
            return f"SELECT {self.column(inside, 1)} FROM {source}{where} ORDER BY {order} LIMIT 1"
        return f"SELECT {self.random.choice(['{}', 'COALESCE({}, 0) + 1']).format(self.aggregate(inside))} FROM {source}{where}"

    def statement(self) -> str:
        source, aliases = self.source([], 1)
        scopes = [aliases]
        selected = [f"{aliases[0]}.n", self.column(scopes)]
        if self.random.random() < 0.4:
            selected.append(f"({self.scalar(scopes, 1)})")
        if self.random.random() < 0.4:
            selected.append(self.condition(scopes, 1))
        return f"SELECT {', '.join(selected)} FROM {source}{self.where(scopes, 2)}"


@pytest.fixture(scope="module")
def rows() -> dict[str, list[tuple[int | None, ...]]]:
    choose = random.Random(7)
    return {
        table: [(i, *(choose.choice([None, None, 0, 1, 2, 3, 4]) for _ in COLUMNS[1:])) for i in range(count)]
        for table, count in TABLES.items()
    }


def normalized(found: Any) -> list[tuple[int | None, ...]]:
    """Returns the rows in one order, with truth as SQLite writes it."""
    return sorted((tuple(None if value is None else int(value) for value in row) for row in found), key=str)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rows_are_those_of_sqlite(seed: int, env: Any, query: Any, rows: dict[str, list[tuple[int | None, ...]]]) -> None:
    database = sqlite3.connect(":memory:")
    try:
        for table, content in rows.items():
            database.execute(f"CREATE TABLE {table} ({', '.join(COLUMNS)})")
            database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", content)
            values = ", ".join(f"({', '.join('CAST(NULL AS INT)' if v is None else str(v) for v in row)})" for row in content or [(0,) * 4])
            condition = "" if content else " WHERE n > 0"
            env.execute_sql(f"CREATE TEMPORARY VIEW {table} AS SELECT * FROM (VALUES {values}) AS t({', '.join(COLUMNS)}){condition}")
        generator = Generator(seed)
        for _ in range(QUERIES_PER_SEED):
            sql = generator.statement()
            assert normalized(query(sql)) == normalized(database.execute(sql)), sql
    finally:
        database.close()
