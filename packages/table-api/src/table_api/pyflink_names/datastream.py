"""Names of ``pyflink.datastream`` that programs of the Table API use: the environment, and streams as the two ends of a table.

There is no DataStream API: a stream is a list of rows that becomes a table, or a table whose rows are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, NoReturn

from table_api.delegation import JobExecutionResult, JobID
from table_api.migrate.refused_calls import REFUSED_METHODS, STREAM_METHODS, refused_call
from table_api.table_result import CloseableIterator
from table_common.configuration import Configuration, ExecutionConfigOptions, TableConfigOptions
from table_common.exceptions import ValidationException
from table_common.types import DataType


class RuntimeExecutionMode(Enum):
    """How a job runs: over bounded data, or following its data.

    Example:
        >>> StreamExecutionEnvironment().set_runtime_mode(RuntimeExecutionMode.BATCH).get_configuration().to_map()
        {'execution.runtime-mode': 'batch'}

    Source: PyFlink's ``pyflink.datastream.RuntimeExecutionMode``.
    """

    STREAMING = "streaming"
    BATCH = "batch"
    AUTOMATIC = "automatic"


class DataStream:
    """Rows on their way into a table or out of one; iterating over it, or ``execute_and_collect``, reads them.

    Example:
        >>> stream = StreamExecutionEnvironment.get_execution_environment().from_collection([(1, "a"), (2, "b")])
        >>> [number for number, text in stream]
        [1, 2]

    Source: PyFlink's ``pyflink.datastream.DataStream``.
    """

    def __init__(self, read: Callable[[], Iterator[Any]], data_type: DataType | None = None, timestamp_column: str | None = None) -> None:
        self._read = read
        self._data_type = data_type
        self.timestamp_column = timestamp_column
        """The column with the times of the elements: the event time of the table that the stream comes from."""

    def get_type(self) -> DataType | None:
        """Returns the type of the elements, or None if it is to be inferred."""
        return self._data_type

    def execute_and_collect(self, job_execution_name: str | None = None, limit: int | None = None) -> CloseableIterator[Any] | list[Any]:
        """Runs the query and returns its elements: an iterator, or a list of at most ``limit`` elements."""
        elements = self._read()
        iterator = elements if isinstance(elements, CloseableIterator) else CloseableIterator(elements)
        if limit is None:
            return iterator
        with iterator as rows:
            return [element for _, element in zip(range(limit), rows, strict=False)]

    def print(self, sink_identifier: str | None = None) -> DataStream:
        """Runs the query and writes its elements to standard output, a line each, after the identifier if there is one."""
        import sys

        prefix = "" if sink_identifier is None else f"{sink_identifier}> "
        for element in self._read():
            sys.stdout.write(f"{prefix}{element}\n")
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read())

    def __getattr__(self, name: str) -> NoReturn:
        if name not in STREAM_METHODS:
            raise AttributeError(f"'DataStream' object has no attribute '{name}'")
        raise ValidationException(
            f"DataStream.{name} does not exist: there is no DataStream API beside the Table API.",
            hint=f"Make a table first, t_env.from_data_stream(…), and use {STREAM_METHODS[name]}.",
        )


class StreamExecutionEnvironment:
    """Options of jobs, and lists of rows as streams. A ``StreamTableEnvironment`` that is created with it takes its options.

    Example:
        >>> environment = StreamExecutionEnvironment.get_execution_environment()
        >>> environment.set_parallelism(1).get_parallelism()
        1

    Source: PyFlink's ``pyflink.datastream.StreamExecutionEnvironment``.
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration.copy()
        self.dependencies: list[tuple[str, tuple[str | None, ...]]] = []
        """Calls of methods about dependencies, which ``StreamTableEnvironment.create`` repeats: the name of the method and its arguments."""

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """Returns a new environment with the options given."""
        return StreamExecutionEnvironment(configuration)

    def get_configuration(self) -> Configuration:
        """Returns a copy of the options."""
        return self._configuration.copy()

    def configure(self, configuration: Configuration) -> None:
        """Sets all options of a configuration."""
        self._configuration.add_all(configuration)

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> StreamExecutionEnvironment:
        """Sets batch or streaming mode.

        Raises:
            ValidationException: it is ``AUTOMATIC``.
        """
        if execution_mode is RuntimeExecutionMode.AUTOMATIC:
            raise ValidationException("The mode AUTOMATIC is not known to the Table API.", hint="RuntimeExecutionMode.BATCH or .STREAMING")
        self._configuration.set(TableConfigOptions.RUNTIME_MODE, execution_mode.value)
        return self

    def set_parallelism(self, parallelism: int) -> StreamExecutionEnvironment:
        """Sets how many tasks run an operator."""
        self._configuration.set(ExecutionConfigOptions.TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM, parallelism)
        return self

    def get_parallelism(self) -> int:
        """Returns how many tasks run an operator; -1 is the engine's choice."""
        return int(self._configuration.get(ExecutionConfigOptions.TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM) or -1)

    def add_python_file(self, file_path: str) -> None:
        """Does what ``TableEnvironment.add_python_file`` does, for environments that are created with this one."""
        self.dependencies.append(("add_python_file", (file_path,)))

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Does what ``TableEnvironment.add_python_archive`` does, for environments that are created with this one."""
        self.dependencies.append(("add_python_archive", (archive_path, target_dir)))

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Does what ``TableEnvironment.set_python_requirements`` does, for environments that are created with this one."""
        self.dependencies.append(("set_python_requirements", (requirements_file_path, requirements_cache_dir)))

    def from_collection(self, collection: Iterable[Any], type_info: DataType | None = None) -> DataStream:
        """Returns rows as a stream, for ``StreamTableEnvironment.from_data_stream``."""
        elements = list(collection)
        return DataStream(lambda: iter(elements), type_info)

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Does nothing: a stream is run by the method that reads it. Returns the result of an empty job."""
        return JobExecutionResult(JobID(job_name or "data stream job"), 0)

    def close(self) -> None:
        """Does nothing: the environment has no resources."""

    def __getattr__(self, name: str) -> NoReturn:
        if name not in REFUSED_METHODS:
            raise AttributeError(f"'StreamExecutionEnvironment' object has no attribute '{name}'")
        raise refused_call("StreamExecutionEnvironment", name)
