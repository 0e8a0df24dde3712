"""No rewrite loses the durations of STATE_TTL hints: those of random queries are in the optimized plan, in its text and in the compiled plan."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import CollectModifyOperation, QueryOperation, StateTtl
from table_api.operations.sql_text import query_text
from table_api.plan.compiled import read_plan
from table_api.plan.optimizer import optimize_stream
from table_common.tree import Part, children_of, preorder
from table_testing.rounds import rounds

QUERIES = len(rounds(300))
TABLES = ("t", "u", "v")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")


@pytest.fixture(scope="module")
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as environment:
        for name in TABLES:
            environment.execute_sql(f"CREATE TABLE {name} (a INT, b INT, c STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
        environment.execute_sql("CREATE TABLE sink (a INT, b INT) WITH ('connector' = 'blackhole')")
        yield environment


class Generator:
    """Writes queries with the columns a and b of type INT; every hint has another duration."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.hints = 0

    def query(self, depth: int) -> str:
        """Returns a query."""
        if depth == 0:
            return f"SELECT a, b FROM {self._chance.choice(TABLES)}"
        return self._chance.choice((self._join, self._joins, self._group, self._distinct, self._union, self._filter, self._where))(
            depth - 1
        )

    def _ttl(self, alias: str) -> str:
        self.hints += 1
        return f"'{alias}' = '{self.hints} s'"

    def _hint(self, *aliases: str) -> str:
        return f"/*+ STATE_TTL({', '.join(map(self._ttl, aliases))}) */"

    def _table(self, depth: int) -> str:
        return self._chance.choice(TABLES) if self._chance.random() < 0.4 else f"({self.query(depth)})"

    def _join(self, depth: int) -> str:
        kind = self._chance.choice(JOINS)
        aliases = self._chance.choice((("x",), ("y",), ("x", "y")))
        right = "x" if "SEMI" in kind or "ANTI" in kind else "y"
        condition = self._chance.choice(("x.a = y.a", "x.a = y.a AND x.b > y.b", "x.a = y.b AND y.a > 3", "x.a = y.b AND x.b > 3"))
        if self._chance.random() < 0.3:
            condition += f" AND x.b IN (SELECT a FROM {self._chance.choice(TABLES)})"
        sources = f"{self._table(depth)} AS x {kind} {self._table(depth)} AS y ON {condition}"
        return f"SELECT {self._hint(*aliases)} x.a, {right}.b FROM {sources}"

    def _joins(self, depth: int) -> str:
        first, second = self._chance.choice(JOINS[:4]), self._chance.choice(JOINS[:4])
        sources = f"{self._table(depth)} AS x {first} {self._table(0)} AS y ON x.a = y.a {second} {self._table(0)} AS z ON y.a = z.b"
        return f"SELECT {self._hint('x', 'y', 'z')} x.a, SUM(y.b) AS b FROM {sources} GROUP BY x.a"

    def _group(self, depth: int) -> str:
        select = self._chance.choice(
            (
                "a, CAST(COUNT(*) AS INT) AS b FROM {0} AS x GROUP BY a",
                "a, MAX(b) AS b FROM {0} AS x WHERE b > 1 GROUP BY a HAVING COUNT(*) > 1",
                "MIN(a) AS a, CAST(COUNT(DISTINCT b) AS INT) AS b FROM {0} AS x",
                "a, CAST(GROUPING(a) AS INT) AS b FROM {0} AS x GROUP BY ROLLUP (a)",
                "a, CAST(GROUP_ID() AS INT) AS b FROM {0} AS x GROUP BY GROUPING SETS ((a), (a), ())",
            )
        )
        return f"SELECT {self._hint('x')} {select.format(self._table(depth))}"

    def _distinct(self, depth: int) -> str:
        return f"SELECT {self._hint('x')} DISTINCT a, b FROM {self._chance.choice(TABLES)} AS x"

    def _union(self, depth: int) -> str:
        left, right = self.query(depth), self.query(depth)
        kinds = ("UNION ALL", "INTERSECT", "EXCEPT", "UNION")
        kind = self._chance.choice(kinds[:3] if "DISTINCT a" in left + right else kinds)  # a DISTINCT below UNION has no use and is removed
        return f"SELECT a, b FROM ({left} {kind} {right})"

    def _filter(self, depth: int) -> str:
        condition = self._chance.choice(("a > 1", "b < 3 OR a IS NULL", "a + b > 0"))
        return f"SELECT b AS a, a AS b FROM ({self.query(depth)}) WHERE {condition}"

    def _where(self, depth: int) -> str:
        """Returns a query with a subquery that has hints and uses columns of the row around it."""
        y, z, kind = self._table(depth), self._chance.choice(TABLES), self._chance.choice(JOINS[:4])
        first, second = self._chance.sample(
            (
                lambda: f"SELECT {self._hint('y')} MAX(y.b) FROM {y} AS y WHERE y.a = o.a",
                lambda: f"SELECT {self._hint('y')} CHAR_LENGTH(JSON_ARRAYAGG(y.b)) FROM {y} AS y WHERE y.a = o.a",
                lambda: f"SELECT COUNT(*) FROM (SELECT {self._hint('y')} DISTINCT y.b FROM {z} AS y WHERE y.a = o.a)",
                lambda: f"SELECT {self._hint('y', 'z')} COUNT(*) FROM {y} AS y {kind} {z} AS z ON y.a = z.a AND z.b > 0 WHERE y.b = o.b",
                lambda: f"SELECT {self._hint('y', 'z')} COUNT(*) FROM {y} AS y {kind} {z} AS z ON y.a = z.a AND z.b > o.b",
                lambda: (
                    f"SELECT {self._hint('q', 'z')} COUNT(*) FROM (SELECT * FROM {y} AS y WHERE y.b = o.b) AS q {kind} {z} AS z ON q.a = z.a"
                ),
            ),
            2,
        )
        return f"SELECT a, b FROM {self._table(depth)} AS o WHERE b > ({first()}) AND a > ({second()})"


