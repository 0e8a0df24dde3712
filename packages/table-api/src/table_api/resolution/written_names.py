"""The column names of queries as written, where names repeat; plans number repeated names (a, a0)."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation
from table_api.resolution.unique_names import repeated_names
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import ResolvedExpression


class WrittenNames:
    """The column names of the queries of one statement, as written.

    A name that two columns have is ambiguous to the query around them, and the numbered names of the plan cannot be written there.
    """

    # Differs from Flink: `SELECT *` and positions (INSERT, ORDER BY 1, COUNT(*), names after the alias) take a derived table or a query of WITH
    # in which two columns have the same name; Flink calls `*` ambiguous, and refuses the query of WITH.

    def __init__(self) -> None:
        self._repeated: dict[int, tuple[QueryOperation, tuple[str, ...]]] = {}

    def note(self, operation: QueryOperation, names: Sequence[str]) -> QueryOperation:
        """Records the names of an operation's columns; returns the operation."""
        if tuple(names) != operation.resolved_schema.column_names:
            self._repeated[id(operation)] = (operation, tuple(names))
        return operation

    def of(self, operation: QueryOperation) -> tuple[str, ...]:
        """Returns the names of the columns of an operation."""
        noted = self._repeated.get(id(operation))
        return noted[1] if noted is not None else operation.resolved_schema.column_names

    def carry(self, source: QueryOperation, target: QueryOperation) -> QueryOperation:
        """Records the names of ``source`` for ``target``, which may have further columns; returns ``target``."""
        if id(source) in self._repeated and target is not source:
            names = self.of(source)
            self.note(target, (*names, *target.resolved_schema.column_names[len(names) :]))
        return target

    def require_different(self, operation: QueryOperation, what: str, position: SourcePosition | None) -> None:
        """Checks that the columns have different names.

        Raises:
            ValidationException: two columns have the same name.
        """
        repeated = repeated_names(self.of(operation))
        if repeated:
            raise ValidationException(
                f"The columns of the {what} must differ, but {', '.join(repeated)} would occur more than once.",
                position=position,
                hint="rename one of them with AS, or list the names of the columns",
            )


def ambiguous_column(name: str, numbers: Sequence[int], where: str, position: SourcePosition | None) -> ValidationException:
    """Returns the error for a name that several columns of one query have; ``numbers`` count them from 1."""
    columns = f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
    return ValidationException(
        f"Column '{name}' is ambiguous: columns {columns} of {where} have this name.",
        position=position,
        hint="rename one of them with AS (or Table.alias)",
    )


def output_named(name: str, names: Sequence[str], outputs: Sequence[ResolvedExpression], position: SourcePosition | None) -> int | None:
    """Returns which column of SELECT has a name, for ORDER BY; None if there is none. Equal columns may share it.

    Raises:
        ValidationException: different columns have the name.
    """
    found = [place for place, other in enumerate(names) if other == name]
    if len({outputs[place] for place in found}) > 1:
        raise ambiguous_column(name, [place + 1 for place in found], "the query", position)
    return found[0] if found else None
