"""The JSON document of a compiled plan: its version, mode and nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from table_api.delegation import Session
from table_api.operations import ContextResolvedTable, SinkModifyOperation
from table_api.plan.compiled.decode import PlanReader
from table_api.plan.compiled.encode import PlanWriter
from table_common.configuration import TableConfigOptions
from table_common.exceptions import TableException, TableInternalError, ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.tree import deep_recursion

PLAN_VERSION = 3
"""The version of the format; incremented when the previous release could not read the plans written."""


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """A compiled plan: its text and its operations."""

    text: str
    operations: tuple[SinkModifyOperation, ...]


def compile_plan(operations: Sequence[SinkModifyOperation], session: Session) -> PlanDocument:
    """Returns the insertions as a document.

    Raises:
        TableException: they contain an object that cannot be written, such as a DataFrame or a function without a name.
    """
    with deep_recursion():
        writer = PlanWriter(session, session.configuration.get(TableConfigOptions.PLAN_COMPILE_CATALOG_OBJECTS))
        sinks = [writer.add(operation) for operation in operations]
        document = {"planVersion": PLAN_VERSION, "runtimeMode": _mode(session), "sinks": sinks, "nodes": writer.nodes}
        return PlanDocument(json.dumps(document, indent=2, ensure_ascii=False) + "\n", tuple(operations))


def read_plan(text: str, session: Session, where: str = "The text") -> PlanDocument:
    """Parses a document; ``where`` names it in errors.

    Raises:
        ValidationException: it is not a compiled plan, it has another version or mode, or it uses an object that no longer exists.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValidationException(f"{where} is not a compiled plan: it is not JSON ({error}).", hint="COMPILE PLAN writes one") from None
    _check_version(document, where)
    mode = document.get("runtimeMode")
    if mode != _mode(session):
        raise ValidationException(f"{where} was compiled in {mode} mode, but this session is in {_mode(session)} mode.")
    with deep_recursion():
        nodes = PlanReader(session, session.configuration.get(TableConfigOptions.PLAN_RESTORE_CATALOG_OBJECTS)).read(
            document.get("nodes", ())
        )
    numbers = document.get("sinks", ())
    operations = [nodes.get(number) for number in numbers if isinstance(number, int)] if isinstance(numbers, list) else []
    sinks = tuple(operation for operation in operations if isinstance(operation, SinkModifyOperation))
    if not sinks or len(sinks) < len(numbers) or any(not isinstance(sink.table, ContextResolvedTable) for sink in sinks):
        raise TableException(f"{where} is damaged: its list of sinks is missing or refers to other nodes.", hint="compile it again")
    return PlanDocument(text, sinks)


@contextmanager
def damaged_plan_reported(where: str) -> Iterator[None]:
    """Converts errors of operations that do not fit each other into an error about the plan.

    Raises:
        TableException: the plan is damaged.
    """
    try:
        yield
    except ValidationException:
        raise
    except (TableInternalError, LookupError, TypeError, ValueError, ArithmeticError, AssertionError, AttributeError) as error:
        raise TableException(f"{where} is damaged: its operations do not fit each other.", hint="compile the statement again") from error


def _check_version(document: Any, where: str) -> None:
    version = document.get("planVersion") if isinstance(document, dict) else None
    if version is None:
        hint = (
            "Flink's own plans (flinkVersion) hold its operators, which only Flink runs"
            if _is_of_flink(document)
            else "COMPILE PLAN writes one"
        )
        raise ValidationException(f"{where} is not a compiled plan: it has no planVersion.", hint=hint)
    if version == 2 and document.get("runtimeMode") == "batch":
        return  # version 3 added watermarks, which only plans of streaming mode have
    if version != PLAN_VERSION:
        raise ValidationException(
            f"{where} is a compiled plan of version {version}, but this release reads version {PLAN_VERSION}.",
            hint="compile the statement again with this release",
        )


def _is_of_flink(document: Any) -> bool:
    return isinstance(document, dict) and "flinkVersion" in document


def _mode(session: Session) -> str:
    return "streaming" if session.is_streaming_mode else "batch"
