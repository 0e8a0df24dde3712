"""Sinks that take Arrow batches, and the built-in connectors on Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from table_common.connector import ArrowSinkProvider, CommitContext, CommitMessage, SinkCommitter, SinkWriter, WriterContext
from table_common.exceptions import JobCancelledException, TableException, TableRuntimeException
from table_common.types import IntType, RowType
from table_planner_spark.sink.arrow_sink import ArrowWrite
from table_runtime.files import FileChanges

# Spark's workers cannot import a test module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

GENERATED = "CREATE TEMPORARY TABLE g (a INT, b STRING) WITH ('connector'='datagen', 'number-of-rows'='7', 'fields.b.length'='4')"


def test_generated_rows_are_counted(run: Any) -> None:
    run.environment.execute_sql(GENERATED)
    assert run.rows("SELECT COUNT(*), MIN(CHAR_LENGTH(b)) FROM g") == [(7, 4)]


def test_rows_that_never_end_are_refused(run: Any) -> None:
    run.environment.execute_sql("CREATE TEMPORARY TABLE g (a INT) WITH ('connector'='datagen')")
    with pytest.raises(TableException, match="unbounded"):
        run.rows("SELECT a FROM g")


def test_rows_are_printed_by_the_program(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run.environment.execute_sql("CREATE TEMPORARY TABLE p (a INT, b STRING) WITH ('connector'='print', 'print-identifier'='id')")
    run.environment.execute_sql("INSERT INTO p VALUES (1, 'a')").wait()
    assert capsys.readouterr().out == "id> +I[1, a]\n"


def test_rows_in_a_black_hole_are_counted(run: Any) -> None:
    run.environment.execute_sql(GENERATED)
    run.environment.execute_sql("CREATE TEMPORARY TABLE k (a INT, b STRING) WITH ('connector'='blackhole')")
    assert run.rows("INSERT INTO k SELECT * FROM g") == [(7,)]


# --- who commits what the tasks have written -----------------------------------------------------------------------------------------


@dataclass
class Journal(ArrowSinkProvider):
    """Writes down in a file what happens, and the process in which it does."""

    path: Path
    fails: str = ""

    def note(self, what: str) -> None:
        with self.path.open("a") as file:
            file.write(f"{what} {os.getpid()}\n")
        if what.startswith(self.fails or "nothing"):
            raise ValueError(f"{self.fails} is not possible")

    def events(self) -> list[tuple[str, bool]]:
        """Returns what happened, and whether in this process."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [(line.rpartition(" ")[0], int(line.rpartition(" ")[2]) == os.getpid()) for line in lines]

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return JournalWriter(self)

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return JournalCommitter(self)


@dataclass
class JournalWriter(SinkWriter):
    journal: Journal
    rows: int = 0

    def write(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.num_rows

    def prepare_commit(self) -> CommitMessage:
        self.journal.note("prepare")
        return self.rows

    def abort(self) -> None:
        self.journal.note("give up")


@dataclass
class JournalCommitter(SinkCommitter):
    journal: Journal

    def commit(self, messages: Sequence[CommitMessage]) -> None:
        self.journal.note(f"commit {sum(messages)}")

    def abort(self, messages: Sequence[CommitMessage]) -> None:
        self.journal.note(f"abort {sum(messages)}")


def write(spark: SparkSession, journal: Journal, begin_commit: Any = lambda: None) -> None:
    frame = spark.range(0, 7, 1, 2).selectExpr("CAST(id AS INT) AS a")
    row_type = RowType.of([("a", IntType(nullable=False))])
    ArrowWrite(journal, frame, row_type).run(frame, FileChanges("job"), "job-0", begin_commit)


def test_the_process_of_the_planner_commits(spark: SparkSession, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    begun: list[int] = []
    write(spark, journal, lambda: begun.append(len(journal.events())))
    assert journal.events() == [("prepare", False), ("prepare", False), ("commit 7", True)]
    assert begun == [2], "the commit begins when all tasks are prepared"


def test_a_job_that_was_cancelled_before_its_commit_aborts(spark: SparkSession, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")

    def refuse() -> None:
        raise JobCancelledException("Job 1 was cancelled.")

    with pytest.raises(JobCancelledException):
        write(spark, journal, refuse)
    assert journal.events()[2:] == [("abort 7", True)]


def test_a_commit_that_fails_names_the_table(spark: SparkSession, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", fails="commit")
    with pytest.raises(TableRuntimeException, match="Writing the table failed: ValueError: commit is not possible"):
        write(spark, journal)


def test_a_task_that_fails_leaves_the_abort_to_spark(spark: SparkSession, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", fails="prepare")
    with pytest.raises(Exception, match=r"prepare is not possible|table-error"):
        write(spark, journal)
    assert not [event for event, _ in journal.events() if event.startswith("commit")]
    assert [event for event, is_here in journal.events() if event.startswith("abort") and not is_here]
