"""A small connector that does all it can itself, correctly unless an error is planted: rows are tuples in a dict of this process."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import pyarrow as pa
from planted import Row, fulfills, has

from table_common import arrow
from table_common.catalog import Column
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.connector import (
    ArrowScanProvider,
    ArrowSinkProvider,
    ChangelogMode,
    CommitContext,
    DynamicTableSink,
    LookupFunction,
    LookupFunctionProvider,
    LookupTableSource,
    RowKind,
    ScanTableSource,
    SinkCommitter,
    SinkWriter,
    WriterContext,
)
from table_common.connector.sink.abilities import SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate, SupportsTruncate
from table_common.connector.source.abilities import (
    RowLevelModificationScanContext,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsProjectionPushDown,
)
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory, validate_options
from table_common.functions import FunctionContext
from table_common.types import RowType

TABLES: dict[str, list[Row]] = {}
COMMITTED: set[tuple[str, Any]] = set()
STAGED: set[tuple[str, Any]] = set()
LAST: dict[str, int] = {}
"""By table: the epoch of the last commit."""
PREPARED: dict[str, dict[Any, list[Row]]] = {}
"""By table and task: the rows that were prepared last."""


# --- source ---------------------------------------------------------------------------------------------------------------------------


@dataclass
class LedgerSource(ScanTableSource, LookupTableSource, SupportsFilterPushDown, SupportsProjectionPushDown, SupportsLimitPushDown):
    name: str
    password: str | None
    row_type: RowType
    filters: list[ResolvedExpression]
    positions: tuple[int, ...] | None = None
    limit: int | None = None

    def copy(self) -> Self:
        if has("a copy forgets its filters"):
            return replace(self, filters=[])
        return replace(self, filters=self.filters if has("copies share filters") else list(self.filters))

    def as_summary_string(self) -> str:
        return f"ledger({self.name}{f', {self.password}' if has('the source shows a secret') else ''})"

    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        taken = [f for f in filters if not (has("a filter is lost") and "LIKE" in str(f))]
        kept = [f for f in taken if not (has("a filter is accepted only") and "IS NULL" in str(f))]
        self.filters += kept[-1:] if has("the last filter wins") else kept
        return SupportsFilterPushDown.Result(tuple(taken), ())

    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.positions = tuple(path[0] for path in projected_fields)
        if has("a projection keeps the table's order"):
            self.positions = tuple(sorted(self.positions))

    def apply_limit(self, limit: int) -> None:
        self.limit = limit - 1 if has("a limit is too small") else limit

    def selected(self, rows: Sequence[Row]) -> list[Row]:
        if has("a limit counts before filters"):
            rows = rows[: self.limit]
        if has("filters see the projected row") and self.positions is not None:
            kept = [row for row in self.projected(rows) if len(row) > 1 or fulfills((*row, *row, *row, *row), self.filters)]
        else:
            kept = self.projected([row for row in rows if fulfills(row, self.filters)])
        return kept[: self.limit]

    def projected(self, rows: Sequence[Row]) -> list[Row]:
        return [row if self.positions is None else tuple(row[position] for position in self.positions) for row in rows]

    @property
    def produced(self) -> RowType:
        fields = self.row_type.fields
        return self.row_type if self.positions is None else RowType(tuple(fields[p] for p in self.positions), nullable=False)

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ArrowScanProvider:
        return LedgerScan(self, threading.Lock() if has("the provider cannot be pickled") else None)

    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupFunctionProvider:
        source = replace(self, filters=[]) if has("a lookup ignores filters") else self
        return LookupFunctionProvider(LedgerLookup(source, tuple(context.key_positions)))


@dataclass(frozen=True)
class LedgerScan(ArrowScanProvider):
    source: LedgerSource
    lock: Any

    def splits(self) -> Sequence[int]:
        if has("an empty table has no split") and not TABLES[self.source.name]:
            return []
        return [0, 1]

    def read(self, split: Any) -> Iterator[pa.RecordBatch]:
        rows = TABLES[self.source.name]
        part = rows[:2] if split == 0 and self.source.limit is None else rows[2:] if split else rows
        if self.source.limit is not None and split:
            part = []
        batch = arrow.from_python_rows(self.source.selected(part), self.source.produced)
        if has("a batch is returned instead of batches"):
            return batch  # type: ignore[return-value]
        if has("rows can be read once"):
            TABLES[self.source.name] = rows[:2] if split == 0 and rows[2:] else []
        return iter([batch])


class LedgerLookup(LookupFunction):
    connections: ClassVar[list[bool]] = []

    def __init__(self, source: LedgerSource, positions: tuple[int, ...]) -> None:
        self.source = source
        self.positions = positions[:1] if has("a lookup compares the first key alone") else positions
        self.is_open = False

    def open(self, context: FunctionContext) -> None:
        self.is_open = True
        self.connections.append(True)

    def close(self) -> None:
        self.is_open = False
        self.connections.clear()

    def lookup_batch(self, keys: Any) -> pa.RecordBatch:
        assert self.connections if has("lookup functions share a connection") else self.is_open
        chosen = self.source.projected([row for row in TABLES[self.source.name] if fulfills(row, self.source.filters)])
        places = self.positions
        found = []
        for number, key in enumerate(zip(*(column.to_pylist() for column in arrow.import_batch(keys).columns), strict=True)):
            matches = [row for row in chosen if all(row[place] == value for place, value in zip(places, key, strict=False))]
            if has("a lookup finds one row of a key"):
                matches = matches[:1]
            if has("a lookup takes NULL for an unknown key") and not matches:
                matches = [row for row in chosen if all(row[place] is None for place in places)]
            if has("a lookup gives the nearest row") and not matches:
                matches = chosen[:1]
            found += [(0 if has("a lookup forgets which key it was") else number, *row) for row in matches]
        rows = arrow.from_python_rows([row[1:] for row in found], self.source.produced)
        numbers = pa.array([row[0] for row in found], pa.int64())
        return pa.RecordBatch.from_arrays([numbers, *rows.columns], names=["key", *rows.schema.names])


# --- sink -----------------------------------------------------------------------------------------------------------------------------


@dataclass
class LedgerSink(DynamicTableSink, SupportsTruncate, SupportsDeletePushDown, SupportsRowLevelDelete, SupportsRowLevelUpdate):
    """Rows are deleted and changed by their first column."""

    name: str
    password: str | None
    row_type: RowType
    filters: list[ResolvedExpression] = field(default_factory=list)
    mode: str = "insert"

    def copy(self) -> Self:
        return replace(self, filters=self.filters if has("copies of the sink share filters") else list(self.filters))

    def as_summary_string(self) -> str:
        return f"ledger({self.name}{f', {self.password}' if has('the sink shows a secret') else ''})"

    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.all()

    def execute_truncation(self) -> None:
        TABLES[self.name] = TABLES[self.name][:1] if has("truncation leaves a row") else []

    def apply_delete_filters(self, filters: Sequence[ResolvedExpression]) -> bool:
        kept = filters[:1] if has("a deletion looks at the first condition") else [] if has("a deletion ignores conditions") else filters
        self.filters[:] = kept
        return True

    def execute_deletion(self) -> int | None:
        rows = TABLES[self.name]
        left = [row for row in rows if not fulfills(row, self.filters)]
        if has("a deletion without conditions does nothing") and not self.filters:
            left = rows
        TABLES[self.name] = left
        return len(rows) if has("a deletion counts all rows") else len(rows) - len(left)

    def apply_row_level_delete(self, context: RowLevelModificationScanContext | None) -> SupportsRowLevelDelete.RowLevelDeleteInfo:
        self.mode = "delete"
        return self.RowLevelDeleteInfo(self.row_type.field_names[:1])

    def apply_row_level_update(
        self, updated_columns: Sequence[Column], context: RowLevelModificationScanContext | None
    ) -> SupportsRowLevelUpdate.RowLevelUpdateInfo:
        self.mode = "update"
        return self.RowLevelUpdateInfo()

    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> ArrowSinkProvider:
        return LedgerWriting(self.name, self.row_type, self.mode)


@dataclass(frozen=True)
class LedgerWriting(ArrowSinkProvider):
    name: str
    row_type: RowType
    mode: str

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return LedgerWriter(self, context)

    def create_committer(self, context: CommitContext) -> SinkCommitter:
        return LedgerCommitter(self)


class LedgerWriter(SinkWriter):
    def __init__(self, provider: LedgerWriting, context: WriterContext) -> None:
        self.provider = provider
        self.context = context
        self.rows: list[Row] = []

    def write(self, batch: Any) -> None:
        rows = arrow.import_batch(batch)
        added = list(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        self.rows += added
        if has("a task keeps its first rows"):
            del self.rows[100:]
        if has("rows are visible before the commit"):
            TABLES[self.provider.name] += added

    def prepare_commit(self) -> Any:
        identity = (self.context.job_id, self.context.epoch, self.context.task)
        STAGED.add((self.provider.name, identity))
        PREPARED.setdefault(self.provider.name, {})[identity] = self.rows
        return identity, self.rows

    def abort(self) -> None:
        if has("an abort commits"):
            TABLES[self.provider.name] += self.rows


@dataclass(frozen=True)
class LedgerCommitter(SinkCommitter):
    provider: LedgerWriting

    def commit(self, messages: Sequence[Any]) -> None:
        name = self.provider.name
        messages = [(tuple(identity), [tuple(row) for row in rows]) for identity, rows in messages]
        if has("a later attempt replaces what was reported"):
            messages = [(identity, PREPARED[name][identity]) for identity, _ in messages]
        if has("a commit takes all that is prepared"):
            messages = list(PREPARED.get(name, {}).items())
        if has("what another run staged is committed"):
            messages = [(key, rows) for key, rows in PREPARED.get(name, {}).items() if key[:2] == messages[0][0][:2]]
        if has("the commit of an earlier epoch is repeated") and messages:
            latest = LAST.get(name)
            LAST[name] = messages[0][0][1]
            if latest is not None and messages[0][0][1] < latest:
                COMMITTED.difference_update((name, identity) for identity, _ in messages)
        for identity, rows in messages:
            STAGED.discard((name, identity))
            done = (name, identity[0] if has("a later epoch is taken for a repetition") else identity)
            if has("a later job is taken for a repetition"):
                done = (name, identity[1:])
            if done in COMMITTED and not has("a repeated commit adds rows again"):
                continue
            COMMITTED.add(done)
            TABLES[name] = self.applied(TABLES[name], rows)

    def applied(self, old: list[Row], rows: Sequence[Row]) -> list[Row]:
        if self.provider.mode == "insert":
            return [*old, *rows]
        if not rows and has(f"a{'n update' if self.provider.mode == 'update' else ' deletion'} of no rows empties the table"):
            return []
        assert all(row[-1] in (RowKind.DELETE.value, RowKind.UPDATE_AFTER.value) for row in rows)
        if self.provider.mode == "delete":
            gone = {row[0] for row in (rows[:1] if has("one row of a deletion is deleted") else rows)}
            return [row for row in old if row[0] not in gone]
        new = {row[0]: row[:-1] for row in (rows[1:] if has("an update forgets its first row") else rows)}
        if has("an update leaves out the other rows"):
            return list(new.values())
        return [new.get(row[0], row) for row in old]

    def abort(self, messages: Sequence[Any]) -> None:
        if has("an aborted job is committed"):
            self.commit(messages)
        if has("an aborted job stays staged"):
            return
        for identity in (tuple(each) for each, _ in messages):
            if has("an abort may be told once"):
                STAGED.remove((self.provider.name, identity))
            STAGED.discard((self.provider.name, identity))


# --- factory --------------------------------------------------------------------------------------------------------------------------

NAME = ConfigOptions.key("name").string_type().no_default_value()
PASSWORD = ConfigOptions.key("password").string_type().no_default_value()
PAGE = ConfigOptions.key("page").int_type().default_value(10)


class LedgerFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    @property
    def factory_identifier(self) -> str:
        return "ledger"

    @property
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (NAME,)

    @property
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (PASSWORD, PAGE)

    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> LedgerSource:
        return LedgerSource(*self._table(context), [])

    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> LedgerSink:
        return LedgerSink(*self._table(context))

    def _table(self, context: DynamicTableFactory.Context) -> tuple[str, str | None, RowType]:
        options = dict(context.catalog_table.options)
        if has("misspelt options are taken"):
            options = {key: value for key, value in options.items() if not key.endswith("x")}
        if has("a missing option is a KeyError"):
            options["name"]
        if has("values of options are not read"):
            options.pop("page", None)
        try:
            validate_options(
                options,
                self.required_options,
                (*self.optional_options, ConfigOptions.key("connector").string_type().no_default_value()),
                "a ledger",
            )
        except ValidationException as error:
            if has("an error shows a secret"):
                raise ValidationException(f"{error}: {options}") from error
            raise
        return options["name"], options.get("password"), context.catalog_table.resolved_schema.to_physical_row_type()
