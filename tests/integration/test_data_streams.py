"""StreamTableEnvironment: rows and data frames in, rows and changes out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from table_api import ChangelogMode, DataTypes, EnvironmentSettings, Schema, StreamTableEnvironment, TableEnvironment
from table_api.common import Instant, Row, RowKind, Types
from table_api.datastream import StreamExecutionEnvironment
from table_api.expression import TimeIntervalUnit
from table_api.expressions import col, lit
from table_api.window import Tumble
from table_common.exceptions import TableRuntimeException, ValidationException

CHANGES = [
    Row.of_kind(RowKind.INSERT, "a", 1),
    Row.of_kind(RowKind.INSERT, "b", 5),
    Row.of_kind(RowKind.UPDATE_BEFORE, "a", 1),
    Row.of_kind(RowKind.UPDATE_AFTER, "a", 2),
    Row.of_kind(RowKind.DELETE, "b", 5),
]


@pytest.fixture(params=["batch", "streaming"])
def t_env(request: pytest.FixtureRequest) -> Iterator[StreamTableEnvironment]:
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    settings = (builder.in_batch_mode() if request.param == "batch" else builder.in_streaming_mode()).build()
    with StreamTableEnvironment.create(StreamExecutionEnvironment().set_parallelism(1), settings) as env:
        yield env


def test_the_options_of_both_environments_are_used() -> None:
    env = StreamExecutionEnvironment().set_parallelism(2)
    t_env = StreamTableEnvironment.create(env, EnvironmentSettings.in_batch_mode())
    assert t_env.get_config().get("parallelism.default", "") == "2" or env.get_parallelism() == 2
    assert not t_env.session.is_streaming_mode
    assert isinstance(StreamTableEnvironment.create(), TableEnvironment)


def test_an_environment_of_another_class_is_refused() -> None:
    with pytest.raises(ValidationException, match=r"StreamExecutionEnvironment first, but got EnvironmentSettings"):
        StreamTableEnvironment.create(EnvironmentSettings.in_batch_mode())  # type: ignore[arg-type]  # the mistake is the test


def test_rows_become_a_table(t_env: StreamTableEnvironment) -> None:
    rows = [(1, "a"), (2, "b")]
    assert t_env.from_data_stream(rows).get_schema().get_field_names() == ["f0", "f1"]
    assert t_env.from_data_stream(rows, col("id"), col("name")).get_schema().get_field_names() == ["id", "name"]
    chosen = t_env.from_data_stream([Row(id=1, name="a")], col("name"), (col("id") + 1).alias("next"))
    assert list(t_env.to_data_stream(chosen)) == [("a", 2)]
    assert list(t_env.to_data_stream(t_env.from_data_stream([1, 2], col("n")))) == [(1,), (2,)]


def test_arrow_data_becomes_a_table(t_env: StreamTableEnvironment) -> None:
    assert list(t_env.to_data_stream(t_env.from_data_stream(pa.table({"a": [1, 2]})))) == [(1,), (2,)]


def test_the_type_of_a_stream_is_that_of_its_table(t_env: StreamTableEnvironment) -> None:
    stream = StreamExecutionEnvironment().from_collection([(1, "a")], Types.ROW_NAMED(["x", "y"], [Types.INT(), Types.STRING()]))
    assert str(t_env.from_data_stream(stream).get_resolved_schema().to_row_type()) == "ROW<`x` INT, `y` STRING> NOT NULL"
    t_env.create_temporary_view("v", stream, col("p"), col("q"))
    assert t_env.from_path("v").get_schema().get_field_names() == ["p", "q"]


def test_schemas_have_physical_and_computed_columns(t_env: StreamTableEnvironment) -> None:
    schema = Schema.new_builder().column("id", DataTypes.BIGINT()).column_by_expression("twice", "id * 2").build()
    assert list(t_env.to_data_stream(t_env.from_data_stream([(1,)], schema))) == [(1, 2)]
    keyed = t_env.from_data_stream([(1,)], Schema.new_builder().column("id", "INT").primary_key("id").build())
    assert list(t_env.to_data_stream(keyed)) == [(1,)]
    with pytest.raises(ValidationException, match="Primary key column 'number' does not exist"):
        t_env.from_data_stream([(1,)], Schema.new_builder().column("id", "INT").primary_key("number").build())
    with pytest.raises(ValidationException, match="takes expressions, or one Schema"):
        t_env.from_data_stream([(1,)], schema, schema)


SALES = [
    (1, "Ann", 10.5),
    (4, "Bob", 3.0),
    (3, "Ann", 20.0),
    (2, "Bob", 5.0),
    (5, "Ann", 1.5),
    (3, "Bob", 3.5),
    (7, "Bob", 16.0),
    (10, "Ann", 2.0),
]


def test_a_schema_with_a_watermark_makes_event_time(t_env: StreamTableEnvironment) -> None:
    stream = StreamExecutionEnvironment().from_collection(
        [(Instant.of_epoch_milli(second * 1000), name, price) for second, name, price in SALES],
        Types.ROW([Types.INSTANT(), Types.STRING(), Types.FLOAT()]),
    )
    schema = (
        Schema.new_builder()
        .column_by_expression("ts", "CAST(f0 AS TIMESTAMP(3))")
        .column("f1", DataTypes.STRING())
        .column("f2", DataTypes.FLOAT())
        .watermark("ts", "ts - INTERVAL '3' SECOND")
        .build()
    )
    sales = t_env.from_data_stream(stream, schema).alias("ts", "name", "price")
    assert sales.get_schema().get_field_names() == ["ts", "name", "price"]
    windows = sales.window(Tumble.over(lit(5).seconds).on(col("ts")).alias("w")).group_by(col("name"), col("w"))
    totals = windows.select(col("name"), col("price").sum, col("w").start.extract(TimeIntervalUnit.SECOND))
    assert sorted(map(tuple, t_env.to_data_stream(totals))) == [
        ("Ann", 1.5, 5),
        ("Ann", 2.0, 10),
        ("Ann", 30.5, 0),
        ("Bob", 11.5, 0),
        ("Bob", 16.0, 5),
    ]


def test_columns_of_a_schema_are_those_of_the_stream_by_name(t_env: StreamTableEnvironment) -> None:
    swapped = Schema.new_builder().column("f1", "STRING").column_by_expression("more", "f0 + 1").column("f0", "DOUBLE").build()
    table = t_env.from_data_stream([(1, "a")], swapped)
    assert table.get_schema().get_field_names() == ["f1", "more", "f0"]
    assert list(t_env.to_data_stream(table)) == [("a", 2.0, 1.0)]
    by_position = Schema.new_builder().column("x", "BIGINT").column("y", "STRING").build()
    assert list(t_env.to_data_stream(t_env.from_data_stream(iter([(1, None)]), by_position))) == [(1, None)]
    assert list(
        t_env.to_data_stream(t_env.from_data_stream(pa.table({"a": [1], "b": ["x"]}), Schema.new_builder().column("b", "STRING").build()))
    ) == [("x",)]
    for schema, message in (
        (Schema.new_builder().watermark("f0", "f0").build(), "'f0' takes TIMESTAMP"),
        (Schema.new_builder().watermark("zz", "f0").build(), "Column 'zz' does not exist"),
        (Schema.new_builder().column_by_expression("f0", "f0 + 1").build(), "repeated: f0"),
    ):
        with pytest.raises(ValidationException, match=message):
            t_env.from_data_stream([(1, "a")], schema)


def test_changes_become_a_table(t_env: StreamTableEnvironment) -> None:
    total = t_env.from_changelog_stream(CHANGES).alias("k", "v").group_by(col("k")).select(col("k"), col("v").sum.alias("s"))
    rows: dict[str, int] = {}
    for row in t_env.to_changelog_stream(total):
        if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            rows[row[0]] = row[1]
        elif row.get_row_kind() is RowKind.DELETE:
            del rows[row[0]]
    assert rows == {"a": 2}


def test_changes_can_have_a_schema(t_env: StreamTableEnvironment) -> None:
    schema = Schema.new_builder().column("k", "STRING").column("v", "DOUBLE").build()
    table = t_env.from_changelog_stream(CHANGES[:2], schema)
    assert list(t_env.to_changelog_stream(table)) == [("a", 1.0), ("b", 5.0)]


TYPED = Types.ROW([Types.STRING(), Types.INT()])
UPSERTS = [
    Row.of_kind(RowKind.INSERT, "Alice", 12),
    Row.of_kind(RowKind.INSERT, "Bob", 5),
    Row.of_kind(RowKind.UPDATE_AFTER, "Alice", 100),
    Row.of_kind(RowKind.UPDATE_AFTER, "Alice", 100),
    Row.of_kind(RowKind.DELETE, "Bob", None),
]


def test_changes_have_the_type_of_their_stream(t_env: StreamTableEnvironment) -> None:
    stream = StreamExecutionEnvironment().from_collection(CHANGES, TYPED)
    table = t_env.from_changelog_stream(stream)
    assert str(table.get_resolved_schema().to_row_type()) == "ROW<`f0` STRING, `f1` INT> NOT NULL"
    named = StreamExecutionEnvironment().from_collection(CHANGES, Types.ROW_NAMED(["op", "n"], [Types.STRING(), Types.INT()]))
    assert t_env.from_changelog_stream(named).get_schema().get_field_names() == ["op", "n"]


def test_upserts_become_changes_by_their_key(t_env: StreamTableEnvironment) -> None:
    stream = StreamExecutionEnvironment().from_collection(UPSERTS, TYPED)
    schema = Schema.new_builder().primary_key("f0").column_by_expression("next", "f1 + 1").build()
    table = t_env.from_changelog_stream(stream, schema, ChangelogMode.upsert())
    changes = [(row.get_row_kind().name, tuple(row)) for row in t_env.to_changelog_stream(table)]
    if not t_env.session.is_streaming_mode:
        assert changes == [("INSERT", ("Alice", 100, 101))]
    else:
        assert changes == [
            ("INSERT", ("Alice", 12, 13)),
            ("INSERT", ("Bob", 5, 6)),
            ("UPDATE_BEFORE", ("Alice", 12, 13)),
            ("UPDATE_AFTER", ("Alice", 100, 101)),
            ("DELETE", ("Bob", 5, 6)),
        ]


EVENT_TIME = Schema.new_builder().column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)").watermark("rowtime", "SOURCE_WATERMARK()").build()


def test_the_times_of_a_stream_are_those_of_its_table(t_env: StreamTableEnvironment) -> None:
    schema = Schema.new_builder().column_by_expression("ts", "TO_TIMESTAMP_LTZ(f0 * 1000, 3)").watermark("ts", "ts").build()
    stream = t_env.to_data_stream(t_env.from_data_stream([(7, "a"), (3, "b")], schema))
    if not t_env.session.is_streaming_mode:
        return  # a table has no event time in batch mode
    table = t_env.from_data_stream(stream, EVENT_TIME)
    windows = table.window(Tumble.over(lit(5).seconds).on(col("rowtime")).alias("w")).group_by(col("w"))
    assert sorted(map(tuple, t_env.to_data_stream(windows.select(col("f0").sum)))) == [(3,), (7,)]


@pytest.mark.parametrize("read", ["from_data_stream", "from_changelog_stream"])
def test_a_stream_without_times_has_a_schema_but_cannot_be_read_with_them(t_env: StreamTableEnvironment, read: str) -> None:
    stream = StreamExecutionEnvironment().from_collection(CHANGES[:1], TYPED)
    table = getattr(t_env, read)(stream, EVENT_TIME)
    assert table.get_schema().get_field_names() == ["f0", "f1", "rowtime"]
    with pytest.raises(TableRuntimeException, match=r"the elements of the stream have no times.*\n?.*column_by_expression"):
        list(t_env.to_changelog_stream(table))


def test_wrong_changes_are_refused(t_env: StreamTableEnvironment) -> None:
    with pytest.raises(ValidationException, match=r"Element 1 of the changelog is a tuple.*\n.*Row.of_kind"):
        t_env.from_changelog_stream([(1,)])
    with pytest.raises(ValidationException, match="Element 3 is of the kind UPDATE_BEFORE"):
        t_env.from_changelog_stream(CHANGES, None, ChangelogMode.upsert())
    if not t_env.session.is_streaming_mode:
        with pytest.raises(ValidationException, match=r"Element 1 of the changelog retracts \('b', 5\)"):
            t_env.from_changelog_stream(CHANGES[-1:])


def test_changes_are_cast_to_the_schema_of_the_target(t_env: StreamTableEnvironment) -> None:
    table = t_env.from_data_stream([(1, "a")])
    target = Schema.new_builder().column("n", "DOUBLE").column("t", "STRING").build()
    (row,) = t_env.to_changelog_stream(table, target, ChangelogMode.all())
    assert row.as_dict() == {"n": 1.0, "t": "a"}
    with pytest.raises(ValidationException, match="has 1 columns, but the table has 2"):
        t_env.to_changelog_stream(table, Schema.new_builder().column("n", "DOUBLE").build())
    with pytest.raises(ValidationException, match="needs a conversion"):
        t_env.to_changelog_stream(table, None, ChangelogMode.upsert())


def test_older_methods_check_the_width(t_env: StreamTableEnvironment) -> None:
    table = t_env.from_data_stream([(1, "a")])
    width_2 = Types.TUPLE([Types.LONG(), Types.STRING()])
    assert list(t_env.to_append_stream(table, width_2)) == [(1, "a")]
    assert list(t_env.to_retract_stream(table, width_2)) == [(True, (1, "a"))]
    with pytest.raises(ValidationException, match=r"has 2 columns, but the type BIGINT has 1"):
        t_env.to_append_stream(table, Types.LONG())


def test_updates_are_no_data_stream() -> None:
    settings = EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build()
    with StreamTableEnvironment.create(environment_settings=settings) as t_env:
        counted = t_env.from_data_stream([("a",), ("a",)]).group_by(col("f0")).select(col("f0"), col("f0").count.alias("n"))
        with pytest.raises(ValidationException, match=r"UPDATE_BEFORE.*\n.*to_changelog_stream"):
            list(t_env.to_data_stream(counted))


def test_the_program_of_the_guide_prints_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "pyflink.md").read_text(encoding="utf-8")
    program = "\n".join(block.partition("```")[0] for block in guide.split("```python\n")[1:3])
    settings = EnvironmentSettings.new_instance().with_planner("arrow").in_batch_mode().build()
    assert "StreamTableEnvironment.create(env)" in program
    names: dict[str, Any] = {"settings": settings}
    exec(program.replace("create(env)", "create(env, settings)"), names)
    assert capsys.readouterr().out == "<Row(1, 'Hi')>\n<Row(2, 'Hello')>\n"
    assert names["table"].get_schema().get_field_names() == ["ts", "price"]
