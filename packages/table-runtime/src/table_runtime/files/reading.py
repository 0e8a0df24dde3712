"""Lists and reads the files of a table; rows include partition values and metadata derived from the path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import to_arrow_schema
from table_common.connector import FileScanProvider
from table_common.connector.source import DynamicFilteringData
from table_common.exceptions import TableRuntimeException
from table_common.gate import current_gate
from table_common.types import RowField
from table_runtime.columns.batches import make_batch, with_dictionaries
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.files.partitions import partition_values
from table_runtime.files.paths import WHERE, local_path
from table_runtime.files.remote import is_remote, remote_files
from table_runtime.files.snapshots import Snapshots
from table_runtime.formats import ROW_KIND_FIELD, Ignored, Piece, ReadProgress, ReadTask, WantedKeys, file_format, is_local_file
from table_runtime.formats.conditions import at_positions, referenced_names


class TableFile:
    """A file and its partition values. If ``byte_range`` is set, only the rows that start in that range are read."""

    __slots__ = ("byte_range", "partition", "path")

    def __init__(self, path: Path, partition: dict[str, pa.Scalar], byte_range: tuple[int, int] | None = None) -> None:
        self.path = path
        self.partition = partition
        self.byte_range = byte_range

    def size(self) -> int:
        """Returns the size of a local file in bytes, 0 of another file or one that is gone."""
        try:
            return self.path.stat().st_size if is_local_file(self.path) else 0
        except OSError:
            return 0

    def in_range(self, start: int, end: int) -> TableFile:
        """Returns the part of the file with the rows that start in a range of its bytes."""
        return TableFile(self.path, self.partition, (start, end))

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        # As arrays: Arrow pickles scalars as Python values, which needs pandas for timestamps with nanoseconds.
        return _unpickled, (self.path, {name: pa.repeat(value, 1) for name, value in self.partition.items()}, self.byte_range)


def _unpickled(path: Path, partition: dict[str, pa.Array], byte_range: tuple[int, int] | None) -> TableFile:
    return TableFile(path, {name: values[0] for name, values in partition.items()}, byte_range)


class TableFiles:
    """The files that a provider describes; ``table`` names the table in messages."""

    def __init__(self, provider: FileScanProvider, table: str) -> None:
        self._provider = provider
        self._table = table
        self._format = file_format(provider.format)
        keys = provider.partition_keys
        metadata = provider.metadata
        self._columns = tuple(
            name for name in provider.produced_type.field_names if name not in keys and name not in metadata and name not in provider.nested
        )
        self._keys = [field for field in provider.produced_type.fields if field.name in keys]
        self._format_metadata = _metadata_of_format(metadata) if metadata else {}
        own = set(provider.physical_type.field_names)
        self._filters = tuple(condition for condition in provider.filters if referenced_names(condition) <= own)

    def listed(self, dynamic_filters: Sequence[DynamicFilteringData] = (), snapshots: Snapshots | None = None) -> list[TableFile]:
        """Returns the files in the order of their names, without the partitions that filters or runtime filters prune.

        The files are pinned as long as ``snapshots``, the job's snapshots, is open. Without it, another job may delete them at any time.

        Raises:
            TableRuntimeException: the path cannot be read, or a file is in no partition.
        """
        files: list[tuple[str, Path]] = []
        job = Snapshots() if snapshots is None else snapshots
        for text in self._provider.paths:
            if is_remote(text):
                files += remote_files(current_gate().url(text, WHERE))
                continue
            path = local_path(text)
            try:
                snapshot = job.of(path, self._provider.snapshot)
                files += snapshot.files_of(self._provider.partition_keys, self._provider.partition_default_name, self._provider.partitions)
            except TableRuntimeException as error:
                raise TableRuntimeException(f"Table {self._table}: {error.message}", hint=error.hint) from error
            except OSError as error:
                raise TableRuntimeException(f"Table {self._table}: the path '{path}' cannot be read: {error}") from error
        if snapshots is None:
            job.close()
        return self.chosen(files, dynamic_filters)

    def chosen(self, files: Sequence[tuple[str, Path]], dynamic_filters: Sequence[DynamicFilteringData] = ()) -> list[TableFile]:
        """Returns those of the files (name relative to the table, path) that are in partitions that filters do not prune.

        Raises:
            TableRuntimeException: a file is in no partition.
        """
        if not self._provider.partition_keys:
            return [TableFile(path, {}) for _, path in files]
        return self._partitioned(files, dynamic_filters)

    def pieces(
        self,
        file: TableFile,
        ignored: Ignored | None = None,
        progress: ReadProgress | None = None,
        keys: Sequence[tuple[str, WantedKeys]] = (),
        dictionaries: frozenset[str] = frozenset(),
    ) -> Iterator[Piece]:
        """Yields the rows of a file as functions that read a batch each.

        ``ignored`` counts the rows that are skipped, and ``progress`` follows the reader. Rows whose columns are not among ``keys`` may be left out. The STRING columns
        ``dictionaries`` may be dictionary arrays.
        """
        for piece in self._format.read(self._task(file, ignored, progress, keys, dictionaries)):
            yield partial(self._decode, piece, file)

    def rows(self, file: TableFile, rows: Sequence[int]) -> Iterator[Piece]:
        """Yields the rows at some positions of a file, in ascending order; none for positions after its end."""
        for piece in self._format.read_rows(self._task(file, None, None, (), frozenset()), rows):
            yield partial(self._decode, piece, file)

    def _task(
        self,
        file: TableFile,
        ignored: Ignored | None,
        progress: ReadProgress | None,
        keys: Sequence[tuple[str, WantedKeys]],
        dictionaries: frozenset[str],
    ) -> ReadTask:
        provider = self._provider
        counter = ignored if ignored is not None else Ignored()
        return ReadTask(
            file.path,
            provider.physical_type,
            self._columns,
            provider.format_options,
            self._filters,
            self._format_metadata,
            counter,
            progress if progress is not None else ReadProgress(),
            provider.nulls_for_missing_columns,
            file.byte_range,
            tuple(provider.nested.values()),
            tuple(pair for pair in keys if pair[0] in self._columns),
            dictionaries,
        )

    def report(self, ignored: Ignored) -> None:
        """Logs a warning to ``table_runtime.files`` if rows were ignored."""
        if ignored.total:
            import logging  # few readers ignore rows

            logging.getLogger("table_runtime.files").warning(
                "Table %s: %s (ignored because of the option 'ignore-parse-errors')", self._table, ignored
            )

    def _decode(self, piece: Piece, file: TableFile) -> pa.RecordBatch:
        batch = piece()
        provider = self._provider
        metadata = provider.metadata
        own = {name: index for index, name in enumerate((*self._columns, *provider.nested, *self._format_metadata))}
        arrays = []
        for field in provider.produced_type.fields:
            if field.name in file.partition:
                arrays.append(pa.repeat(file.partition[field.name], batch.num_rows))
            elif field.name in own:
                arrays.append(batch.column(own[field.name]))
            else:
                from table_runtime.files.metadata import file_metadata  # few tables have metadata columns

                arrays.append(pa.repeat(file_metadata(file.path, metadata[field.name]), batch.num_rows))
        schema = to_arrow_schema(provider.produced_type)
        if batch.num_columns > len(own) and batch.schema.names[-1:] == [ROW_KIND_FIELD.name]:
            schema = schema.append(ROW_KIND_FIELD)
            arrays.append(batch.columns[-1])
        return make_batch(arrays, with_dictionaries(schema, arrays), batch.num_rows)

    def _partitioned(self, listed: Sequence[tuple[str, Path]], dynamic_filters: Sequence[DynamicFilteringData]) -> list[TableFile]:
        provider = self._provider
        keys = provider.partition_keys
        texts = [partition_values(PurePath(name), keys, provider.partition_default_name) for name, _ in listed]
        types = {field.name: field for field in (*provider.produced_type.fields, *provider.physical_type.fields)}
        columns: list[pa.Array] = []
        key_fields: list[RowField] = []
        from table_runtime.formats.text.columns import parse_column  # only values of partition columns are parsed

        for index, key in enumerate(keys):
            field = types.get(key)
            if field is None:  # neither produced nor used by a filter
                continue
            array, failure = parse_column(pa.array([values[index] for values in texts], type=pa.string()), field.type)
            if failure is not None:
                position, text, reason = failure
                raise TableRuntimeException(
                    f"Table {self._table}: the partition {key}={text} of '{listed[position][1]}' "
                    f"cannot be read as {field.type.summary()}: {reason}."
                )
            columns.append(array)
            key_fields.append(field)
        is_selected = self._pruned(key_fields, columns, len(listed))
        for data in dynamic_filters:
            is_selected = _matching(data, key_fields, columns, is_selected)
        files = []
        for position, (_, path) in enumerate(listed):
            if is_selected[position]:
                values = {field.name: column[position] for field, column in zip(key_fields, columns, strict=True)}
                files.append(TableFile(path, {field.name: values[field.name] for field in self._keys}))
        return files

    def _pruned(self, fields: Sequence[RowField], columns: Sequence[pa.Array], count: int) -> Sequence[bool]:
        positions = {field.name: index for index, field in enumerate(fields)}
        usable = [
            at_positions(condition, positions) for condition in self._provider.filters if referenced_names(condition) <= set(positions)
        ]
        if not usable or not count:
            return [True] * count
        batch = pa.RecordBatch.from_arrays(list(columns), names=[field.name for field in fields])
        mask: Sequence[bool] = Evaluator(usable, EvaluationContext()).evaluate_filter(batch).to_pylist()
        return mask


def _metadata_of_format(metadata: Mapping[str, str]) -> dict[str, str]:
    """Returns the metadata columns that the format provides; the others are of files in general."""
    from table_runtime.files.metadata import FILE_METADATA  # few tables have metadata columns

    return {name: key for name, key in metadata.items() if key not in FILE_METADATA}


def _matching(
    data: DynamicFilteringData, fields: Sequence[RowField], columns: Sequence[pa.Array], is_selected: Sequence[bool]
) -> Sequence[bool]:
    """Returns which of the selected files are in a partition that a runtime filter accepts."""
    column_of = {field.name: column for field, column in zip(fields, columns, strict=True)}
    if not data.is_filtering or not column_of.keys() >= set(data.field_names):
        return is_selected
    rows = zip(*(column_of[name].to_pylist() for name in data.field_names), strict=True)
    return [selected and data.contains(row) for selected, row in zip(is_selected, rows, strict=True)]
