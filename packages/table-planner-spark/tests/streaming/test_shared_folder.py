"""The check that workers reach the folder of a job's state, and the folder of a query."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from table_common.exceptions import TableException
from table_common.gate import Gate
from table_planner_spark.streaming.shared_folder import is_on_one_machine, require_shared_folder, temporary_folder


def test_a_folder_that_all_reach_is_left_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    require_shared_folder(spark, Gate.location_of_program(str(tmp_path)), "the checkpoint folder")
    assert not list(tmp_path.iterdir())
    assert is_on_one_machine(spark)


def test_a_folder_that_workers_do_not_reach_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    opened = os.open(tmp_path, os.O_RDONLY)  # workers have no such descriptor
    try:
        with pytest.raises(TableException, match=r"The workers of Spark do not reach the checkpoint folder '/proc/self/fd/\d+'") as caught:
            require_shared_folder(spark, Gate.location_of_program(f"/proc/self/fd/{opened}"), "the checkpoint folder")
    finally:
        os.close(opened)
    assert "execution.checkpointing.dir" in str(caught.value)


def test_the_state_of_a_query_is_below_the_checkpoint_folder_if_there_is_one(spark: SparkSession, tmp_path: Path) -> None:
    with temporary_folder(spark, str(tmp_path)) as folder:
        assert Path(folder).parent == tmp_path
        Path(folder).mkdir()
    assert not list(tmp_path.iterdir())
    with temporary_folder(spark, None) as folder:
        assert Path(folder).is_dir()
    assert not Path(folder).exists()
