"""What a node says of its state, as text: all of its fields, but for those that ``EXCEPTIONS`` names with the reason.

A field is not listed to be part of it. So a new field of a node, or a new node, is part of signatures without a change here: a change of it is refused, until
an exception says why it needs not be.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    DistinctQueryOperation,
    JoinQueryOperation,
    LookupJoinQueryOperation,
    LookupSide,
    MatchRecognizeQueryOperation,
    QueryOperation,
    SetQueryOperation,
    SinkModifyOperation,
    SourceQueryOperation,
    TemporalJoinQueryOperation,
    ToChangelogQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
    WatermarkQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import RankQueryOperation, WindowAggregateQueryOperation
from table_common.configuration import ExecutionConfigOptions, PythonOptions, TableConfigOptions
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    PatternExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import BUILT_INS_BY_NAME, temporal
from table_common.tree import fold
from table_common.types import CharacterType, LocalZonedTimestampType, LogicalType, VarCharType, types_in

References = Callable[[FieldReferenceExpression], str]
"""Returns the origin of a column."""


@dataclass(frozen=True, slots=True)
class FieldException:
    """Why a field of a node is not part of its signature, or is read in another way than as its value."""

    reason: str
    reads: Callable[[Any], object] | None = None
    """Returns what is part of the signature, given the node; None: nothing is."""


_ALIASES = FieldException("names of columns are aliases: columns are known by their origins and positions")
_TTL = FieldException("how long rows are kept from now on, not what they are")
_TIMES = FieldException("whether columns of the result are time attributes, not what is kept")
_LOOKUP = FieldException("how rows are looked up, not which")
_READING = FieldException("how and where a table is read: its columns are known by its name")
_SINK = FieldException("how rows are written after the state")

EXCEPTIONS: Mapping[tuple[type, str], FieldException] = {
    (AggregateCall, "output_type"): FieldException("signatures have it beside the call, since it may be wider"),
    (AggregateQueryOperation, "names"): _ALIASES,
    (AggregateQueryOperation, "state_ttl"): _TTL,
    (DistinctQueryOperation, "state_ttl"): _TTL,
    (DistinctQueryOperation, "keeps_times"): _TIMES,
    (JoinQueryOperation, "state_ttl"): _TTL,
    (JoinQueryOperation, "strategies"): FieldException("how batches are joined, not which rows"),
    (JoinQueryOperation, "kept_times"): _TIMES,
    (LookupJoinQueryOperation, "hint"): _LOOKUP,
    (LookupSide, "names"): _ALIASES,
    (LookupSide, "source"): _LOOKUP,
    (LookupSide, "source_schema"): FieldException("the projection has the columns that are taken"),
    (MatchRecognizeQueryOperation, "names"): _ALIASES,
    (RankQueryOperation, "rank_name"): FieldException(
        "the name is an alias, but a rank in the result is a column", lambda node: node.rank_name is not None
    ),
    (SetQueryOperation, "types"): FieldException("they follow from the columns of the inputs, which signatures have, and may be wider"),
    (SinkModifyOperation, "consumed"): _ALIASES,
    (SinkModifyOperation, "has_row_kinds"): _SINK,
    (SinkModifyOperation, "options"): _SINK,
    (SinkModifyOperation, "overwrite"): _SINK,
    (SinkModifyOperation, "sink"): _SINK,
    (SinkModifyOperation, "static_partition"): _SINK,
    (SinkModifyOperation, "target_columns"): _SINK,
    (SinkModifyOperation, "table"): FieldException(
        "the table is known by its name, and the rows of a key by the key", lambda node: _keyed_table(node)
    ),
    (SourceQueryOperation, "change_column"): FieldException("changes of an edge say whether rows have kinds"),
    (SourceQueryOperation, "dynamic_filters"): FieldException("they leave out rows that a join above leaves out too"),
    (SourceQueryOperation, "options"): _READING,
    (SourceQueryOperation, "produced"): _READING,
    (SourceQueryOperation, "pushed"): FieldException("signatures treat its conditions like those of filters, and have its other parts"),
    (SourceQueryOperation, "source"): _READING,
    (SourceQueryOperation, "table"): FieldException(_READING.reason, lambda node: node.table.identifier.as_summary_string()),
    (TemporalJoinQueryOperation, "hint"): _LOOKUP,
    (ToChangelogQueryOperation, "op_name"): _ALIASES,
    (UnnestQueryOperation, "names"): _ALIASES,
    (ValuesQueryOperation, "is_of_program"): FieldException("where the rows were written"),
    (VersionedJoinQueryOperation, "keeps_right_times"): _TIMES,
    (WatermarkQueryOperation, "expression"): FieldException("event time continues from where it was, also with another delay"),
    (WindowAggregateQueryOperation, "end"): FieldException(
        "the key at the position, since keys may have another order", lambda node: node.grouping[node.end]
    ),
    (WindowQueryOperation, "names"): _ALIASES,
    (WindowTableFunctionQueryOperation, "names"): _ALIASES,
}
"""The fields that are no part of signatures as they are, by the class that declares them."""


def _keyed_table(node: SinkModifyOperation) -> object:
    key = node.table.table.resolved_schema.primary_key
    names = [column.name for column in node.consumed_columns]
    return node.table.identifier.as_summary_string(), tuple(names.index(name) for name in key.columns) if key is not None else None


@dataclass(frozen=True, slots=True)
class Facts:
    """Writes the fields of nodes and parts as text; ``references`` names columns, ``settings`` are those that expressions depend on."""

    references: References
    settings: Mapping[str, str]

    def of_fields(self, node: Any, *leaves_out: str) -> dict[str, str]:
        """Returns the facts of a node by field, without its inputs and without fields that have their default value."""
        result = {}
        for field in dataclasses.fields(node):
            exception = _exception(type(node), field.name)
            if not field.init or field.name in leaves_out or (exception is not None and exception.reads is None):
                continue
            value = getattr(node, field.name) if exception is None or exception.reads is None else exception.reads(node)
            default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
            if not isinstance(value, QueryOperation) and (type(value) is not type(default) or value != default):
                result[field.name] = shortened(self.text(value))
        return result

    def text(self, value: Any) -> str:
        """Returns the text of a value; values that mean different things have different texts."""
        match value:
            case Enum():
                return value.name
            case QueryOperation():
                return "query"
            case ResolvedExpression():
                return self._expression(value)
            case LogicalType():
                return str(value)
            case FunctionDefinition():
                return value.name
            case PatternExpression():
                return self._over_pattern(value)
            case tuple() | list():
                return f"[{', '.join(map(self.text, value))}]"
            case set() | frozenset():
                return f"{{{', '.join(sorted(map(self.text, value)))}}}"
            case Mapping():
                return f"{{{', '.join(sorted(f'{self.text(key)}: {self.text(item)}' for key, item in value.items()))}}}"
            case _ if dataclasses.is_dataclass(value):
                return self._part(value)
        return repr(value)  # of an object without a lasting text it is never the same, so that its state is not used

    def _part(self, part: Any) -> str:
        """Returns a call as ``NAME(arguments)``, any other part with the name of its class, and after it the fields that differ from their defaults."""
        function, args = getattr(part, "function", None), getattr(part, "args", None)
        is_call = isinstance(function, FunctionDefinition) and isinstance(args, tuple)
        facts = self.of_fields(part, *(("function", "args") if is_call else ()))
        if not is_call:
            return f"{type(part).__name__}({', '.join(f'{name}={text}' for name, text in facts.items())})"
        assert isinstance(function, FunctionDefinition)
        settings = self._settings_of(function, None, [argument.output_type for argument in args or ()], leaves_out=_TIME_ZONE)
        call = f"{function.name}({', '.join(map(self.text, args or ()))}){settings}"
        return " ".join([call, *(f"{name}={text}" for name, text in facts.items())])

    def _over_pattern(self, value: PatternExpression) -> str:
        """Returns an expression over the rows of a match, whose columns are the values beside it."""
        values = [self.text(one) for one in value.values]
        return Facts(lambda reference: values[reference.field_index], self.settings)._expression(value.expression)

    def _expression(self, root: ResolvedExpression) -> str:
        """Returns an expression with the types of what is in it; that of the whole is compared where it is used."""

        def combine(node: ResolvedExpression, parts: Sequence[tuple[str, str]]) -> tuple[str, str]:
            text = shortened(self._written(node, [typed for _, typed in parts]))
            return text, f"{text}: {_plain(node.output_type, is_column=isinstance(node, FieldReferenceExpression))}"

        return fold(root, ResolvedExpression, combine)[0]

    def _written(self, node: ResolvedExpression, parts: Sequence[str]) -> str:
        match node:
            case FieldReferenceExpression():
                return self.references(node)
            case ValueLiteralExpression():
                return self.text(node.value)
            case TypeLiteralExpression():
                return str(node.output_type)  # the length of a VARCHAR that is cast to matters
            case CallExpression():
                types = [argument.output_type for argument in node.args]
                return f"{node.function.name}({', '.join(parts)}){self._settings_of(node.function, node.output_type, types)}"
        return f"{type(node).__name__}({', '.join([*parts, *self._others(node)])})"

    def _settings_of(
        self, function: FunctionDefinition, result: LogicalType | None, arguments: Sequence[LogicalType], leaves_out: str | None = None
    ) -> str:
        """Returns the settings that the values of a call depend on, as text after the call; aggregates of points in time do not read the time zone."""
        found = ""
        for key, value in self.settings.items():
            depends = _DEPENDS.get(key)
            if key != leaves_out and (depends is None or depends(function, result, arguments)):
                found += f" in {value}" if key == _TIME_ZONE else f" with {key}={value}"
        return found

    def _others(self, node: ResolvedExpression) -> Iterator[str]:
        for field in dataclasses.fields(node):  # type: ignore[arg-type]  # every node is a dataclass
            value = getattr(node, field.name)
            if field.name != "output_type" and not isinstance(value, (ResolvedExpression, tuple)):
                yield f"{field.name}={self.text(value)}"


def _exception(cls: type, name: str) -> FieldException | None:
    return next((EXCEPTIONS[base, name] for base in cls.__mro__ if (base, name) in EXCEPTIONS), None)


_TIME_ZONE = TableConfigOptions.LOCAL_TIME_ZONE.key
_CASTS = frozenset(BUILT_INS_BY_NAME[name] for name in ("CAST", "TRY_CAST"))


def _reads_time_zone(function: FunctionDefinition, result: LogicalType | None, arguments: Sequence[LogicalType]) -> bool:
    return function in temporal.IN_SESSION_TIME_ZONE or any(
        isinstance(part, LocalZonedTimestampType) for type_ in (result, *arguments) if type_ is not None for part in types_in(type_)
    )


def _casts(function: FunctionDefinition, result: LogicalType | None, arguments: Sequence[LogicalType]) -> bool:
    """Whether a call casts, also where a function of text has other arguments, such as a branch of CASE that is CHAR."""
    return function in _CASTS or (
        isinstance(result, CharacterType) and not all(isinstance(argument, VarCharType) for argument in arguments)
    )


_DEPENDS: Mapping[str, Callable[[FunctionDefinition, LogicalType | None, Sequence[LogicalType]], bool]] = {
    _TIME_ZONE: _reads_time_zone,
    ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR.key: _casts,
    PythonOptions.PYTHON_TRUNCATE_FRACTIONS.key: lambda function, *_: function.is_user_defined,
}
"""Which calls depend on an option with an effect on expressions; on one that is not here all do."""

_LENGTH = re.compile(r"\b(VARCHAR|VARBINARY)\(\d+\)")
_PRECISION = re.compile(r"\bDECIMAL\(\d+, (\d+)\)")


def _plain(type_: LogicalType, *, is_column: bool) -> str:
    """Returns the type of a part of an expression, without what does not change values: nullability and the greatest length; of a column also the digits
    before the point, which the types of calls depend on, not values.
    """
    text = str(type_.with_nullability(True)).replace("STRING", "VARCHAR").replace("BYTES", "VARBINARY")
    text = _LENGTH.sub(r"\1", text)
    return _PRECISION.sub(r"DECIMAL(*, \1)", text) if is_column else text


_LONGEST = 300


def shortened(text: str) -> str:
    """Returns a text whose end is replaced by a digest if it is long: columns that are computed from each other would double it at each step."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 100]}… {hashlib.sha256(text.encode()).hexdigest()[:32]}"
