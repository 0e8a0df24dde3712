from __future__ import annotations

from collections.abc import Callable

import pytest

from table_api import DataTypes, Row, Schema, Table, TableDescriptor, TableEnvironment, ValidationException
from table_api.expressions import (
    CURRENT_RANGE,
    UNBOUNDED_RANGE,
    call_sql,
    col,
    lit,
    range_,
    row_interval,
    with_columns,
    without_columns,
)
from table_api.window import Over

SINK = TableDescriptor.for_connector("none").schema(Schema.new_builder().column("n", "BIGINT").column("s", "STRING").build()).build()


@pytest.mark.parametrize(
    ("build", "sql"),
    [
        (lambda t: t.select((col("a") + 1).alias("x")), "SELECT a + 1 AS x FROM t"),
        (lambda t: t.select(col("*")), "SELECT * FROM t"),
        (lambda t: t.where(col("a") > 1).select(col("*")), "SELECT * FROM t WHERE a > 1"),
        (lambda t: t.filter(t.a > 1).select(t.b), "SELECT b FROM t WHERE a > 1"),
        (lambda t: t.group_by(col("b")).select(col("b"), col("a").sum.alias("s")), "SELECT b, SUM(a) AS s FROM t GROUP BY b"),
        (lambda t: t.select(col("a").max.alias("m")), "SELECT MAX(a) AS m FROM t"),
        (lambda t: t.select((col("a").alias("z") + 1).alias("x").alias("y")), "SELECT a + 1 AS y FROM t"),
        (lambda t: t.filter(col("a").alias("z") > 1).select(col("*")), "SELECT * FROM t WHERE a > 1"),
        (lambda t: t.select(col("*")).order_by(col("a").alias("z").desc), "SELECT * FROM t ORDER BY a DESC NULLS FIRST"),
        (
            lambda t: t.group_by(col("b").alias("g")).select(col("g"), col("a").sum.alias("s")),
            "SELECT b AS g, SUM(a) AS s FROM t GROUP BY b",
        ),
        (
            lambda t: t.group_by((col("a") % 2).alias("g"), col("b")).select((col("g") + 1).alias("x"), col("a").count.alias("n")),
            "SELECT a % 2 + 1 AS x, COUNT(a) AS n FROM t GROUP BY a % 2, b",
        ),
        (lambda t: t.select(col("*")).distinct(), "SELECT DISTINCT * FROM t"),
        (
            lambda t: t.select(col("*")).order_by(col("a").desc, col("b")).limit(3, 1),
            "SELECT * FROM t ORDER BY a DESC NULLS FIRST, b NULLS LAST LIMIT 3 OFFSET 1",
        ),
        (lambda t: t.select(col("*")).union_all(t.select(col("*"))), "SELECT * FROM t UNION ALL SELECT * FROM t"),
        (lambda t: t.select(col("*")).minus(t.select(col("*"))), "SELECT * FROM t EXCEPT SELECT * FROM t"),
        (lambda t: t.select(with_columns(range_("a", "b"))), "SELECT a, b FROM t"),
        (lambda t: t.select(without_columns("a")), "SELECT b FROM t"),
        (
            lambda t: t.over_window(
                Over.partition_by(col("b")).order_by(col("a").desc).preceding(row_interval(2)).alias("w"),
                Over.order_by(col("a")).preceding(UNBOUNDED_RANGE).following(CURRENT_RANGE).alias("v"),
            ).select(col("a"), col("a").sum.over(col("w")).alias("s"), col("a").count.distinct.over(col("v")).alias("n")),
            "SELECT a, SUM(a) OVER (PARTITION BY b ORDER BY a DESC ROWS 2 PRECEDING) AS s, COUNT(DISTINCT a) OVER (ORDER BY a) AS n FROM t",
        ),
        (lambda t: t.filter(call_sql("a > 1 AND b IS NOT NULL")).select(col("*")), "SELECT * FROM t WHERE a > 1 AND b IS NOT NULL"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_both_front_doors_build_the_same_plan(env: TableEnvironment, build: Callable[[Table], Table], sql: str) -> None:
    assert build(env.from_path("t")).query_operation == env.sql_query(sql).query_operation


@pytest.mark.parametrize(
    ("method", "join"),
    [("join", "JOIN"), ("left_outer_join", "LEFT JOIN"), ("right_outer_join", "RIGHT JOIN"), ("full_outer_join", "FULL JOIN")],
)
def test_joins_are_those_of_sql(env: TableEnvironment, method: str, join: str) -> None:
    left, right = env.from_path("t"), env.from_path("t").alias("c", "d")
    env.create_temporary_view("r", right)
    joined = getattr(left, method)(right, col("a") == col("c")).select(col("*"))
    assert joined.query_operation == env.sql_query(f"SELECT * FROM t {join} r ON a = c").query_operation


def test_join_of_tables_with_a_shared_column_is_refused(env: TableEnvironment) -> None:
    left, right = env.from_path("t"), env.from_path("t")
    with pytest.raises(ValidationException, match="Both sides of the join have the columns a, b") as refused:
        left.join(right)
    assert refused.value.hint == "rename them on one side: right.rename_columns(col('a').alias('a_right'), col('b').alias('b_right'))"
    renamed = eval(refused.value.hint.partition(": ")[2], {"right": right, "col": col})
    assert left.join(renamed).columns == ["a", "b", "a_right", "b_right"]


def test_tables_of_two_environments_do_not_mix(env: TableEnvironment) -> None:
    with TableEnvironment.create() as other:
        other.execute_sql("CREATE TABLE u (c INT)")
        with pytest.raises(ValidationException, match="same table environment"):
            env.from_path("t").join(other.from_path("u"))


def test_text_is_no_expression(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="but got the text 'a'"):
        env.from_path("t").select("a")  # type: ignore[arg-type]  # what is tested


def test_columns_are_added_renamed_and_dropped(env: TableEnvironment) -> None:
    table = env.from_path("t").add_columns((col("a") * 2).alias("c")).rename_columns(col("b").alias("x")).drop_columns(col("a"))
    assert table.get_resolved_schema().column_names == ("x", "c")


def test_adding_a_column_that_exists_replaces_it_only_if_asked_to(env: TableEnvironment) -> None:
    table = env.from_path("t")
    with pytest.raises(ValidationException):
        table.add_columns(lit(1).alias("a"))
    assert str(table.add_or_replace_columns(lit("x").alias("a")).get_resolved_schema().columns[0].data_type) == "CHAR(1) NOT NULL"


def test_an_added_column_without_a_name_is_called_by_its_position(env: TableEnvironment) -> None:
    table = env.from_elements([(1, 2)], ["a", "b"])
    assert table.add_or_replace_columns(lit("x").alias("a"), col("b") + 1).get_schema().get_field_names() == ["a", "b", "_c2"]


def test_an_alias_of_group_by_does_not_hide_a_column(env: TableEnvironment) -> None:
    groups = env.from_path("t").group_by(col("b").alias("a"))
    assert groups.select(col("a").max.alias("m")).query_operation == env.sql_query("SELECT MAX(a) AS m FROM t GROUP BY b").query_operation
    with pytest.raises(ValidationException, match="Column 'a' is neither in GROUP BY nor inside an aggregate"):
        groups.select(col("a"))


def test_two_expressions_of_group_by_with_one_alias_are_ambiguous(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="'g' is ambiguous"):
        env.from_path("t").group_by(col("a").alias("g"), col("b").alias("g")).select(col("g"))


@pytest.mark.parametrize(
    "build",
    [
        lambda t: t.select(col("a").desc),
        lambda t: t.select(col("a").asc + 1),
        lambda t: t.filter(col("a").desc),
        lambda t: t.order_by(col("a").desc.alias("z")),
        lambda t: t.order_by(col("a").asc.desc),
    ],
)
def test_a_sort_key_is_no_value(env: TableEnvironment, build: Callable[[Table], Table]) -> None:
    with pytest.raises(ValidationException, match=r"'a (ASC|DESC)' is a sort key, not a value\.\n.*in order_by"):
        build(env.from_path("t"))


def test_unknown_column_of_a_table_is_an_attribute_error(env: TableEnvironment) -> None:
    with pytest.raises(AttributeError, match="'zz'"):
        _ = env.from_path("t").zz


def test_schema_is_printed(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    env.from_path("t").print_schema()
    assert capsys.readouterr().out == "(\n  `a` INT NOT NULL,\n  `b` CHAR(1) NOT NULL\n)\n"


def test_elements_have_the_types_of_their_values(env: TableEnvironment) -> None:
    table = env.from_elements([(1, "a", None), (2, None, 1.5)], ["x", "y", "z"])
    assert [str(t) for t in table.get_resolved_schema().column_types] == ["BIGINT", "STRING", "DOUBLE"]


def test_elements_take_a_row_type(env: TableEnvironment) -> None:
    row = DataTypes.ROW([DataTypes.FIELD("id", DataTypes.INT()), DataTypes.FIELD("tags", DataTypes.ARRAY(DataTypes.STRING()))])
    table = env.from_elements([(1, ["a", "b"]), Row(id=2, tags=None), {"id": 3, "tags": ["c"]}], row)
    assert [str(t) for t in table.get_resolved_schema().column_types] == ["INT", "ARRAY<STRING>"]


@pytest.mark.parametrize(
    ("elements", "schema", "message"),
    [
        ([], ["a"], "cannot be inferred"),
        ([(1,), (2, 3)], None, "Row 2 has 2 values"),
        ([(None,)], ["a"], "All values of column 'a' are None"),
        ([("x",)], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())]), "cannot be a literal of type INT"),
        ([(1,), ("x",)], ["a"], "no common type"),
    ],
)
def test_elements_that_make_no_table_are_refused(env: TableEnvironment, elements: list[object], schema: object, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        env.from_elements(elements, schema)  # type: ignore[arg-type]  # parametrized


def test_table_of_a_descriptor_is_created_and_dropped(env: TableEnvironment) -> None:
    env.create_table("u", SINK)
    env.create_temporary_table("w", SINK)
    assert env.list_tables() == ["t", "u", "w"]
    assert (env.drop_table("u"), env.drop_temporary_table("w"), env.drop_table("u")) == (True, True, False)


def test_explain_has_all_stages(env: TableEnvironment) -> None:
    plan = env.explain_sql("SELECT a FROM t WHERE a > 1")
    assert [line for line in plan.splitlines() if line.startswith("==")] == [
        "== Abstract Syntax Tree ==",
        "== Optimized Logical Plan ==",
        "== Physical Plan (fake) ==",
    ]
    assert env.sql_query("SELECT a FROM t WHERE a > 1").explain() == plan
