"""The connector ``job-state``: the state in a checkpoint or savepoint of a job as a table, for looking only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import from_arrow_schema, to_arrow_schema
from table_common.configuration import ConfigOption, ConfigOptions
from table_common.connector import ArrowScanProvider, DynamicTableSource, InputSplit, ScanTableSource
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSourceFactory
from table_common.frozen_dataclass import dataclass
from table_common.gate import AllowedPath, AllowedUrl
from table_common.types import RowType
from table_runtime.columns.batches import make_batch

if TYPE_CHECKING:
    from table_runtime.streaming.checkpoints.stored_state import StoredState

PATH = (
    ConfigOptions.key("path")
    .string_type()
    .no_default_value()
    .with_description(
        "The folder of a savepoint, or that of a job, `<execution.checkpointing.dir>/<pipeline.name>`: its last checkpoint is read."
    )
)
OPERATOR = (
    ConfigOptions.key("operator")
    .string_type()
    .no_default_value()
    .with_description("The operator, such as `GroupAggregate#0`. Without it the table lists the operators and their states.")
)
STATE = (
    ConfigOptions.key("state")
    .string_type()
    .default_value("keys")
    .with_description("Which state of the operator; `keys` has the keys alone.")
)
_LISTED = pa.schema([(name, pa.string()) for name in ("operator", "description", "state", "columns")])
_ATTEMPTS = 3
"""A job that runs deletes files of old checkpoints, also while they are read."""


class JobStateTableFactory(DynamicTableSourceFactory):
    """Creates sources that read the state of a job."""

    @property
    @override
    def factory_identifier(self) -> str:
        return "job-state"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return (PATH,)

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return (OPERATOR, STATE)

    @override
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> DynamicTableSource:
        config, where = self.validated_options(context), context.where
        provider = JobStateProvider(
            context.gate.location(config.get(PATH), f"The option 'path' of {where}"),
            config.get_optional(OPERATOR),
            config.get(STATE),
            context.physical_row_type,
        )
        provider.check(where)
        return JobStateTableSource(provider)


@dataclass(frozen=True)
class JobStateTableSource(ScanTableSource):
    """Reads the rows of one state, as they were at the last checkpoint before the query."""

    provider: JobStateProvider

    @override
    def as_summary_string(self) -> str:
        return f"job-state({self.provider.operator or 'operators'})"

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ArrowScanProvider:
        return self.provider

    @override
    def copy(self) -> JobStateTableSource:
        return self


@dataclass(frozen=True)
class JobStateProvider(ArrowScanProvider):
    """One split. Columns of a state go by position: first those of the key, then those of the value as the operator keeps it. Those of the list go by name."""

    path: AllowedPath | AllowedUrl
    operator: str | None
    state: str
    row_type: RowType

    def check(self, where: str) -> None:
        """Compares the columns of the table with those of the state.

        Raises:
            ValidationException: they differ, or there is no such operator or state; the message has those that there are.
        """
        from table_runtime.streaming.checkpoints.stored_state import StoredState

        stored = StoredState.open(self.path)
        declared = to_arrow_schema(self.row_type)
        if self.operator is None:
            if any(field.name not in _LISTED.names or field.type != pa.string() for field in declared):
                raise ValidationException(
                    f"A list of operators has the columns {_columns(_LISTED)}, but {where} has {_columns(declared)}.",
                    hint=f"set the option 'operator' to read the state of one: {', '.join(stored.operators) or 'none keeps any'}",
                )
            return
        states = stored.states(self.operator)
        if not states:
            return
        if self.state not in states:
            raise ValidationException.unknown("State", self.state, tuple(states), where=f"the operator {self.operator}")
        schema = states[self.state]
        if [field.type for field in declared] != [field.type for field in schema]:
            raise ValidationException(
                f"The state '{self.state}' of {self.operator} has the columns {_columns(schema)}, but {where} has {_columns(declared)}.",
                hint=f"columns go by position, and their names are free; all states: {'; '.join(f'{name} ({_columns(each)})' for name, each in states.items())}",
            )

    @override
    def splits(self) -> Sequence[InputSplit]:
        return [0]

    @override
    def read(self, split: InputSplit) -> Iterator[pa.RecordBatch]:
        schema = to_arrow_schema(self.row_type)
        for batch in self._rows():
            for field, column in zip(schema, batch.columns, strict=True):
                if column.null_count and not field.nullable:
                    raise TableRuntimeException(
                        f"The column '{field.name}' is NOT NULL, but the state '{self.state}' of {self.operator} has NULL in it.",
                        hint="declare the column without NOT NULL",
                    )
            yield make_batch(batch.columns, schema, batch.num_rows)

    def _rows(self) -> Sequence[pa.RecordBatch]:
        from table_runtime.streaming.checkpoints.stored_state import StoredState

        for attempt in range(1, _ATTEMPTS + 1):
            try:
                stored = StoredState.open(self.path)
                return [self._listed(stored)] if self.operator is None else stored.rows(self.operator, self.state)
            except TableRuntimeException:
                if attempt == _ATTEMPTS:
                    raise
        return ()

    def _listed(self, stored: StoredState) -> pa.RecordBatch:
        rows = [
            {"operator": name, "description": text, "state": state, "columns": _columns(schema)}
            for name, text in stored.operators.items()
            for state, schema in stored.states(name).items()
        ]
        names = self.row_type.field_names
        columns = [pa.array([row[name] for row in rows], pa.string()) for name in names]
        return make_batch(columns, pa.schema([(name, pa.string()) for name in names]), len(rows))


def _columns(schema: pa.Schema) -> str:
    return ", ".join(str(field) for field in from_arrow_schema(schema).fields)
