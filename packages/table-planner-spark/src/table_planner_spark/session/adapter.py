"""What the planner needs of a Spark session beyond its public API. A session in this process offers it through the driver's JVM."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, ClassVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType


class SessionAdapter(ABC):
    """The parts of a session that depend on how this process reaches Spark. It has no state of its own: each call names the session."""

    analyzes_late: ClassVar[bool] = False
    """Whether a DataFrame is analyzed each time that it runs, and not when it is made."""
    has_jvm: ClassVar[bool] = True
    """Whether this process can call the JVM of the driver."""

    @abstractmethod
    def session_id(self, spark: SparkSession) -> str:
        """Returns what identifies the session in its Spark."""

    @abstractmethod
    def analyze(self, frame: DataFrame) -> None:
        """Analyzes a DataFrame, so that errors of the analysis are raised now."""

    @abstractmethod
    def name_frame(self, frame: DataFrame, spark: SparkSession, frames: dict[str, DataFrame], stack: ExitStack) -> str:
        """Returns the name by which the text of a statement refers to a DataFrame, until the stack closes. Adds it to ``frames``."""

    @abstractmethod
    def run_sql(self, spark: SparkSession, text: str, frames: dict[str, DataFrame]) -> DataFrame:
        """Returns the DataFrame of a query whose text refers to ``frames`` by name."""

    @abstractmethod
    def map_in_arrow(self, frame: DataFrame, function: Callable[..., Any], schema: StructType, name: str) -> DataFrame:
        """Returns the results of a function over the Arrow batches of each partition. Spark's plans show ``name``."""

    @abstractmethod
    def empty_like(self, frame: DataFrame) -> DataFrame:
        """Returns a DataFrame with the columns of another and no rows."""

    @abstractmethod
    def frame_in(self, frame: DataFrame, spark: SparkSession) -> DataFrame | None:
        """Returns a DataFrame of this program as one of another session, or None if it can only be made again."""

    @abstractmethod
    def sender(self, spark: SparkSession) -> AbstractContextManager[SparkSession]:
        """Lends the session in which DataFrames of rows of this process are made. Its options may be changed meanwhile."""

    @abstractmethod
    def call_in_job(self, program: SparkSession, spark: SparkSession, job_id: str, description: str) -> Callable[[], None]:
        """Returns the call that marks what its thread runs from then on in ``spark`` as a job. Called in the thread of the program, whose job group,
        tags and scheduler pool the job keeps.
        """

    @abstractmethod
    def describe_jobs(self, spark: SparkSession, description: str) -> None:
        """Sets what Spark's interface shows of the next jobs of this thread, if the program can."""

    @abstractmethod
    def cancel_job(self, spark: SparkSession, job_id: str) -> None:
        """Interrupts a job, and what it has not started yet. Another thread than the job's calls it."""

    @abstractmethod
    def count_tasks(self, spark: SparkSession, job_id: str) -> tuple[int, int]:
        """Returns how many tasks of a job are done, and how many Spark knows of; none if Spark does not tell."""

    @abstractmethod
    def parallelism(self, spark: SparkSession) -> int:
        """Returns how many tasks a scan of this process's own readers is divided into."""

    @abstractmethod
    def require_shared_folder(self, spark: SparkSession, folder: Path) -> None:
        """Checks that Spark's driver sees a folder of this machine.

        Raises:
            TableException: the driver is on another machine, which has no such folder or another one of that name.
        """

    @abstractmethod
    def require_same_files(self, spark: SparkSession, files: Iterable[str | Path]) -> None:
        """Checks that Spark's driver sees these files and patterns as this machine does: sizes and times of modification are compared.

        Raises:
            TableException: the driver is on another machine, which has no such file or another one of that name.
        """

    @abstractmethod
    def has_file_system(self, spark: SparkSession, scheme: str) -> bool:
        """Returns whether Spark's own readers have a file system for URLs of this scheme; True where the driver cannot be asked."""

    @abstractmethod
    def activate(self, spark: SparkSession) -> None:
        """Makes the session the one in which Spark looks up names for this thread."""

    @abstractmethod
    def heap_of_driver(self, spark: SparkSession) -> int | None:
        """Returns the memory of Spark's driver in bytes, or None if Spark keeps the rows of programs elsewhere."""
