"""Selects the files of a snapshot of a local table for Spark's file readers: by folder where the folder holds exactly the snapshot, otherwise by file name.

Spark lists a folder faster than it accepts a list of file names. It is passed the folder if this holds exactly the files of the snapshot, which is
checked before and after the listing, and the file names otherwise: while a statement changes the table, or a reader still uses files that a
change removed. Spark always lists remote files itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from pathlib import Path, PurePath

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.types import StructType

from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import replace
from table_common.gate import current_gate
from table_planner_spark.quoting import exact_path
from table_planner_spark.session.adapters import adapter_of
from table_runtime.files import WHERE, Snapshots, TableSnapshot, expanded_paths, is_remote, local_path

_PATTERN = re.compile(r"[*?\[{]")
"""Characters that make a path a glob pattern for Spark."""


class FileListing:
    """The files that a scan reads, pinned as long as ``snapshots`` is open.

    Raises:
        TableRuntimeException: there is nothing at a path, or it cannot be listed.
    """

    def __init__(self, provider: FileScanProvider, snapshots: Snapshots) -> None:
        self._provider = provider = _within_restrictions(provider)
        self._snapshots: list[TableSnapshot] | None = None
        self.files: list[Path] | None = None
        """The files; None if Spark lists them: remote files and patterns."""
        if any(is_remote(path) or _is_pattern(path) for path in provider.paths):
            return
        self._snapshots = []
        for path in provider.paths:
            try:
                self._snapshots.append(snapshots.of(local_path(path), provider.snapshot))
            except OSError as error:
                raise TableRuntimeException(f"The path '{local_path(path)}' cannot be read: {error}") from error
        self.files = [file for _, file in self._wanted()]

    def read(self, spark: SparkSession, reader: DataFrameReader, schema: StructType) -> DataFrame:
        """Returns the DataFrame of the files; ``schema`` is the reader's schema."""
        access = adapter_of(spark)
        access.require_same_files(spark, self._provider.paths if self.files is None else self.files)
        if self._snapshots is None:
            return _based(reader, self._provider.paths, self._provider.partition_keys).load(list(self._provider.paths))
        if not self.files:
            return spark.createDataFrame([], schema)
        # A folder would be listed again when the DataFrame runs.
        if not access.analyzes_late and self._is_all_there_is():
            frame = self._folders(reader)
            if self._is_all_there_is():
                return frame
        return self._named(reader)

    def _is_all_there_is(self) -> bool:
        assert self._snapshots is not None
        return all(snapshot.is_all_there_is() for snapshot in self._snapshots)

    def _wanted(self) -> list[tuple[str, Path]]:
        """Returns the files of the partitions to read, each with its path relative to its table."""
        assert self._snapshots is not None
        keys, default_name, partitions = self._provider.partition_keys, self._provider.partition_default_name, self._provider.partitions
        return [named for snapshot in self._snapshots for named in snapshot.files_of(keys, default_name, partitions)]

    def _names_of_folders(self) -> list[str]:
        """Returns the tables' folders, or the folders of the files if only some partitions are read: engines name a partition's folder differently."""
        assert self._snapshots is not None
        # Spark ignores folders whose names begin with a dot, unless they are passed explicitly.
        if self._provider.partitions is None and not any(key.startswith(".") for key in self._provider.partition_keys):
            return [exact_path(snapshot.table) for snapshot in self._snapshots]
        return [exact_path(folder) for folder in dict.fromkeys(file.parent for _, file in self._wanted())]

    def _folders(self, reader: DataFrameReader) -> DataFrame:
        """Returns the DataFrame of the files that Spark finds in the folders."""
        assert self._snapshots is not None
        keys = self._provider.partition_keys
        if not keys and any("/" in name for name, _ in self._wanted()):
            reader = reader.option("recursiveFileLookup", "true")
        return _based(reader, [str(one.table) for one in self._snapshots], keys).load(self._names_of_folders())

    def _named(self, reader: DataFrameReader) -> DataFrame:
        """Returns the DataFrame of the files by name. Spark reads partition values below a single base path, so each table has its own reader."""
        groups: dict[Path, list[str]] = {}
        for name, file in self._wanted():
            groups.setdefault(file.parents[len(PurePath(name).parts) - 1], []).append(exact_path(file))
        frames = [
            (reader.option("basePath", _url(folder)) if self._provider.partition_keys else reader).load(files)
            for folder, files in groups.items()
        ]
        if self._provider.metadata and len(frames) > 1:  # a union would hide the metadata
            frames = [frame.select("*", "_metadata") for frame in frames]
        return reduce(DataFrame.unionAll, frames)


def _within_restrictions(provider: FileScanProvider) -> FileScanProvider:
    """Returns the provider with paths that restrictions of the session allow. What a pattern matches is then found here, not by Spark."""
    gate = current_gate()
    if gate.is_open:
        return provider
    paths = [found for path in provider.paths for found in ((gate.url(path, WHERE),) if is_remote(path) else expanded_paths(path))]
    return replace(provider, paths=tuple(paths))


def _is_pattern(path: str) -> bool:
    """Returns whether Spark expands the path as a glob pattern: it has such characters, and no file of that name exists."""
    return _PATTERN.search(path) is not None and not local_path(path).exists()


def _url(path: Path) -> str:
    # Not as_uri: Spark does not decode the path after the scheme, so %20 would not be a space.
    return f"file://{path}"


def _based(reader: DataFrameReader, tables: Sequence[str], keys: Sequence[str]) -> DataFrameReader:
    """Sets `basePath` to the table's folder if the paths are partition folders."""
    root = _root(tables, keys[0]) if keys else None
    return reader if root is None else reader.option("basePath", root)


def _root(paths: Sequence[str], first_key: str) -> str | None:
    """Returns the table's folder, if the paths are folders of partitions inside it."""
    for path in paths:
        found = re.search(rf"^(.*?)/{re.escape(first_key)}=", path)
        if found is not None:
            return found[1]
    return paths[0] if len(paths) == 1 else None
