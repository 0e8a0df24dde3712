"""Functions that are called with many rows at once, in SQL, on both engines and in both modes: the rows of functions called row by row."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from table_api import EnvironmentSettings, Row, TableEnvironment
from table_api.testing import ProcessTableFunctionHarness
from table_api.udf import (
    ArgumentHint,
    ArgumentTrait,
    OnTimerContext,
    ProcessBatchContext,
    ProcessContext,
    ProcessTableFunction,
    StateHint,
    function_hint,
)

SET = ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)
OUTPUT = "ROW<what STRING, n BIGINT>"


@dataclass
class State:
    rows: int = 0
    total: int = 0


class One(ProcessTableFunction[Row]):
    @function_hint(output=OUTPUT)
    def eval(self, context: ProcessContext, state: Annotated[State, StateHint()], r: Annotated[Row, SET], step: int = 1) -> Any:
        state.rows += step
        state.total += r.v
        context.time_context(int).register_on_time("end", context.time_context(int).time() + 3000)
        yield "row", state.rows

    def on_timer(self, context: OnTimerContext, state: State) -> Any:
        yield context.current_timer, state.total
        context.clear_all()


class Many(ProcessTableFunction[Row]):
    @function_hint(output=OUTPUT)
    def eval_batch(
        self, context: ProcessBatchContext, state: Annotated[State, StateHint()], r: Annotated[pa.RecordBatch, SET], step: int = 1
    ) -> Any:
        state.rows += step
        state.total += r.column("v").to_numpy()
        context.set_timers("end", context.times + 3000)
        yield None, ("row", state.rows)

    def on_timer_batch(self, context: ProcessBatchContext, state: State) -> Any:
        yield None, (context.timer, state.total.copy())
        context.clear()


@pytest.mark.parametrize("engine", ["arrow-batch", "arrow-streaming", "spark-batch", "spark-streaming"])
@pytest.mark.parametrize("order", ["", " ORDER BY ts"])
def test_both_forms_give_the_same_rows(engine: str, order: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    import test_process_table_batches

    cloudpickle.register_pickle_by_value(test_process_table_batches)  # workers do not have the folder of the tests
    planner, _, mode = engine.partition("-")
    settings = EnvironmentSettings.new_instance().with_planner(planner)
    external = {"spark": request.getfixturevalue("spark")} if planner == "spark" else {}
    made = settings.in_batch_mode() if mode == "batch" else settings.in_streaming_mode()
    rows = [{"k": i * 7 % 5, "v": i, "ts": f"2026-01-01T10:{i // 60:02}:{i % 60:02}"} for i in range(200)]
    (tmp_path / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with TableEnvironment.create(made.build(), external=external) as env:
        env.create_temporary_system_function("singly", One())
        env.create_temporary_system_function("many", Many())
        env.execute_sql(f"""CREATE TABLE t (k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem',
            'path' = '{tmp_path}', 'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601')""")
        found = {}
        for name in ("singly", "many"):
            sql = f"SELECT * FROM {name}(r => TABLE t PARTITION BY k{order}, step => 2, on_time => DESCRIPTOR(ts))"
            with env.execute_sql(sql).collect() as result:
                found[name] = sorted(tuple(row) for row in result)
        assert found["singly"] == found["many"]
        assert len(found["many"]) > 200


def test_a_harness_shows_states_and_timers() -> None:
    harness = ProcessTableFunctionHarness(Many(), {"r": "ROW<k INT, v INT, ts TIMESTAMP(3)>"}, partition_by=["k"], on_time="ts")
    at = datetime(2026, 1, 1, 10, 0)
    assert [tuple(row)[1:3] for row in harness.process((1, 5, at), (2, 7, at), (1, 6, at))] == [("row", 1), ("row", 1), ("row", 2)]
    harness.restore()
    assert harness.state("state", 1) == State(2, 11)
    assert harness.state("state", 3) is None
    assert [name for name, _ in harness.timers(1)] == ["end"]
    assert sorted(tuple(row)[1:3] for row in harness.finish()) == [("end", 7), ("end", 11)]
    assert harness.state("state", 1) is None
