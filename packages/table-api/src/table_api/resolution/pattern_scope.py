"""Which names the expressions of MATCH_RECOGNIZE may use: columns of the input, alone or after a pattern variable."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.resolution.scope import Scope
from table_api.resolution.written_names import ambiguous_column
from table_common.annotation import override
from table_common.catalog import Column, ResolvedSchema
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import ANY_VARIABLE, FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class PatternScope(Scope):
    """Resolves ``variable.column``, and ``column`` of the rows of any variable.

    The ``input_index`` of a reference is the variable's position in ``variables``; position 0 stands for all variables. Columns of a
    variable that may have no row (not in ``certain``) are nullable.
    """

    input_columns: tuple[Column, ...] = ()
    variables: tuple[str, ...] = (ANY_VARIABLE,)
    certain: frozenset[str] = frozenset({ANY_VARIABLE})

    @classmethod
    def over(cls, schema: ResolvedSchema, variables: tuple[str, ...], certain: frozenset[str], names: Sequence[str]) -> PatternScope:
        """Returns the scope over an input with these columns, which are called ``names``."""
        columns = tuple(replace(column, name=name) for column, name in zip(schema.columns, names, strict=True))
        return cls((), (), columns, (ANY_VARIABLE, *variables), certain | {ANY_VARIABLE})

    @property
    @override
    def has_pattern(self) -> bool:
        return True

    @override
    def find(self, path: tuple[str, ...], position: SourcePosition | None = None) -> tuple[ResolvedExpression, tuple[str, ...]] | None:
        if len(path) > 1 and path[0] in self.variables[1:]:
            found = self._column(path[0], path[1])
            if found is None:
                names = [column.name for column in self.input_columns]
                raise ValidationException.unknown("Column", path[1], names, where=f"the rows of '{path[0]}'", position=position)
            return found, path[2:]
        found = self._column(ANY_VARIABLE, path[0])
        return None if found is None else (found, path[1:])

    @override
    def resolve(self, path: tuple[str, ...], position: SourcePosition | None = None) -> tuple[ResolvedExpression, tuple[str, ...]]:
        found = self.find(path, position)
        if found is not None:
            return found
        names = [column.name for column in self.input_columns]
        if len(path) > 1:
            raise ValidationException.unknown("Pattern variable or column", path[0], [*self.variables[1:], *names], position=position)
        raise ValidationException.unknown("Column", path[0], names, where="MATCH_RECOGNIZE", position=position)

    def _column(self, variable: str, name: str) -> FieldReferenceExpression | None:
        found = [position for position, column in enumerate(self.input_columns) if column.name == name]
        if not found:
            return None
        if len(found) > 1:
            raise ambiguous_column(name, [position + 1 for position in found], "the input", None)
        data_type = self.input_columns[found[0]].data_type
        data_type = data_type if variable in self.certain else data_type.with_nullability(True)
        return FieldReferenceExpression(name, data_type, self.variables.index(variable), found[0])
