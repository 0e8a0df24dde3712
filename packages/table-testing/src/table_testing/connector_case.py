"""The declaration of a connector under test, and helpers with which the suites create, read and write its tables without an engine."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from table_common.arrow import ROW_KIND_COLUMN, from_python_rows, import_batches, split_row_kinds, to_python_rows
from table_common.catalog import CatalogTable, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema, Schema, UniqueConstraint
from table_common.configuration import ReadableConfig
from table_common.connector import (
    ArrowScanProvider,
    ArrowSinkProvider,
    CommitMessage,
    DynamicTableSink,
    DynamicTableSource,
    Offset,
    RowKind,
    ScanTableSource,
    SourceProvider,
    SourceReader,
    SupportsArrowArray,
    WriterContext,
    message_from_json,
    message_to_json,
)
from table_common.connector.source import DynamicFilteringData
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory
from table_common.secrets import is_secret_key
from table_common.types import RowType, parse_logical_type

Row = tuple[Any, ...]
SECRET = "never-to-be-shown"
"""The prefix of the values of secret options that the suites set."""
_T = TypeVar("_T")


class ConnectorCase:
    """One connector under test; subclass it through the suites, and say:

    - ``factory``: the factory's class;
    - ``schema``: columns as in CREATE TABLE, of types that the connector takes; at least a whole number or text as the first;
    - ``partition_keys``: the columns that the table is PARTITIONED BY, if the connector has partitions;
    - ``rows``: some rows, as tuples of Python values, which differ in the first column (the key of lookups and upserts);
    - ``create_table``: makes a table in the external system with these rows, and returns the options that lead to it;
    - ``stored_rows`` for sinks: reads what the external system holds;
    - ``traces`` for sinks that stage rows elsewhere than in files of ``folder``: names what is staged.

    Example:
        >>> class Pages(ConnectorCase):
        ...     schema = "id BIGINT NOT NULL, name STRING"
        ...     rows = ((1, "one"), (2, None))
        >>> Pages().row_type.field_names
        ('id', 'name')
    """

    factory: ClassVar[type[DynamicTableFactory]]
    schema: ClassVar[str] = "id BIGINT NOT NULL, name STRING, amount DOUBLE"
    primary_key: ClassVar[tuple[str, ...]] = ()
    partition_keys: ClassVar[tuple[str, ...]] = ()
    rows: ClassVar[Sequence[Row]] = ((1, "one", 1.5), (2, None, 2.5), (3, "three", None), (4, "vier", -0.5), (7, "seven", 70.0))

    def create_table(self, folder: Path, rows: Sequence[Row]) -> Mapping[str, str]:
        """Makes a table that holds the rows and returns its options without ``connector``; ``folder`` is empty and the test's own.

        Raises:
            NotImplementedError: the suite does not define the method.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no create_table")

    def stored_rows(self, options: Mapping[str, str]) -> list[Row]:
        """Returns the rows in the external system, in any order, read without the connector.

        Raises:
            NotImplementedError: the suite does not define the method; tests of sinks are then skipped.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no stored_rows")

    def traces(self, folder: Path, options: Mapping[str, str]) -> set[str]:
        """Returns names of all that the external system holds of the table, also of what is staged: by default the files in the folder."""
        return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}

    # --- what the suites use ------------------------------------------------------------------------------------------------------

    @property
    def row_type(self) -> RowType:
        """The row of the table."""
        parsed = parse_logical_type(f"ROW<{self.schema}> NOT NULL")
        assert isinstance(parsed, RowType)
        return parsed

    def secret_options(self) -> dict[str, str]:
        """Returns a value for each secret option of the connector, by which the suites know it again wherever it is shown."""
        factory = self.factory()
        options = [*factory.required_options, *factory.optional_options]
        return {option.key: f"{SECRET}-{option.key}" for option in options if is_secret_key(option.key) and option.type_name == "text"}

    def context(self, options: Mapping[str, str]) -> DynamicTableFactory.Context:
        """Returns the factory context of a table with the options."""
        physical = ResolvedSchema.physical([(field.name, field.type) for field in self.row_type.fields])
        key = UniqueConstraint("PK", self.primary_key) if self.primary_key else None
        resolved = ResolvedSchema(physical.columns, (), key)
        told = {"connector": self.factory().factory_identifier, **options}
        table = CatalogTable(Schema.new_builder().build(), partition_keys=self.partition_keys, options=told)
        return DynamicTableFactory.Context(
            ObjectIdentifier("compliance", "suite", "tested"), ResolvedCatalogTable(table, resolved), ReadableConfig({})
        )

    def source(self, options: Mapping[str, str]) -> DynamicTableSource:
        """Returns the connector's source of a table."""
        factory = self.factory()
        assert isinstance(factory, DynamicTableSourceFactory), f"{self.factory.__name__} makes no sources"
        return factory.create_dynamic_table_source(self.context(options))

    def sink(self, options: Mapping[str, str]) -> DynamicTableSink:
        """Returns the connector's sink of a table."""
        factory = self.factory()
        assert isinstance(factory, DynamicTableSinkFactory), f"{self.factory.__name__} makes no sinks"
        return factory.create_dynamic_table_sink(self.context(options))


