"""Flink's test programs of process table functions: what Flink gives, on both engines. Those that differ say why.

Not here are programs that need a source or a sink of upserts, whose functions tests of the plan have, and programs of Java's Table API.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from process_programs import plain, states, texts, times
from process_programs.by_name import process_function
from process_programs.texts import text
from pyspark import cloudpickle

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError

PROGRAMS = [json.loads(line) for line in (Path(__file__).parent / "process_programs" / "programs.jsonl").read_text("utf-8").splitlines()]
ON_SPARK = (
    "process-scalar-args",
    "process-row",
    "process-typed-set",
    "process-set-pass-through",
    "process-multi-state",
    "process-clearing-state",
    "process-map-state",
    "process-multi-input-scalar-args",
    "process-partitioned-named-timers",
    "process-pojo-state-time",
    "process-chained-time",
    "process-order-by",
)
"""Programs that run on Spark, where each takes seconds: their times are those of rows, not of watermarks, but for the ones that show these."""
SHOWS_WATERMARKS = ("process-partitioned-named-timers", "process-chained-time", "process-order-by")


def run(program: dict[str, Any], engine: str, folder: Path, spark: Any = None) -> list[str]:
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner(engine).build()
    env = TableEnvironment.create(settings, external={} if spark is None else {"spark": spark})
    try:
        env.get_config().set("table.local-time-zone", "UTC")
        for name, function in program["functions"].items():
            env.create_temporary_system_function(name, process_function(function))
        for statement in program["setup"]:
            env.execute_sql(statement)
        for source in program["sources"]:
            path = folder / source["name"]
            path.mkdir()
            names = [column.replace("`", "").split()[0] for column in source["schema"]]
            rows = [dict(zip(names, row, strict=False)) for row in source["rows"]]
            path.joinpath("rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
            is_timed = any(column.startswith("WATERMARK") for column in source["schema"])
            options = f"'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601'"
            options += ", 'scan.watermark.emit.strategy' = 'on-event'" if is_timed else ""
            env.execute_sql(f"CREATE TABLE {source['name']} ({', '.join(source['schema'])}) WITH ({options})")
        return [text(row) for row in env.execute_sql(program["sql"]).collect()]
    finally:
        env.close()


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(one, id=one["id"], marks=[pytest.mark.xfail(reason=one["differs"], strict=True)] if "differs" in one else [])
        for one in PROGRAMS
    ],
)
def test_a_program_gives_what_flink_gives(program: dict[str, Any], tmp_path: Path) -> None:
    if "error" in program:
        with pytest.raises(TableError, match=program["error"].split(":")[0].rstrip(".")):
            run(program, "arrow", tmp_path)
        return
    assert Counter(run(program, "arrow", tmp_path)) == Counter(program["rows"])


@pytest.mark.parametrize("program", [pytest.param(one, id=one["id"]) for one in PROGRAMS if one["id"] in ON_SPARK])
def test_a_program_gives_the_same_on_spark(program: dict[str, Any], tmp_path: Path, spark: Any) -> None:
    for module in (texts, plain, states, times):  # workers do not have the folder of the tests
        cloudpickle.register_pickle_by_value(module)
    found = run(program, "spark", tmp_path, spark)
    if program["id"] in SHOWS_WATERMARKS:  # a task of Spark sees the watermarks of its own rows
        assert len(found) == len(program["rows"])
        return
    assert Counter(found) == Counter(program["rows"])
