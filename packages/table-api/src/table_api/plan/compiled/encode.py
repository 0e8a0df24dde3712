"""Encodes a plan as JSON: each node is an object with its class and the fields that differ from their defaults."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from table_api.delegation import Session
from table_api.operations import ContextResolvedTable, Operation, QueryOperation
from table_api.operations.query.external import ExternalQueryOperation
from table_api.plan.compiled.classes import CLASSES, ENUMS, short_name
from table_api.plan.compiled.functions import encode_function
from table_api.plan.compiled.tables import encode_table, is_plain_secret
from table_common.exceptions import TableException, ValidationException
from table_common.functions import FunctionDefinition
from table_common.types import LocalZonedTimestampType, LogicalType, TimestampKind, TimestampType, parse_logical_type


class PlanWriter:
    """Encodes plans; a shared query is written once, and others refer to it by its number in ``nodes``."""

    def __init__(self, session: Session, catalog_objects: str) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._session = session
        self._catalog_objects = catalog_objects
        self._numbers: dict[int, int] = {}
        self._kept: list[Operation] = []

    def add(self, operation: Operation) -> int:
        """Writes an operation after its inputs, and returns its number.

        Raises:
            TableException: the plan contains an object that cannot be written.
        """
        number = self._numbers.get(id(operation))
        if number is None:
            if isinstance(operation, ExternalQueryOperation):
                raise TableException(
                    f"The plan cannot be compiled: {operation.summary_name} reads rows that exist only in this program.",
                    hint="write them to a table, and read the table",
                )
            node = self._object(operation)
            number = self._numbers[id(operation)] = len(self.nodes) + 1
            self._kept.append(operation)
            self.nodes.append({"id": number, **node})
        return number

    def value(self, value: Any) -> Any:
        """Returns a field's value as JSON.

        Raises:
            TableException: the value cannot be written as JSON.
        """
        match value:
            case None | bool() | str():
                return value
            case Enum() if type(value).__name__ in ENUMS:
                return {"$enum": f"{type(value).__name__}.{value.name}"}
            case int():
                return value
            case float():
                return value if math.isfinite(value) else {"$float": repr(value)}
            case Decimal():
                return {"$decimal": str(value)}
            case bytes():
                return {"$bytes": value.hex()}
            case date():
                return {"$date": value.isoformat()}
            case timedelta():
                return {"$seconds": value.total_seconds()}
            case tuple():
                return [self.value(item) for item in value]
            case Mapping():
                return {"$map": [[self.value(key), self.value(item)] for key, item in value.items()]}
            case LogicalType():
                return _type(value)
            case FunctionDefinition():
                return encode_function(value, self._session)
            case ContextResolvedTable():
                return {"$table": encode_table(value, self._catalog_objects, self.value)}
            case QueryOperation():
                return {"$node": self.add(value)}
            case _ if short_name(type(value)) in CLASSES:
                return self._object(value)
        raise TableException(f"The plan cannot be compiled: it contains a {type(value).__name__}, which cannot be written as JSON.")

    def _object(self, node: Any) -> dict[str, Any]:
        name = short_name(type(node))
        if name not in CLASSES:
            raise TableException(f"The plan cannot be compiled: {type(node).__name__} cannot be written as JSON.")
        written: dict[str, Any] = {"type": name}
        for field in dataclasses.fields(node):
            if not field.init:
                continue
            value = getattr(node, field.name)
            if field.name == "options":
                _refuse_secrets(value)
            default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
            if default is dataclasses.MISSING or type(value) is not type(default) or value != default:
                written[field.name] = self.value(value)
        return written


def _refuse_secrets(options: Mapping[str, str]) -> None:
    """Raises a ``TableException`` if an OPTIONS hint contains a secret: the file would show it, and the catalog does not have it."""
    secrets = [key for key, value in options.items() if is_plain_secret(key, value)]
    if secrets:
        raise TableException(
            f"The plan cannot be compiled: an OPTIONS hint contains the secret '{secrets[0]}'.",
            hint=f"write a reference that is resolved when the plan runs: '{secrets[0]}'='${{env:NAME}}'",
        )


def _type(type_: LogicalType) -> dict[str, Any]:
    """Returns a type as SQL text; the kind of a time attribute, which SQL does not show, is a separate field.

    Raises:
        TableException: the type cannot be parsed back from its text.
    """
    text = type_.serializable()
    written = {"$type": text}
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)):
        if type_.kind is not TimestampKind.REGULAR:
            written["kind"] = type_.kind.name
        return written
    if type(type_).ROOT in ("SYMBOL", "DESCRIPTOR", "NULL"):
        return written
    try:
        again = parse_logical_type(text, allow_zero_length=True)
    except ValidationException:
        again = None
    if again != type_:
        raise TableException(f"The plan cannot be compiled: the type {text} cannot be written into a file.")
    return written