def read_rows(source: DynamicTableSource, row_type: RowType, filters: Sequence[DynamicFilteringData] = ()) -> list[Row]:
    """Returns the rows of a scan, read through a pickled copy of its provider, as the tasks of an engine do.

    With ``filters``, only the remaining splits are read.

    Raises:
        AssertionError: the provider is neither an ``ArrowScanProvider`` nor a ``SourceProvider``, so only engines can read it.

    Example:
        >>> import pyarrow
        >>> from table_common.arrow import in_memory_table
        >>> table = in_memory_table(pyarrow.table({"id": [1, 2]}))
        >>> read_rows(table, table.row_type)
        [(1,), (2,)]
    """
    assert isinstance(source, ScanTableSource)
    provider = source.get_scan_runtime_provider(ScanTableSource.ScanContext())
    if isinstance(provider, SourceProvider):
        start = provider.initial_offset()
        return read_range(provider, start, provider.latest_offset(start), row_type)
    assert isinstance(provider, ArrowScanProvider)
    assert provider.is_bounded
    splits = list(provider.filtered_splits(filters) if filters else provider.splits())
    assert splits or filters, "a provider gives at least one split, also for no rows"
    rows: list[Row] = []
    for split in splits:
        rows += _rows_of(repickled(provider).read(repickled(split)), row_type, f"{type(provider).__name__}.read")
    return rows


def read_range(provider: SourceProvider, start: Offset, end: Offset, row_type: RowType, reader: SourceReader | None = None) -> list[Row]:
    """Returns the rows between two offsets, read from pickled splits by one reader; without one, by that of a pickled copy of the provider.

    Raises:
        AssertionError: splits have equal ids, or batches other columns.
    """
    splits = sorted(provider.plan(start, end), key=lambda split: split.split_id)
    ids = [split.split_id for split in splits]
    assert len(set(ids)) == len(ids), f"the ids of splits repeat: {ids}"
    used = repickled(provider).create_reader() if reader is None else reader
    try:
        return [row for split in splits for row in _rows_of(used.read(repickled(split)), row_type, f"{type(used).__name__}.read")]
    finally:
        if reader is None:
            used.close()


def _rows_of(read: Iterator[SupportsArrowArray], row_type: RowType, where: str) -> list[Row]:
    batches = list(import_batches(read, where))
    width = len(row_type.fields)
    if any(batch.num_columns == width + 1 and batch.schema.names[-1] == ROW_KIND_COLUMN for batch in batches):
        batches = [_additions(batch, width, where) for batch in batches]  # a source of changes
    widths = {batch.num_columns for batch in batches} - {width}
    assert not widths, f"{where} gave batches of {widths} columns instead of {width}"
    return list(to_python_rows(batches, row_type))


def _additions(batch: Any, width: int, where: str) -> Any:
    """Returns the rows of changes without their kinds; the suites store no row that was deleted."""
    rows, kinds = split_row_kinds(batch, width)
    other = set(kinds or ()) - {RowKind.INSERT.value, RowKind.UPDATE_AFTER.value}
    assert not other, f"{where} gave rows of the kinds {sorted(other)}, but no row was deleted"
    return rows


def write_rows(
    provider: ArrowSinkProvider, row_type: RowType, tasks: Sequence[Iterable[Row]], job_id: str = "job", epoch: int = 0, attempt: int = 0
) -> list[CommitMessage]:
    """Returns the messages of writers, as a checkpoint stores them, one for each task, which wrote rows but are not committed.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> class Pages(ArrowSinkProvider):
        ...     def create_writer(self, context):
        ...         return PagesWriter(context)
        ...     def create_committer(self, context):
        ...         return PagesCommitter(context)
        >>> write_rows(Pages(), parse_logical_type("ROW<id BIGINT> NOT NULL"), tasks=[])  # without tasks there is no message
        []
    """
    messages = []
    for number, rows in enumerate(tasks):
        writer = repickled(provider).create_writer(WriterContext(job_id, epoch, number, attempt))
        for row in rows:
            writer.write(from_python_rows([row], row_type))
        messages.append(stored_message(provider, writer.prepare_commit()))
    return messages


def stored_message(provider: ArrowSinkProvider, message: CommitMessage) -> CommitMessage:
    """Returns a message as the committer gets it: pickled by a task, and then written into a checkpoint and read.

    Raises:
        TableException: it has no written form.
    """
    return message_from_json(repickled(provider), json.loads(json.dumps(message_to_json(provider, repickled(message)))))


def repickled(value: _T) -> _T:
    """Returns the value as another process receives it.

    Raises:
        AssertionError: the value cannot be pickled.
    """
    try:
        restored: _T = pickle.loads(pickle.dumps(value))
    except Exception as error:
        raise AssertionError(f"{type(value).__name__} cannot be pickled, but runs in other processes: {error}") from error
    return restored


def refused(call: Any, *arguments: Any) -> ValidationException:
    """Returns the ``ValidationException`` that a call raises; anything else fails the test.

    Raises:
        AssertionError: the call raises no ``ValidationException``.
    """
    try:
        call(*arguments)
    except ValidationException as error:
        return error
    raise AssertionError("nothing was refused")


def new_folder(parent: Path, name: str) -> Path:
    """Returns a new empty folder: tables of one test do not share theirs."""
    count = sum(1 for _ in parent.iterdir())
    folder = parent / f"{name}-{count}"
    folder.mkdir()
    return folder


def same_rows(found: Iterable[Row], expected: Iterable[Row]) -> bool:
    """Returns whether both hold the same rows, in any order."""
    return sorted(map(repr, found)) == sorted(map(repr, expected))
