"""JSON to a plan: only classes that are listed are made, and every object is checked as when it was first built."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from table_api.delegation import Session
from table_api.plan.compiled.classes import CLASSES, ENUMS
from table_api.plan.compiled.functions import decode_function
from table_api.plan.compiled.tables import decode_table
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.types import DescriptorType, LogicalType, NullType, SymbolType, TimestampKind, parse_logical_type

__all__ = ["PlanReader"]

_WITHOUT_SQL: dict[str, LogicalType] = {
    type_.with_nullability(nullable).serializable(): type_.with_nullability(nullable)
    for type_ in (SymbolType(), DescriptorType(), NullType())
    for nullable in (True, False)
    if nullable or not isinstance(type_, NullType)
}


class PlanReader:
    """Reads the nodes of a plan; each stands behind those that it refers to."""

    def __init__(self, session: Session, restore: str) -> None:
        self._session = session
        self._restore = restore
        self._nodes: dict[int, Any] = {}

    def read(self, nodes: Sequence[dict[str, Any]]) -> dict[int, Any]:
        """Returns the operations by number.

        Raises:
            ValidationException: the plan is damaged, or what it uses is not there any more.
        """
        if not isinstance(nodes, list | tuple):
            raise _damaged("its nodes are no list")
        for node in nodes:
            if not isinstance(node, dict) or not isinstance(node.get("id"), int):
                raise _damaged("a node has no number")
            try:
                self._nodes[node["id"]] = self._object({key: value for key, value in node.items() if key != "id"})
            except (LookupError, TypeError, ValueError, ArithmeticError, AssertionError, AttributeError) as error:
                raise _damaged(f"node {node['id']} ({node.get('type')}): {type(error).__name__}: {error}") from None
        return self._nodes

    def value(self, written: Any) -> Any:
        """Returns the value of a field."""
        if isinstance(written, list):
            return tuple(self.value(item) for item in written)
        if not isinstance(written, dict):
            return written
        match next(iter(written), None):
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
                    raise _damaged(f"node {written['$node']} is used before it stands there")
                return self._nodes[written["$node"]]
            case _:
                return self._object(written)

    def _object(self, written: dict[str, Any]) -> Any:
        cls = CLASSES.get(written.get("type", ""))
        if cls is None:
            raise ValidationException.unknown("Kind of node", str(written.get("type")), list(CLASSES), where="the compiled plan")
        fields = {field.name for field in dataclasses.fields(cls) if field.init}
        unknown = sorted(set(written) - fields - {"type"})
        if unknown:
            raise _damaged(f"{written['type']} has no {', '.join(unknown)}")
        return cls(**{name: self.value(value) for name, value in written.items() if name != "type"})


def _type(written: dict[str, Any]) -> LogicalType:
    text = written["$type"]
    if text in _WITHOUT_SQL:
        return _WITHOUT_SQL[text]
    type_ = parse_logical_type(text, allow_zero_length=True)
    return replace(type_, kind=TimestampKind[written["kind"]]) if "kind" in written else type_  # type: ignore[call-arg]  # of times only


def _damaged(what: str) -> TableException:
    return TableException(f"The compiled plan cannot be read: {what}.", hint="compile it again with this version")
