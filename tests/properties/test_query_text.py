"""A plan that is printed as SQL and parsed again returns the same columns and rows: random Table API pipelines on the embedded engine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from table_api import EnvironmentSettings, Table, TableEnvironment
from table_api.expressions import Expression, col, lit
from table_api.operations.sql_text import query_text
from table_common.types import LogicalType
from table_testing.rounds import rounds

PIPELINES = len(rounds(100))
STEPS = 6
Step = Callable[[random.Random, Table, TableEnvironment], Table]


@pytest.fixture(scope="module")
def env() -> Iterator[TableEnvironment]:
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    with TableEnvironment.create(settings) as environment:
        environment.execute_sql(
            "CREATE VIEW t AS SELECT * FROM (VALUES (1, 'a', 10), (2, 'b', 5000000000), (3, 'a', -7), (4, CAST(NULL AS STRING), 0),"
            " (CAST(NULL AS INT), 'c', 3), (2, 'it''s', 4)) AS v (i, s, l)"
        )
        yield environment


def _names(table: Table, *roots: str) -> list[str]:
    schema = table.get_resolved_schema()
    return [column.name for column in schema.columns if not roots or type(column.data_type).ROOT in roots]


def _number(random_: random.Random, table: Table) -> Expression | None:
    names = _names(table, "INTEGER", "BIGINT")
    return col(random_.choice(names)) if names else None


def _filter(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    number, name = _number(random_, table), random_.choice(_names(table))
    choices = [col(name).is_not_null, col(name).is_null]
    if number is not None:
        choices += [number > lit(2), (number > lit(0)) & (number < lit(100)), (number == lit(3)) | col(name).is_not_null]
    return table.filter(random_.choice(choices))


def _add(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    number = _number(random_, table)
    if number is None or len(_names(table)) > 6:
        return table
    return table.add_columns(random_.choice([number + lit(1), -number, number.abs - lit(2)]).alias(f"c{random_.randrange(10**6)}"))


def _select(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    names = _names(table)
    chosen = random_.sample(names, random_.randint(1, len(names)))
    return table.select(*(col(name) for name in chosen))


def _rename(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    name = random_.choice(_names(table))
    return table.rename_columns(col(name).alias(random_.choice([f"select {random_.randrange(10**6)}", f"a`b{random_.randrange(10**6)}"])))


def _group(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    key, number = random_.choice(_names(table)), _number(random_, table)
    aggregates = [col(key).count.alias(f"n{random_.randrange(10**6)}")]
    if number is not None:
        aggregates += [number.max.alias(f"m{random_.randrange(10**6)}"), (number + lit(1)).min.alias(f"k{random_.randrange(10**6)}")]
    return table.group_by(col(key)).select(col(key), *aggregates)


def _distinct(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    return table.distinct()


def _union(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    return random_.choice([table.union_all, table.union, table.intersect, table.minus_all])(table.filter(col(_names(table)[0]).is_not_null))


def _join(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    keys = _names(table, "INTEGER", "BIGINT")
    if not keys or len(_names(table)) > 6:
        return table
    suffix = random_.randrange(10**6)
    right = env.from_path("t").select(col("i").alias(f"i{suffix}"), col("s").alias(f"s{suffix}"))
    join = random_.choice([table.join, table.left_outer_join, table.full_outer_join])
    return join(right, col(random_.choice(keys)) == col(f"i{suffix}"))


def _top(random_: random.Random, table: Table, env: TableEnvironment) -> Table:
    orders = [random_.choice([col(name).asc, col(name).desc]) for name in _names(table)]
    return table.order_by(*orders).limit(random_.randint(1, 5), random_.randint(0, 1))


STEP_KINDS: tuple[Step, ...] = (_filter, _add, _select, _rename, _group, _distinct, _union, _join, _top)


def _rows(table: Table) -> list[str]:
    return sorted(map(str, table.to_arrow().to_pylist()))


def _types(table: Table) -> list[LogicalType]:
    return [data_type.with_nullability(True) for data_type in table.get_resolved_schema().column_types]


@pytest.mark.parametrize("number", range(PIPELINES))
def test_a_pipeline_and_its_sql_text_return_the_same_rows(env: TableEnvironment, number: int, seed: int) -> None:
    random_ = random.Random(f"{seed} {number}")
    table = env.from_path("t")
    for _ in range(random_.randint(1, STEPS)):
        table = random_.choice(STEP_KINDS)(random_, table, env)
    text = query_text(table.query_operation)
    again = env.sql_query(text)
    assert again.get_resolved_schema().column_names == table.get_resolved_schema().column_names
    assert _types(again) == _types(table)
    assert _rows(again) == _rows(table), text
