"""A plan that was compiled in one session runs in another, on each engine, with the rows of the statement."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_api import PlanReference, TableEnvironment
from table_common.exceptions import TableError, TableInternalError

MakeEnv = Callable[[str], TableEnvironment]

INSERT = """INSERT INTO k
  SELECT t.name, COUNT(*), SUM(t.pay), MAX(u.x) FROM t LEFT JOIN (VALUES (1, 'one'), (3, 'three')) AS u (id, x) ON t.id = u.id
  WHERE t.pay > 0.5 AND t.id IN (SELECT id FROM t WHERE pay < 100) GROUP BY t.name"""


def _create(env: TableEnvironment, folder: Path) -> None:
    options = "'connector' = 'filesystem', 'format' = 'parquet'"
    env.execute_sql(f"CREATE TABLE t (id INT, name STRING, pay DECIMAL(10, 2)) WITH ({options}, 'path' = '{folder}/t')")
    env.execute_sql(f"CREATE TABLE k (name STRING, n BIGINT, pay DECIMAL(38, 2), x STRING) WITH ({options}, 'path' = '{folder}/k')")
    env.execute_sql("INSERT INTO t VALUES (1, 'a', 1.5), (2, 'b', 0.1), (3, 'a', 2.5), (4, 'c', 200), (5, CAST(NULL AS STRING), 7)").wait()


@pytest.mark.parametrize(("writer", "runner"), [("arrow", "spark"), ("spark", "arrow")])
def test_a_plan_of_one_engine_runs_on_the_other(make_env: MakeEnv, tmp_path: Path, writer: str, runner: str) -> None:
    first = make_env(writer)
    _create(first, tmp_path)
    first.execute_sql(f"COMPILE PLAN '{tmp_path}/plan.json' FOR {INSERT}")
    make_env(runner).execute_sql(f"EXECUTE PLAN '{tmp_path}/plan.json'").wait()
    written = first.execute_sql("SELECT * FROM k ORDER BY name").to_arrow().to_pylist()
    query = INSERT.removeprefix("INSERT INTO k")
    asked = first.execute_sql(f"SELECT * FROM ({query}) AS q (name, n, pay, x) ORDER BY name").to_arrow().to_pylist()
    assert written == asked


def test_compile_and_execute_runs_an_existing_plan(make_env: MakeEnv, tmp_path: Path) -> None:
    env = make_env("arrow")
    _create(env, tmp_path)
    for _ in range(2):
        env.execute_sql(f"COMPILE AND EXECUTE PLAN '{tmp_path}/plan.json' FOR {INSERT}").wait()
    assert env.execute_sql("SELECT COUNT(*) AS n FROM k").to_arrow().to_pylist() == [{"n": 4}]
    assert env.load_plan(PlanReference.from_file(tmp_path / "plan.json")).explain().startswith("== Abstract Syntax Tree ==")


WRONG: list[Any] = [None, True, -1, 10**30, "", "x", [], {}, 1.5, {"$node": 1}, {"$enum": "X.Y"}, {"$decimal": "x"}, {"$type": "ARRAY<"}]
WRONG += [{"$date": "1"}, {"$function": "COUNT"}, {"$map": 1}, {"$table": {}}, {"$float": "q"}, {"$seconds": 1e300}, {"type": "Filter"}]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns every part of a document with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value), *(place for key, item in items for place in _places(item, (*path, key)))]


def _tampered(document: Any, generator: random.Random) -> str:
    """Returns the document with one part removed, or replaced by another part or an invalid value."""
    changed = copy.deepcopy(document)
    places = _places(changed)
    path, _ = generator.choice(places[1:])
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    if generator.random() < 0.2:
        del holder[path[-1]]
    else:
        other = generator.choice(places)[1] if generator.random() < 0.5 else generator.choice(WRONG)
        holder[path[-1]] = copy.deepcopy(other)
    return json.dumps(changed)


def test_modified_plans_end_in_results_or_our_errors(make_env: MakeEnv, tmp_path: Path) -> None:
    env = make_env("arrow")
    _create(env, tmp_path)
    env.execute_sql("CREATE TABLE n (name STRING, n BIGINT, pay DECIMAL(38, 2), x STRING) WITH ('connector' = 'blackhole')")
    statement = INSERT.replace("INTO k", "INTO n")
    document = json.loads(env.compile_plan_sql(statement).as_json_string())
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    generator = random.Random(seed)
    internal = []
    for _ in range(150):
        try:
            env.load_plan(PlanReference.from_json_string(_tampered(document, generator))).execute().wait()
        except TableInternalError as error:
            internal.append(str(error))
        except TableError:
            pass
    assert internal == []
