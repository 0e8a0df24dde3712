from __future__ import annotations

import ast

import pytest

from table_api.migrate import migrate
from table_api.migrate.streams import stream_calls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ds = env.from_collection([1])\nds.map(f).key_by(g)", ["key_by", "map"]),
        ("a = b\nb = t_env.to_data_stream(t)\na.filter(c)", ["filter"]),
        ("def run(ds: DataStream, rows: list): ds.process(p); rows.map(f)", ["process"]),
        ("def run(ds: 'pyflink.datastream.KeyedStream'): return ds.process(p)", ["process"]),
        ("table.filter(c).map(f)\nmap(f, [1])\nsqlite3.connect('x')", []),
    ],
)
def test_methods_of_streams_are_found(text: str, expected: list[str]) -> None:
    assert sorted(use.attr for use in stream_calls(list(ast.walk(ast.parse(text))))) == expected


def test_findings_say_what_to_write_instead() -> None:
    text = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import EnvironmentSettings, StreamTableEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
settings = EnvironmentSettings.new_instance().use_blink_planner().build()
ds = env.from_collection([(1,)]).map(lambda row: row)
rates = table.create_temporal_table_function("t", "k")
"""
    found = {finding.what: (finding.line, finding.why) for finding in migrate(text).findings}
    assert found["use_blink_planner"][0] == 4
    assert "with_planner('arrow')" in found["use_blink_planner"][1]
    assert found["map"] == (5, "there are no methods of data streams: make a table with from_data_stream, and use Table.map(udf(…))")
    assert "FOR SYSTEM_TIME AS OF" in found["create_temporal_table_function"][1]
