from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.exceptions import TableInternalError
from table_runtime.batch.set_operations.union import UnionAll
from table_runtime.run.channel import Channel
from table_runtime.sinks.collect import Collect
from table_runtime.steps.not_null import NotNull
from table_runtime.steps.pipeline import Pipeline
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.graph.graph_run import GraphOutput
from table_runtime.streaming.graph.statement_set import graph_of, sinks_of
from table_runtime.streaming.job.in_process.job_outputs import CollectOutput

SCHEMA = pa.schema([("a", pa.int64())])


def test_rows_of_a_query_go_through_its_steps_to_the_channel() -> None:
    graph, channel = Graph(), Channel()
    output = GraphOutput(graph, SCHEMA, has_kinds=False)
    root = Collect(Pipeline.over(output, NotNull(SCHEMA, [0], "the result")), SCHEMA)
    assert graph_of(root) is graph
    assert sinks_of(root) == ()
    collected = CollectOutput(root, channel)
    for batch in collected.batches_of(ChangeBatch(pa.record_batch([pa.array([1, 2])], schema=SCHEMA)), lambda: None):
        collected.write(batch)
    channel.close()
    assert [batch.column(0).to_pylist() for batch in channel.items()] == [[1, 2]]
    with pytest.raises(Exception, match="NULL"):
        list(collected.batches_of(ChangeBatch(pa.record_batch([pa.array([None], pa.int64())], schema=SCHEMA)), lambda: None))


def test_another_plan_is_an_internal_error() -> None:
    output = GraphOutput(Graph(), SCHEMA, has_kinds=False)
    with pytest.raises(TableInternalError, match="ends in UnionAll"):
        graph_of(UnionAll((output, output), SCHEMA))
