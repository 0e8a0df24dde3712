"""Decodes JSON to a plan: creates objects of the listed classes only, and validates each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from table_api.delegation import Session
from table_api.operations import QueryOperation, SinkModifyOperation
from table_api.plan.compiled.classes import CLASSES, ENUMS
from table_api.plan.compiled.consistency import contradiction
from table_api.plan.compiled.field_types import misfits
from table_api.plan.compiled.functions import decode_function
from table_api.plan.compiled.tables import decode_table
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.types import DescriptorType, LogicalType, NullType, SymbolType, TimestampKind, parse_logical_type

_NOT_OF_THE_FORM = (LookupError, TypeError, ValueError, ArithmeticError, AssertionError, AttributeError)
"""The errors that decoding malformed JSON raises."""
_WITHOUT_SQL: dict[str, LogicalType] = {
    type_.with_nullability(nullable).serializable(): type_.with_nullability(nullable)
    for type_ in (SymbolType(), DescriptorType(), NullType())
    for nullable in (True, False)
    if nullable or not isinstance(type_, NullType)
}


class PlanReader:
    """Decodes the nodes of a plan; each node comes after those that it refers to."""

    def __init__(self, session: Session, restore: str) -> None:
        self._session = session
        self._restore = restore
        self._nodes: dict[int, Any] = {}
        self._place = ""

    def read(self, nodes: Sequence[dict[str, Any]]) -> dict[int, Any]:
        """Returns the operations by number.

        Raises:
            ValidationException: the plan is damaged, or it uses a table or function that no longer exists.
        """
        if not isinstance(nodes, list | tuple):
            raise _damaged("its nodes are not a list")
        for node in nodes:
            if not isinstance(node, dict) or not isinstance(node.get("id"), int):
                raise _damaged("a node has no number")
            self._place = f"node {node['id']} ({node.get('type')}): "
            try:
                made = self._object({key: value for key, value in node.items() if key != "id"})
                wrong = contradiction(made) if isinstance(made, (QueryOperation, SinkModifyOperation)) else None
            except ValidationException:  # which is a ValueError
                raise
            except _NOT_OF_THE_FORM as error:
                raise self._damaged("it is malformed") from error
            if wrong is not None:
                raise self._damaged(wrong)
            self._nodes[node["id"]] = made
        return self._nodes

    def value(self, written: Any) -> Any:
        """Returns the value of a field.

        Raises:
            TableException: the plan is damaged.
            ValidationException: it uses a table or function that no longer exists.
        """
        if isinstance(written, list):
            return tuple(self.value(item) for item in written)
        if not isinstance(written, dict):
            return written
        first = next(iter(written), "")
        if not first.startswith("$"):
            return self._object(written)
        try:
            return self._special(first, written)
        except ValidationException:  # which is a ValueError
            raise
        except _NOT_OF_THE_FORM as error:
            raise self._damaged(f"a {first} is malformed") from error

    def _special(self, key: str, written: dict[str, Any]) -> Any:
        """Returns the value that an object with a ``$`` key encodes."""
        match key:
            case "$enum":
                cls, _, name = written["$enum"].partition(".")
                return ENUMS[cls][name]
            case "$float":
                return float(written["$float"])
            case "$decimal":
                return Decimal(written["$decimal"])
            case "$bytes":
                return bytes.fromhex(written["$bytes"])
            case "$date":
                return date.fromisoformat(written["$date"])
            case "$seconds":
                return timedelta(seconds=written["$seconds"])
            case "$map":
                return {self.value(key): self.value(item) for key, item in written["$map"]}
            case "$type":
                return _type(written)
            case "$function" | "$userFunction":
                return decode_function(written, self._session)
            case "$table":
                return decode_table(written["$table"], self._restore, self._session, self.value)
            case "$node":
                if written["$node"] not in self._nodes:
                    raise self._damaged(f"node {written['$node']} is used before it is defined")
                return self._nodes[written["$node"]]
            case _:
                raise self._damaged(f"it has a {key}, which this version does not support")

    def _damaged(self, what: str) -> TableException:
        return _damaged(self._place + what)

    def _object(self, written: dict[str, Any]) -> Any:
        kind = written.get("type", "")
        cls = CLASSES.get(kind) if isinstance(kind, str) else None
        if cls is None:
            raise ValidationException.unknown("Kind of node", str(kind), list(CLASSES), where="the compiled plan")
        fields = {field.name for field in dataclasses.fields(cls) if field.init}
        unknown = sorted(set(written) - fields - {"type"})
        if unknown:
            raise self._damaged(f"{kind} has no {', '.join(unknown)}")
        values = {name: self.value(value) for name, value in written.items() if name != "type"}
        wrong = misfits(cls, values)
        if wrong:
            raise self._damaged(f"the field '{wrong[0]}' of a {kind} has the wrong type")
        missing = [field.name for field in dataclasses.fields(cls) if _is_required(field) and field.name not in values]
        if missing:
            raise self._damaged(f"a {kind} has no {missing[0]}")
        return cls(**values)


def _type(written: dict[str, Any]) -> LogicalType:
    text = written["$type"]
    if text in _WITHOUT_SQL:
        return _WITHOUT_SQL[text]
    type_ = parse_logical_type(text, allow_zero_length=True)
    return replace(type_, kind=TimestampKind[written["kind"]]) if "kind" in written else type_  # type: ignore[call-arg]  # of times only


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.init and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _damaged(what: str) -> TableException:
    return TableException(f"The compiled plan cannot be read: {what}.", hint="compile it again with this version")
