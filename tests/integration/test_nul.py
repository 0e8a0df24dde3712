"""The character NUL in names, paths and values of partitions is a clear error, before anything is written or registered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from table_api import DataTypes, PlanReference, Schema, TableDescriptor, TableEnvironment, TableRuntimeException, ValidationException
from table_api.expressions import col
from table_api.udf import udf
from table_common.catalog import Catalog, CatalogDatabase

MakeEnv = Callable[[str], TableEnvironment]

NUL = "a\0b"
ENGINES = ["arrow", "spark"]
ROW = DataTypes.ROW([DataTypes.FIELD("v", DataTypes.INT()), DataTypes.FIELD("k", DataTypes.STRING())])


def _descriptor(column: str = "x", path: str = "/nowhere") -> TableDescriptor:
    schema = Schema.new_builder().column(column, DataTypes.INT()).build()
    return TableDescriptor.for_connector("filesystem").schema(schema).format("json").option("path", path).build()


def _catalog(environment: TableEnvironment) -> Catalog:
    found = environment.get_catalog("default_catalog")
    assert found is not None
    return found


def _function(value: int) -> int:
    return value


USES: dict[str, Callable[[TableEnvironment], object]] = {
    "catalog": lambda env: env.register_catalog(NUL, _catalog(env)),
    "database": lambda env: env.create_temporary_table(f"default_catalog.`{NUL}`.t", _descriptor()),
    "view": lambda env: env.create_temporary_view(NUL, env.from_elements([(1,)], ["x"])),
    "table": lambda env: env.create_table(NUL, _descriptor()),
    "column": lambda env: env.create_table("t", _descriptor(NUL)),
    "column of elements": lambda env: env.from_elements([(1,)], [NUL]),
    "column of Arrow": lambda env: env.from_arrow(pa.table({NUL: [1]})),
    "alias": lambda env: env.from_elements([(1,)], ["x"]).select(col("x").alias(NUL)).execute(),
    "field": lambda env: env.from_elements(
        [((1,),)], DataTypes.ROW([DataTypes.FIELD("r", DataTypes.ROW([DataTypes.FIELD(NUL, DataTypes.INT())]))])
    ),
    "system function": lambda env: env.create_temporary_system_function(NUL, udf(_function, result_type=DataTypes.INT())),
    "function": lambda env: env.create_temporary_function(f"`{NUL}`", udf(_function, result_type=DataTypes.INT())),
    "looked up": lambda env: env.from_path(NUL),
    "database of a catalog": lambda env: _catalog(env).create_database(NUL, CatalogDatabase({}), False),
    "file of a catalog": lambda env: env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '/nowhere/{NUL}')"),
    "path of a plan": lambda env: env.load_plan(PlanReference.from_file(f"/nowhere/{NUL}")),
}


@pytest.mark.parametrize("use", USES)
def test_name_with_nul_is_refused(use: str, make_env: MakeEnv) -> None:
    environment = make_env("arrow")
    with pytest.raises(ValidationException, match=r"The character NUL cannot be in .*a\\x00b"):
        USES[use](environment)


@pytest.mark.parametrize("engine", ENGINES)
def test_path_with_nul_is_refused(engine: str, make_env: MakeEnv) -> None:
    environment = make_env(engine)
    environment.create_temporary_table("t", _descriptor(path=f"/nowhere/{NUL}"))
    with pytest.raises(ValidationException, match=r"The option 'path' of .* contains the character NUL"):
        environment.from_path("t").execute()


@pytest.mark.parametrize("format_", ["json", "parquet"])
@pytest.mark.parametrize("engine", ENGINES)
def test_value_of_a_partition_with_nul_is_refused_before_the_table_changes(
    engine: str, format_: str, make_env: MakeEnv, tmp_path: Path
) -> None:
    environment = make_env(engine)
    options = f"'connector' = 'filesystem', 'format' = '{format_}', 'path' = '{tmp_path}/t'"
    environment.execute_sql(f"CREATE TABLE t (v INT, k STRING) PARTITIONED BY (k) WITH ({options})")
    environment.from_elements([(1, "a")], ROW).execute_insert("t").wait()
    with pytest.raises(TableRuntimeException, match="A value of the partition column 'k' contains the character NUL"):
        environment.from_elements([(2, "b"), (3, NUL)], ROW).execute_insert("t").wait()
    assert environment.execute_sql("SELECT * FROM t").to_arrow().to_pylist() == [{"v": 1, "k": "a"}]


@pytest.mark.parametrize("engine", ENGINES)
def test_static_partition_with_nul_is_refused(engine: str, make_env: MakeEnv, tmp_path: Path) -> None:
    environment = make_env(engine)
    options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path}/t'"
    environment.execute_sql(f"CREATE TABLE t (v INT, k STRING) PARTITIONED BY (k) WITH ({options})")
    with pytest.raises(ValidationException, match="The character NUL cannot be in the value of a partition"):
        environment.execute_sql(f"INSERT INTO t PARTITION (k = '{NUL}') SELECT 1")
