"""The names visible to an expression: the columns of the relations in FROM, or of the inputs of a Table API call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import is_

from table_api.resolution.casting import cast_to
from table_api.resolution.unique_names import unique_names
from table_api.resolution.written_names import ambiguous_column
from table_common.catalog import Column, ResolvedSchema
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, field, replace
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import RowType, StructuredType, find_common_type


@dataclass(frozen=True, slots=True)
class Relation:
    """Columns under a name.

    ``path`` is the name, matched from its end (a table ``c.d.t`` answers to ``t``, ``d.t`` and ``c.d.t``; an alias has one part; a table of
    the Table API none). ``input_index`` and ``offset`` are the position of the columns in the inputs of the expression.
    """

    path: tuple[str, ...]
    columns: tuple[Column, ...]
    input_index: int = 0
    offset: int = 0
    outside_star: frozenset[str] = frozenset()
    """Columns that ``*`` does not include; they can still be referenced by name."""
    names: tuple[str, ...] = ()
    """The names of the columns if they differ from those of the schema; a query may have the same name twice."""
    _positions: dict[str, list[int]] = field(default_factory=dict, compare=False, repr=False)
    """Cached positions by name; shared by copies, which may have other types but the same names."""

    def positions_of(self, name: str) -> Sequence[int]:
        """Returns the positions of the columns with this name in the relation."""
        if not self._positions:
            for position, called in enumerate(self.column_names):
                self._positions.setdefault(called, []).append(position)
        return self._positions.get(name, ())

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.names or tuple(column.name for column in self.columns)

    def answers_to(self, qualifier: tuple[str, ...]) -> bool:
        """Returns whether the qualifier matches the name of this relation."""
        return bool(self.path) and self.path[-len(qualifier) :] == qualifier

    def reference(self, position: int) -> FieldReferenceExpression:
        """Returns the reference to the column at ``position`` of this relation."""
        column = self.columns[position]
        return FieldReferenceExpression(column.name, column.data_type, self.input_index, self.offset + position)


@dataclass(frozen=True, slots=True)
class MergedColumn:
    """A column of USING or NATURAL: one name for the equal columns of both sides, which it hides when unqualified."""

    name: str
    sources: tuple[int, ...]
    """Positions in the joined row: the value is the first of these that is not NULL."""
    hidden: frozenset[int]
    """Positions in the joined row that this column replaces."""
    input_index: int = 0

    def shifted(self, width: int) -> MergedColumn:
        """Returns the column in a joined row with ``width`` columns before this side."""
        return MergedColumn(self.name, tuple(p + width for p in self.sources), frozenset(p + width for p in self.hidden))


@dataclass(frozen=True, slots=True)
class Scope:
    """The relations that are visible, left to right."""

    relations: tuple[Relation, ...] = ()
    merged: tuple[MergedColumn, ...] = ()

    @classmethod
    def of(cls, schema: ResolvedSchema, path: tuple[str, ...] = (), *, names: tuple[str, ...] = ()) -> Scope:
        """Returns the scope of one relation; ``names`` are the names of its columns if they differ from the schema."""
        return cls((Relation(path, schema.columns, names=names if names != schema.column_names else ()),))

    @property
    def has_pattern(self) -> bool:
        """Whether the expressions are those of MATCH_RECOGNIZE, which has functions of its own."""
        return False

    @property
    def width(self) -> int:
        """The number of columns of all relations."""
        return sum(len(relation.columns) for relation in self.relations)

    def without_in_star(self, names: frozenset[str]) -> Scope:
        """Returns the scope in which ``*`` does not include columns of these names; they can still be referenced."""
        if not names:
            return self
        return replace(self, relations=tuple(replace(relation, outside_star=names) for relation in self.relations))

    def as_input(self, input_index: int) -> Scope:
        """Returns the scope for an expression in which these columns are another input (the right side of a join)."""
        relations = tuple(replace(relation, input_index=input_index) for relation in self.relations)
        return Scope(relations, tuple(replace(merged, input_index=input_index) for merged in self.merged))

    def with_right_input(self, right: Scope) -> Scope:
        """Returns the scope of a join's condition: these columns are the first input, the right ones the second."""
        second = right.as_input(1)
        return Scope((*self.relations, *second.relations), (*self.merged, *second.merged))

    def beside(self, right: Scope) -> Scope:
        """Returns the scope of the joined row: these columns, then the right ones."""
        width = self.width
        shifted = tuple(replace(r, input_index=0, offset=r.offset + width) for r in right.relations)
        return Scope((*self.relations, *shifted), (*self.merged, *(merged.shifted(width) for merged in right.merged)))

    def with_schema(self, schema: ResolvedSchema) -> Scope:
        """Returns the scope with the types of ``schema``, whose columns stand in the same order (a join may make them nullable)."""
        if all(map(is_, schema.columns, chain.from_iterable([relation.columns for relation in self.relations]))):
            return self
        relations = []
        for relation in self.relations:
            columns = schema.columns[relation.offset : relation.offset + len(relation.columns)]
            is_same = all(map(is_, columns, relation.columns))
            relations.append(relation if is_same else replace(relation, columns=columns))
        return Scope(tuple(relations), self.merged)

    def columns(self) -> Iterator[tuple[str, ResolvedExpression]]:
        """Yields the columns of ``*``: merged columns first, then the others, left to right."""
        for merged in self.merged:
            yield merged.name, self.merged_value(merged)
        for relation, position in self._in_star():
            yield relation.columns[position].name, relation.reference(position)

    def column_names(self) -> list[str]:
        """Returns the names of ``columns``; a name may occur more than once."""
        return [*(merged.name for merged in self.merged), *(r.column_names[p] for r, p in self._in_star())]

    def star_columns(self) -> list[tuple[str, ResolvedExpression]]:
        """Returns ``columns`` with the names that SELECT gives them: a hidden column of USING counts where names are numbered, as in Flink."""
        if not self.merged:
            return list(self.columns())
        names = iter(unique_names([column.name for relation in self.relations for column in relation.columns]))
        given = {id(relation): [next(names) for _ in relation.columns] for relation in self.relations}
        shown = [(given[id(relation)][position], relation.reference(position)) for relation, position in self._in_star()]
        return [*((merged.name, self.merged_value(merged)) for merged in self.merged), *shown]

    def merged_value(self, merged: MergedColumn) -> ResolvedExpression:
        """Returns the value of a column of USING or NATURAL."""
        references = {p: self._reference_at(merged.input_index, p) for p in sorted(merged.hidden)}
        common = find_common_type([reference.output_type for reference in references.values()])
        values = [cast_to(references[p], common or references[p].output_type) for p in merged.sources]
        if len(values) == 1:
            return values[0]
        # Differs from Flink: after two FULL JOINs USING (k), `k` is the first that is not NULL of all three columns, also in the second join.
        nullable = all(value.output_type.nullable for value in values)
        return CallExpression(BUILT_INS_BY_NAME["COALESCE"], tuple(values), values[0].output_type.with_nullability(nullable))

    def join_column(self, name: str, position: SourcePosition | None) -> MergedColumn:
        """Returns the column that USING or NATURAL names.

        Raises:
            ValidationException: no or more than one column has the name.
        """
        reference, _ = self.resolve((name,), position)
        for merged in self.merged:
            if merged.name == name:
                return merged
        assert isinstance(reference, FieldReferenceExpression)
        return MergedColumn(name, (reference.field_index,), frozenset((reference.field_index,)), reference.input_index)

    def _in_star(self) -> Iterator[tuple[Relation, int]]:
        return ((r, p) for r, p in self._not_merged() if r.columns[p].name not in r.outside_star)

    def _not_merged(self) -> Iterator[tuple[Relation, int]]:
        """Yields the columns that no merged column replaces, as pairs of relation and position in it."""
        hidden = {(merged.input_index, position) for merged in self.merged for position in merged.hidden}
        for relation in self.relations:
            for position in range(len(relation.columns)):
                if (relation.input_index, relation.offset + position) not in hidden:
                    yield relation, position

    def _reference_at(self, input_index: int, position: int) -> FieldReferenceExpression:
        relation = next(
            relation
            for relation in self.relations
            if relation.input_index == input_index and 0 <= position - relation.offset < len(relation.columns)
        )
        return relation.reference(position - relation.offset)

    def columns_of(self, qualifier: tuple[str, ...], position: SourcePosition | None) -> list[tuple[str, ResolvedExpression]]:
        """Returns the columns of ``qualifier.*``.

        Raises:
            ValidationException: there is no such table.
        """
        found = self._named(qualifier)
        if not found:
            fields = self._fields_of(qualifier)
            if fields is not None:
                return fields
            raise ValidationException.unknown("Table", ".".join(qualifier), self._relation_names(), where="FROM", position=position)
        first = found[0]
        return [(column.name, first.reference(i)) for i, column in enumerate(first.columns) if column.name not in first.outside_star]

    def _fields_of(self, path: tuple[str, ...]) -> list[tuple[str, ResolvedExpression]] | None:
        """Returns the fields of a column that is a row, for ``row.*``; None if there is no such column."""
        try:
            column, rest = self.resolve(path)
        except ValidationException:
            return None
        if rest or not isinstance(column.output_type, (RowType, StructuredType)):
            return None
        from table_api.resolution.field_access import field_of  # few queries need it

        return [(field.name, field_of(column, field.name)) for field in column.output_type.fields]

    def resolve(self, path: tuple[str, ...], position: SourcePosition | None = None) -> tuple[ResolvedExpression, tuple[str, ...]]:
        """Returns the column for a name, and the rest of the name: nested fields.

        Raises:
            ValidationException: no or more than one column has the name.
        """
        found = self.find(path, position)
        if found is None:
            raise self._unknown(path, position)
        return found

    def find(self, path: tuple[str, ...], position: SourcePosition | None = None) -> tuple[ResolvedExpression, tuple[str, ...]] | None:
        """Like ``resolve``, but returns None if no column has the name.

        Raises:
            ValidationException: more than one column has the name.
        """
        for split in range(len(path) - 1, -1, -1):
            qualifier, name = path[:split], path[split]
            found = self._candidates(qualifier, name)
            if len(found) > 1:
                raise self._ambiguous(path, name, found, position)
            if found:
                return found[0][1], path[split + 1 :]
        return None

    def has_column(self, name: str) -> bool:
        """Returns whether one column, or more, has the name."""
        return bool(self._candidates((), name))

    def _candidates(self, qualifier: tuple[str, ...], name: str) -> list[tuple[Relation | None, ResolvedExpression]]:
        if not qualifier and any(merged.name == name for merged in self.merged):
            values: list[tuple[Relation | None, ResolvedExpression]] = [
                (None, self.merged_value(merged)) for merged in self.merged if merged.name == name
            ]
            return [*values, *((r, r.reference(p)) for r, p in self._not_merged() if r.columns[p].name == name)]
        return [(relation, relation.reference(position)) for relation in self._named(qualifier) for position in relation.positions_of(name)]

    def _named(self, qualifier: tuple[str, ...]) -> Sequence[Relation]:
        """Returns the relations that match the qualifier; all without a qualifier."""
        if not qualifier:
            return self.relations
        last = qualifier[-1:]  # compared without a call for each: there may be a thousand relations
        return [relation for relation in self.relations if relation.path[-1:] == last and relation.answers_to(qualifier)]

    def _ambiguous(
        self,
        path: tuple[str, ...],
        name: str,
        found: list[tuple[Relation | None, ResolvedExpression]],
        position: SourcePosition | None,
    ) -> ValidationException:
        relation = found[0][0]
        if relation is not None and all(other is relation for other, _ in found):
            where = f"'{relation.path[-1]}'" if relation.path else "the query"
            return ambiguous_column(".".join(path), [p + 1 for p in relation.positions_of(name)], where, position)
        choices = sorted({".".join((*r.path[-1:], name)) for r, _ in found if r is not None and r.path})
        hint = f"write {' or '.join(choices)}" if len(choices) > 1 else "rename one of them with AS (or Table.alias)"
        return ValidationException(
            f"Column '{'.'.join(path)}' is ambiguous: {len(found)} columns have this name.", position=position, hint=hint
        )

    def _unknown(self, path: tuple[str, ...], position: SourcePosition | None) -> ValidationException:
        if len(path) > 1:
            relations = self._named(path[:-1])
            if relations:
                names = list(dict.fromkeys(relations[0].column_names))
                return ValidationException.unknown("Column", path[-1], names, where=f"'{'.'.join(path[:-1])}'", position=position)
            names = [*self._relation_names(), *dict.fromkeys(self.column_names())]
            return ValidationException.unknown("Table or column", path[0], names, position=position)
        if not self.relations:
            return ValidationException(
                f"Column '{path[0]}' does not exist: no columns can be used here.",
                position=position,
                hint=f"a text constant is written in single quotes: '{path[0]}'",
            )
        return ValidationException.unknown("Column", path[0], list(dict.fromkeys(self.column_names())), position=position)

    def _relation_names(self) -> list[str]:
        return [relation.path[-1] for relation in self.relations if relation.path]
