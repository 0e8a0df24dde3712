"""What the access to a session of Spark Connect checks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.functions import expr
from pyspark.sql.connect.readwriter import DataFrameReader

from table_common.exceptions import TableException
from table_planner_spark.session.adapters import adapter_of


def test_a_server_that_does_not_see_our_folders_is_refused(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []
    write_text: Callable[..., int] = Path.write_text

    def elsewhere(path: Path, text: str) -> int:
        written.append(path)
        return write_text(path, f"another machine's {text}")

    monkeypatch.setattr(Path, "write_text", elsewhere)
    with pytest.raises(TableException, match="does not see the folder"):
        adapter_of(spark).require_shared_folder(spark, tmp_path)
    assert written
    assert not list(tmp_path.iterdir())


def test_a_folder_of_both_machines_is_accepted(spark: SparkSession, tmp_path: Path) -> None:
    adapter_of(spark).require_shared_folder(spark, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where the server finds what is in the folder "here" for us, as if it were another machine."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    load: Callable[..., DataFrame] = DataFrameReader.load

    def elsewhere(reader: DataFrameReader, paths: list[str]) -> DataFrame:
        frame = load(reader, [path.replace(str(here), str(there)) for path in paths])
        return frame.withColumn("path", expr(f"replace(path, '{there}', '{here}')"))

    monkeypatch.setattr(DataFrameReader, "load", elsewhere)
    return there


def test_files_that_the_server_does_not_have_as_we_do_are_refused(spark: SparkSession, there: Path) -> None:
    access, here = adapter_of(spark), there.parent / "here"
    file = here / "a [1] %20.csv"
    file.write_text("here")

    def refused(*files: str | Path) -> None:
        with pytest.raises(TableException, match="or another one than this machine"):
            access.require_same_files(spark, files)

    refused(file)  # it has none
    (there / file.name).write_text("longer there")
    refused(file)
    (there / file.name).write_text("ther")  # of the same size, but of another time
    refused(file)
    shutil.copy2(file, there)
    access.require_same_files(spark, [file])
    (there / "b.csv").write_text("there")
    refused(f"{here}/*.csv")
    access.require_same_files(spark, ["s3://bucket/file.csv"])


def test_the_text_of_a_statement_refers_to_frames_by_name(spark: SparkSession) -> None:
    access = adapter_of(spark)
    frame = access.run_sql(spark, "SELECT a.id, '{}' AS s FROM one AS a JOIN one AS b ON a.id = b.id", {"one": spark.range(1)})
    assert [tuple(row) for row in frame.collect()] == [(0, "{}")]
    assert access.empty_like(frame).count() == 0
