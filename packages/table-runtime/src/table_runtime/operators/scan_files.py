"""Reads the files of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path, PurePath

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import FileScanProvider
from table_common.exceptions import TableRuntimeException
from table_common.types import RowField
from table_runtime.batches import make_batch
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.files import file_metadata, local_path, partition_values, visible_files
from table_runtime.formats import Piece, ReadTask, file_format
from table_runtime.formats.conditions import at_positions, referenced_names
from table_runtime.formats.text_values import parse_column
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import closing, map_ordered

__all__ = ["ScanFiles"]


class ScanFiles(Operator):
    """Yields the rows of all files, file by file in the order of their names. Nothing is read beyond what is asked for."""

    def __init__(self, provider: FileScanProvider, schema: pa.Schema, table: str) -> None:
        super().__init__(schema)
        self._provider = provider
        self._table = table
        self._format = file_format(provider.format)
        keys = provider.partition_keys
        self._columns = tuple(name for name in provider.produced_type.field_names if name not in keys and name not in provider.metadata)
        self._keys = [field for field in provider.produced_type.fields if field.name in keys]

    @override
    def details(self) -> str:
        provider = self._provider
        text = f"table=[{self._table}], format=[{provider.format}], fields=[{', '.join(self.schema.names)}]"
        if provider.filters:
            text += f", filters=[{', '.join(map(str, provider.filters))}]"
        return text + (f", limit=[{provider.limit}]" if provider.limit is not None else "")

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        files = self._files()
        left = self._provider.limit
        pieces = map_ordered(lambda piece: piece(), self._pieces(files, context), context)
        try:
            for batch in pieces:
                yield batch
                if left is not None:
                    left -= batch.num_rows
                    if left <= 0:
                        return
        finally:
            closing(pieces)

    def _pieces(self, files: Sequence[_File], context: ExecutionContext) -> Iterator[Piece]:
        provider = self._provider
        own = set(provider.physical_type.field_names)
        filters = tuple(condition for condition in provider.filters if referenced_names(condition) <= own)
        for number, file in enumerate(files):
            context.report(f"reading {file.path.name}", number / len(files))
            task = ReadTask(file.path, provider.physical_type, self._columns, provider.format_options, filters)
            source = self._format.read(task)
            try:
                for piece in source:
                    context.check()
                    yield partial(self._decode, piece, file)
            finally:
                closing(source)

    def _decode(self, piece: Piece, file: _File) -> pa.RecordBatch:
        batch = piece()
        arrays = []
        metadata = self._provider.metadata
        for field in self._provider.produced_type.fields:
            if field.name in file.partition:
                arrays.append(pa.repeat(file.partition[field.name], batch.num_rows))
            elif field.name in metadata:
                arrays.append(pa.repeat(file_metadata(file.path, metadata[field.name]), batch.num_rows))
            else:
                arrays.append(batch.column(self._columns.index(field.name)))
        return make_batch(arrays, self.schema, batch.num_rows)

    def _files(self) -> list[_File]:
        provider = self._provider
        found: list[tuple[str, Path]] = []
        for text in provider.paths:
            path = local_path(text)
            try:
                found += visible_files(path)
            except TableRuntimeException as error:
                raise TableRuntimeException(f"Table {self._table}: {error.message}", hint=error.hint) from error
            except OSError as error:
                raise TableRuntimeException(f"Table {self._table}: the path '{path}' cannot be read: {error}") from error
        if not provider.partition_keys:
            return [_File(path, {}) for _, path in found]
        return self._partitioned(found)

    def _partitioned(self, found: Sequence[tuple[str, Path]]) -> list[_File]:
        """Returns the files with their partition values, without those whose partition a filter excludes."""
        provider = self._provider
        keys = provider.partition_keys
        texts = [partition_values(PurePath(name), keys, provider.partition_default_name) for name, _ in found]
        types = {field.name: field for field in (*provider.produced_type.fields, *provider.physical_type.fields)}
        columns: list[pa.Array] = []
        known: list[RowField] = []
        for index, key in enumerate(keys):
            field = types.get(key)
            if field is None:  # neither wanted nor filtered by
                continue
            array, failure = parse_column(pa.array([values[index] for values in texts], type=pa.string()), field.type)
            if failure is not None:
                position, text, reason = failure
                raise TableRuntimeException(
                    f"Table {self._table}: the partition {key}={text} of '{found[position][1]}' cannot be read as {field.type.summary()}: {reason}."
                )
            columns.append(array)
            known.append(field)
        kept = self._pruned(known, columns, len(found))
        files = []
        for position, (_, path) in enumerate(found):
            if kept[position]:
                values = {field.name: column[position] for field, column in zip(known, columns, strict=True)}
                files.append(_File(path, {field.name: values[field.name] for field in self._keys}))
        return files

    def _pruned(self, fields: Sequence[RowField], columns: Sequence[pa.Array], count: int) -> list[bool]:
        positions = {field.name: index for index, field in enumerate(fields)}
        usable = [
            at_positions(condition, positions) for condition in self._provider.filters if referenced_names(condition) <= set(positions)
        ]
        if not usable or not count:
            return [True] * count
        batch = pa.RecordBatch.from_arrays(list(columns), names=[field.name for field in fields])
        mask: list[bool] = Evaluator(usable, EvaluationContext()).evaluate_filter(batch).to_pylist()
        return mask


class _File:
    """A file and the values that its folders give to the partition columns."""

    __slots__ = ("partition", "path")

    def __init__(self, path: Path, partition: dict[str, pa.Scalar]) -> None:
        self.path = path
        self.partition = partition
