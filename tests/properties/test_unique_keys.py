"""Derived unique keys are correct: no two rows of a random query have equal values in the columns of a key."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import QueryOperation
from table_api.plan.changelog.keys import unique_keys
from table_common.tree import preorder
from table_testing.rounds import rounds

QUERIES = len(rounds(400))
TABLES = {
    "one": (["a INT", "b INT", "c INT", "PRIMARY KEY (a) NOT ENFORCED"], [(a, a % 3 or None, a % 2) for a in range(7)]),
    "two": (["a INT", "b INT", "c INT", "PRIMARY KEY (a, b) NOT ENFORCED"], [(a, b, a * b % 3) for a in range(4) for b in range(3)]),
    "none": (["a INT", "b INT", "c INT"], [(1, 2, None), (1, 2, None), (None, None, 0), (3, None, 1), (3, None, 2), (0, 0, 0)]),
}
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
SETS = ("UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")


@pytest.fixture(scope="module")
def env() -> Iterator[TableEnvironment]:
    environment = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    for name, (columns, rows) in TABLES.items():
        environment.execute_sql(f"CREATE TABLE `{name}` ({', '.join(columns)}) WITH ('connector' = 'memory')")
        values = ", ".join(str(tuple("CAST(NULL AS INT)" if value is None else value for value in row)).replace("'", "") for row in rows)
        environment.execute_sql(f"INSERT INTO `{name}` VALUES {values}").wait()
    yield environment
    environment.close()


class Generator:
    """Generates queries with the columns c0, c1, … of type INT."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def query(self, depth: int) -> tuple[str, int]:
        """Returns a query and its number of columns."""
        if depth == 0:
            name = self._chance.choice(list(TABLES))
            return f"SELECT a AS c0, b AS c1, c AS c2 FROM `{name}`", 3
        return self._chance.choice(
            (
                self._filter,
                self._project,
                self._join,
                self._semi_join,
                self._group,
                self._distinct,
                self._limit,
                self._set,
                self._first,
                self._sets,
            )
        )(depth - 1)

    def _columns(self, width: int, count: int | None = None) -> list[int]:
        return [self._chance.randrange(width) for _ in range(count or self._chance.randint(1, 3))]

    def _filter(self, depth: int) -> tuple[str, int]:
        text, width = self.query(depth)
        column = self._chance.randrange(width)
        condition = self._chance.choice((f"c{column} = 1", f"c{column} > 0", f"c{column} IS NULL", f"c{column} = 1 OR c0 = 2"))
        return f"SELECT * FROM ({text}) WHERE {condition}", width

    def _project(self, depth: int) -> tuple[str, int]:
        text, width = self.query(depth)
        items = [self._chance.choice((f"c{column}", f"c{column}", f"c{column} + 1")) for column in self._columns(width, 3)]
        return f"SELECT {', '.join(f'{item} AS c{number}' for number, item in enumerate(items))} FROM ({text})", 3

    def _join(self, depth: int) -> tuple[str, int]:
        (left, wide), (right, other) = self.query(depth), self.query(depth)
        equal = " AND ".join(
            f"l.c{self._chance.randrange(wide)} = r.c{self._chance.randrange(other)}" for _ in range(self._chance.randint(1, 2))
        )
        if self._chance.random() < 0.2:
            equal = equal.replace("=", "IS NOT DISTINCT FROM")
        columns = [f"l.c{i}" for i in range(wide)] + [f"r.c{i}" for i in range(other)]
        columns = columns[:6]
        names = ", ".join(f"{column} AS c{number}" for number, column in enumerate(columns))
        return f"SELECT {names} FROM ({left}) AS l {self._chance.choice(JOINS)} ({right}) AS r ON {equal}", len(columns)

    def _semi_join(self, depth: int) -> tuple[str, int]:
        (left, width), (right, other) = self.query(depth), self.query(depth)
        negation = self._chance.choice(("", "NOT "))
        condition = f"r.c{self._chance.randrange(other)} = l.c{self._chance.randrange(width)}"
        return f"SELECT * FROM ({left}) AS l WHERE {negation}EXISTS (SELECT 1 FROM ({right}) AS r WHERE {condition})", width

    def _group(self, depth: int) -> tuple[str, int]:
        text, width = self.query(depth)
        keys = sorted(set(self._columns(width)))
        if self._chance.random() < 0.1:
            return f"SELECT CAST(COUNT(*) AS INT) AS c0 FROM ({text})", 1
        names = ", ".join(f"c{column} AS c{number}" for number, column in enumerate(keys))
        group = ", ".join(f"c{column}" for column in keys)
        return f"SELECT {names}, CAST(COUNT(*) AS INT) AS c{len(keys)} FROM ({text}) GROUP BY {group}", len(keys) + 1

    def _sets(self, depth: int) -> tuple[str, int]:
        text, _ = self.query(depth)
        kind = self._chance.choice(("ROLLUP (c0)", "CUBE (c0)", "GROUPING SETS ((c0), ())"))
        return f"SELECT c0, CAST(COUNT(*) AS INT) AS c1 FROM ({text}) GROUP BY {kind}", 2

    def _distinct(self, depth: int) -> tuple[str, int]:
        text, width = self.query(depth)
        return f"SELECT DISTINCT * FROM ({text})", width

    def _limit(self, depth: int) -> tuple[str, int]:
        text, width = self.query(depth)
        return f"SELECT * FROM ({text}) ORDER BY c0 LIMIT {self._chance.choice((1, 3))}", width

    def _first(self, depth: int) -> tuple[str, int]:
        text, width = self.query(depth)
        partition = ", ".join(f"c{column}" for column in self._columns(width))
        columns = ", ".join(f"c{column}" for column in range(width))
        rank = self._chance.choice(("= 1", "<= 2"))
        numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY c0) AS rn FROM ({text})"
        return f"SELECT {columns}, CAST(rn AS INT) AS c{width} FROM ({numbered}) WHERE rn {rank}", width + 1

    def _set(self, depth: int) -> tuple[str, int]:
        (left, wide), (right, other) = self.query(depth), self.query(depth)
        width = min(wide, other)
        columns = ", ".join(f"c{column}" for column in range(width))
        operator = self._chance.choice(SETS)
        return f"SELECT * FROM (SELECT {columns} FROM ({left}) {operator} SELECT {columns} FROM ({right}))", width


def _repeated(rows: Sequence[Sequence[Any]], key: frozenset[int]) -> bool:
    values = [tuple(row[column] for column in sorted(key)) for row in rows]
    return len(set(values)) < len(values)


def test_no_two_rows_have_equal_values_in_the_columns_of_a_key(env: TableEnvironment) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    generator = Generator(random.Random(seed))
    with_keys = 0
    for _ in range(QUERIES):
        text, _ = generator.query(generator._chance.randint(1, 3))
        table = env.sql_query(text)
        plan = table.query_operation
        rows = [tuple(row) for row in table.execute().collect()]
        keys = unique_keys(plan)[id(plan)]
        with_keys += bool(keys)
        for key in keys:
            assert not _repeated(rows, key), f"{text}\nkey {sorted(key)} of {rows}\n{plan.as_summary_string()}"
        assert len(unique_keys(plan)) == len(preorder(plan, QueryOperation))
    assert with_keys > QUERIES // 4