def ttls(plan: QueryOperation) -> set[str]:
    """Returns the durations in a plan, also those in its subqueries."""
    found = set()
    stack: list[Part] = [plan]
    seen = set()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, StateTtl):
            found.add(part.text)
        stack += children_of(part, Part)
    return found


def queries() -> Iterator[tuple[str, int]]:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(QUERIES):
        generator = Generator(chance)
        yield generator.query(chance.randint(1, 3)), generator.hints


def test_the_optimized_plan_has_every_duration(env: TableEnvironment) -> None:
    for sql, hints in queries():
        query = env.session.parse(sql)
        assert isinstance(query, QueryOperation)
        given = {f"{number} s" for number in range(1, hints + 1)}
        assert ttls(query) == given, sql
        plan = optimize_stream([CollectModifyOperation(query)], env.session, env.session.planner)
        assert (ttls(plan.operations[0].child) if plan is not None else set()) == given, sql  # without state the plan is that of rows


def test_a_query_that_is_printed_and_read_back_has_the_same_plan_of_durations(env: TableEnvironment) -> None:
    for sql, _ in queries():
        query = env.session.parse(sql)
        assert isinstance(query, QueryOperation)
        text = query_text(query)
        again = env.session.parse(text)
        assert isinstance(again, QueryOperation)
        assert shape(again) == shape(query), f"{sql}\n{text}"


def shape(query: QueryOperation) -> list[tuple[str, str]]:
    """Returns the class and the durations of each node of the query that has durations, and of its subqueries."""
    nodes = [node for root in (query, *_subqueries(query)) for node in preorder(root, QueryOperation) if getattr(node, "state_ttl", None)]
    return sorted({(type(node).__name__, str(node.state_ttl)) for node in nodes} - {("JoinQueryOperation", "(None, None)")})


def _subqueries(query: QueryOperation) -> Iterator[QueryOperation]:
    stack: list[Part] = [query]
    while stack:
        part = stack.pop()
        if isinstance(part, QueryOperation):
            yield part
        stack += children_of(part, Part)


def test_a_compiled_plan_has_every_duration(env: TableEnvironment) -> None:
    for sql, hints in queries():
        document = env.compile_plan_sql(f"INSERT INTO sink {sql}").as_json_string()
        (operation,) = read_plan(document, env.session).operations
        assert ttls(operation.child) == {f"{number} s" for number in range(1, hints + 1)}, sql
