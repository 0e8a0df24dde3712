"""Writes to a table of Spark: the calls on the DataFrame, without a running Spark."""

from __future__ import annotations

from typing import Any

import pytest

from table_api_bridge.connector.sink import SparkTableSink, TableWrite

MODE = "spark.sql.sources.partitionOverwriteMode"


class FakeFrame:
    """A DataFrame, its writer and its session in one object, which records calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.settings: dict[str, str] = {}
        self.sparkSession = self.write = self.conf = self

    def select(self, *columns: str) -> FakeFrame:
        self.calls.append(("select", *columns))
        return self

    def insertInto(self, table: str, overwrite: bool) -> None:  # Spark's name
        self.calls.append(("insertInto", table, overwrite, self.settings.get(MODE)))

    def sql(self, statement: str, **frames: object) -> None:
        self.calls.append(("sql", statement, self.settings.get(MODE)))

    def get(self, key: str, default: str | None) -> str | None:
        return self.settings.get(key, default)

    def set(self, key: str, value: str) -> None:
        self.settings[key] = value

    def unset(self, key: str) -> None:
        del self.settings[key]


@pytest.fixture
def frame(monkeypatch: pytest.MonkeyPatch) -> FakeFrame:
    monkeypatch.setattr("table_api_bridge.connector.sink.forget_table", lambda *_: None)
    return FakeFrame()


def test_rows_are_appended_by_the_names_of_columns(frame: FakeFrame) -> None:
    TableWrite("s.t", ("a", "b"), (), overwrite=False)(frame)  # type: ignore[arg-type]
    assert frame.calls == [("select", "`a`", "`b`"), ("insertInto", "s.t", False, None)]


def test_overwriting_replaces_the_partitions_of_the_rows_and_restores_the_mode(frame: FakeFrame) -> None:
    frame.settings[MODE] = "static"
    TableWrite("s.t", ("a", "p"), ("p",), overwrite=True)(frame)  # type: ignore[arg-type]
    assert frame.calls[-1] == ("insertInto", "s.t", True, "dynamic")
    assert frame.settings == {MODE: "static"}


def test_a_static_partition_is_replaced_by_a_statement(frame: FakeFrame) -> None:
    TableWrite("s.{t}", ("a", "p", "q"), ("p", "q"), overwrite=True, static_partition={"p": "1"})(frame)  # type: ignore[arg-type]
    statement = "INSERT OVERWRITE TABLE s.{{t}} PARTITION (`p` = '1', `q`) SELECT `a`, `q` FROM {rows}"
    assert frame.calls == [("sql", statement, "dynamic")]
    assert frame.settings == {}


def test_the_abilities_of_the_sink_reach_the_write() -> None:
    sink = SparkTableSink("s.t", ("a", "p"), ("p",))
    sink.apply_overwrite(True)
    sink.apply_static_partition({"p": "1"})
    provider = sink.get_sink_runtime_provider(None)  # type: ignore[arg-type]
    assert provider.write == TableWrite("s.t", ("a", "p"), ("p",), True, {"p": "1"})
