"""What the access to a session of Spark Connect checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from table_common.exceptions import TableException
from table_planner_spark.accesses import access_to


def test_a_server_that_does_not_see_our_folders_is_refused(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []
    write_text: Callable[..., int] = Path.write_text

    def elsewhere(path: Path, text: str) -> int:
        written.append(path)
        return write_text(path, f"another machine's {text}")

    monkeypatch.setattr(Path, "write_text", elsewhere)
    clone = spark.newSession()  # which has not asked yet
    with pytest.raises(TableException, match="does not see the folder"):
        access_to(clone).require_shared_folder(clone, tmp_path)
    assert written
    assert not list(tmp_path.iterdir())


def test_a_folder_of_both_machines_is_accepted(spark: SparkSession, tmp_path: Path) -> None:
    access_to(spark).require_shared_folder(spark, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_text_of_a_statement_refers_to_frames_by_name(spark: SparkSession) -> None:
    access = access_to(spark)
    frame = access.run_sql(spark, "SELECT a.id, '{}' AS s FROM one AS a JOIN one AS b ON a.id = b.id", {"one": spark.range(1)})
    assert [tuple(row) for row in frame.collect()] == [(0, "{}")]
    assert access.empty_like(frame).count() == 0
