"""Procedures of catalogs, which CALL runs."""

from __future__ import annotations

from table_common.catalog.identifiers import ObjectIdentifier
from table_common.configuration import ReadableConfig
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProcedureContext:
    """What a procedure gets besides its arguments: the options of the session, and its own full name.

    Source: Flink's ``org.apache.flink.table.procedure.ProcedureContext``.

    Example:
        >>> from table_common.configuration import Configuration
        >>> ProcedureContext(Configuration(), ObjectIdentifier.of("lake", "system", "compact")).identifier.object_name
        'compact'
    """

    configuration: ReadableConfig
    identifier: ObjectIdentifier


class Procedure:
    """A procedure of a catalog: ``CALL catalog.database.procedure(…)`` runs its method ``call(self, context, …)`` in the client, on any engine.

    The annotations of ``call`` say the types of its arguments, as those of ``eval`` of a scalar function do: an argument is cast, may be given by
    name, may have a default, and is refused if it is NULL and its annotation does not allow None. ``call`` returns a list: of rows (a dataclass, or
    ``Annotated[Row, DataTypeHint("ROW<…>")]``), whose fields are the columns of the result, or of other values, whose column is ``result``. It may
    return None, if that is its annotation; the result is then ``OK``.

    Source: Flink's ``org.apache.flink.table.procedures.Procedure``.

    Example:
        >>> class Numbers(Procedure):
        ...     def call(self, context: ProcedureContext, count: int, start: int = 0) -> list[int]:
        ...         return list(range(start, start + count))
        >>> Numbers().call(None, 2)
        [0, 1]
    """
