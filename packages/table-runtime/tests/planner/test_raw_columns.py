"""Tables of outside data have no RAW columns: whoever writes the data would choose what unpickling runs."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.udf import udf
from table_common.exceptions import ValidationException

RAW = "RAW('fractions.Fraction', 'table_common.data.serializer.PickleSerializer')"
TYPES = {"whole": RAW, "in an array": f"ARRAY<{RAW}>", "in a row": f"ROW<v INT, r {RAW}>", "in a map": f"MAP<STRING, {RAW}>"}


class Touch:
    """Creates a file when its pickle is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.path), "w")


@udf(result_type="STRING")
def text_of(value: object) -> str:
    return str(value)


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as environment:
        environment.create_temporary_system_function("text_of", text_of)
        yield environment


def written(folder: Path, format_: str, data: bytes) -> None:
    folder.mkdir()
    if format_ == "parquet":
        pq.write_table(pa.table({"r": pa.array([data], pa.binary())}), folder / "f.parquet")
    else:
        text = base64.b64encode(data).decode()
        (folder / f"f.{format_}").write_text(json.dumps({"r": text}) if format_ == "json" else text)


@pytest.mark.parametrize("query", ["SELECT text_of(r) FROM t", "SELECT r FROM t", "SELECT COUNT(r) FROM t"])
@pytest.mark.parametrize("format_", ["parquet", "csv", "json"])
def test_no_object_is_made_of_the_bytes_of_a_file(env: TableEnvironment, tmp_path: Path, format_: str, query: str) -> None:
    touched = tmp_path / "touched"
    written(tmp_path / "data", format_, pickle.dumps(Touch(touched)))
    env.execute_sql(f"CREATE TABLE t (r {RAW}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/data', 'format' = '{format_}')")
    with pytest.raises(ValidationException, match=r"Column 'r' of table .*t is RAW\('fractions.Fraction'.*'filesystem'") as caught:
        list(env.execute_sql(query).collect())
    assert "BYTES" in str(caught.value)
    assert not touched.exists()


def test_the_pickle_of_these_tests_does_run_if_it_is_read(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Touch(tmp_path / "touched"))).close()
    assert (tmp_path / "touched").exists()


@pytest.mark.parametrize("type_", TYPES.values(), ids=TYPES)
def test_raw_types_inside_of_others_are_found(env: TableEnvironment, tmp_path: Path, type_: str) -> None:
    env.execute_sql(f"CREATE TABLE t (i INT, c {type_}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')")
    with pytest.raises(ValidationException, match=r"Column 'c' of table .*RAW"):
        list(env.execute_sql("SELECT i FROM t").collect())


def test_tables_of_the_program_have_raw_columns(env: TableEnvironment) -> None:
    env.execute_sql(f"CREATE TABLE t (i INT, r {RAW}) WITH ('connector' = 'memory')")
    assert list(env.execute_sql("SELECT i FROM t").collect()) == []
