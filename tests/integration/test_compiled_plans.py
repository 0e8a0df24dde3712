"""A plan that was compiled in one session runs in another, on each engine, with the rows of the statement."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from pyspark import cloudpickle

from table_api import PlanReference, Row, TableEnvironment
from table_api.udf import ArgumentHint, ArgumentTrait, MapView, ProcessTableFunction, StateHint, function_hint
from table_common.exceptions import TableError, TableException, TableInternalError
from table_runtime.connectors.python import register_callable, unregister_callable

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


class Summed(ProcessTableFunction[Row]):
    """Adds up the values of a key."""

    @function_hint(output="ROW<total BIGINT, step INT>")
    def eval(
        self,
        totals: Annotated[MapView[str, int], StateHint()],
        r: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)],
        step: int = 1,
    ) -> Any:
        totals.put("all", (totals.get("all") or 0) + r.id)
        yield totals.get("all"), step


@pytest.mark.parametrize("engine", ["arrow", "spark"])
def test_a_plan_with_a_process_table_function_runs_in_another_session(make_env: MakeEnv, tmp_path: Path, engine: str) -> None:
    import test_compiled_plans

    cloudpickle.register_pickle_by_value(test_compiled_plans)  # workers do not have the folder of the tests
    first, second = make_env(engine), make_env(engine)
    for env in (first, second):
        env.create_temporary_system_function("summed", Summed())
    _create(first, tmp_path)
    first.execute_sql(
        f"CREATE TABLE s (name STRING, total BIGINT, step INT) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}/s')"
    )
    call = "summed(r => TABLE t PARTITION BY name, step => 3, uid => 'sums')"
    first.execute_sql(f"COMPILE PLAN '{tmp_path}/plan.json' FOR INSERT INTO s SELECT * FROM {call}")
    second.execute_sql(f"EXECUTE PLAN '{tmp_path}/plan.json'").wait()
    found = first.execute_sql("SELECT name, MAX(total) AS total, MIN(step) AS step FROM s GROUP BY name").to_arrow().to_pylist()
    assert {row["name"]: (row["total"], row["step"]) for row in found} == {"a": (4, 3), "b": (2, 3), "c": (4, 3), None: (5, 3)}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT b FROM ML_PREDICT(TABLE q, MODEL m, DESCRIPTOR(text))",
        "SELECT s.text FROM q, LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), ARRAY[1.0], 1)) AS s",
    ],
)
def test_what_a_call_finds_in_the_catalog_is_not_compiled(make_env: MakeEnv, query: str) -> None:
    env = make_env("arrow")
    register_callable("same_text", lambda text: text)
    try:
        env.execute_sql("CREATE TABLE q (text STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
        env.execute_sql("CREATE TABLE v (text STRING, e ARRAY<FLOAT>) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
        env.execute_sql("CREATE TABLE k (text STRING) WITH ('connector' = 'blackhole')")
        env.execute_sql("CREATE MODEL m INPUT (text STRING) OUTPUT (b STRING) WITH ('provider' = 'python', 'callable' = 'same_text')")
        with pytest.raises(TableException, match=r"The plan cannot be compiled: (ML_PREDICT|VECTOR_SEARCH)\(.* asks the catalog"):
            env.compile_plan_sql(f"INSERT INTO k {query}")
    finally:
        unregister_callable("same_text")


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
