"""Rows of results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat, starmap
from typing import Any, Self

from table_common.annotation import override
from table_common.data.row import Row
from table_common.data.row_kind import RowKind


class ResultRow(Row):
    """A row with the column names of its result, or with the field names of a ROW in it.

    It equals a tuple of the same values, and a row with the same values and kind that has the same names or none. As in PyFlink, whose rows
    of results have no names, ``in`` looks among the values, and ``str`` shows the values alone; ``repr`` shows the names too.

    Example:
        >>> row = ResultRow.of_names(["a", "b"], [1, "x"])
        >>> row == (1, "x"), row == Row(1, "x"), 1 in row, str(row), row
        (True, True, True, "<Row(1, 'x')>", Row(a=1, b='x'))

    Raises:
        ValueError: values are given by position and by name.
    """

    __slots__ = ()

    @classmethod
    def of_rows(cls, names: Sequence[str], rows: Iterable[tuple[Any, ...]], kinds: Iterable[RowKind] | None = None) -> list[Self]:
        """Returns a row for each tuple of values, all under the same names; without ``kinds`` they are insertions.

        The result equals one call of ``of_names`` for each, at a fraction of its time. Each tuple must have as many values as there are names.
        """
        values = list(rows)
        return cls._of_tuples(tuple(names), values, len(values), kinds)

    @classmethod
    def of_columns(cls, names: Sequence[str], columns: Sequence[Sequence[Any]], kinds: Iterable[RowKind] | None = None) -> list[Self]:
        """Returns what ``of_rows`` does, of values that are given column by column; there is at least one column."""
        return cls._of_tuples(tuple(names), zip(*columns, strict=True), len(columns[0]), kinds)

    @classmethod
    def _of_tuples(cls, names: tuple[str, ...], rows: Iterable[tuple[Any, ...]], count: int, kinds: Iterable[RowKind] | None) -> list[Self]:
        of_class = kinds is None and count >= _WORTH_CLASS and cls in _CLASSES
        # Each loop runs in the interpreter's own code, past our __setattr__; starmap passes the tuples of zip, of which there is one.
        made: list[Self] = list(starmap(object.__new__, repeat((_CLASSES[cls](names) if of_class else cls,), count)))
        deque(starmap(_PUT_VALUES, zip(made, rows, strict=True)), maxlen=0)
        if not of_class:
            for put, items in ((_PUT_FIELDS, repeat(names)), (_PUT_KIND, kinds or repeat(RowKind.INSERT))):
                deque(map(put, made, items), maxlen=0)
        return made

    @override
    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple):
            return tuple(self) == other
        if not isinstance(other, Row):
            return NotImplemented
        if self.get_row_kind() is not other.get_row_kind():
            return False
        names, others = self.get_field_names(), other.get_field_names()
        if others is None or names is None or others == names:
            return list(self) == list(other)
        return sorted(names) == sorted(others) and all(self[name] == other[name] for name in names)

    __hash__ = Row.__hash__

    @override
    def __contains__(self, item: object) -> bool:
        return item in list(self)

    def __str__(self) -> str:
        return f"<Row({', '.join(map(_without_names, self))})>"


class ArgumentRow(ResultRow):
    """A row as an argument of a user function, which has names as in PyFlink: ``str`` shows them, and ``in`` looks among them.

    Example:
        >>> row = ArgumentRow.of_names(["a", "b"], [1, "x"])
        >>> str(row), "a" in row, row == (1, "x")
        ("Row(a=1, b='x')", True, True)

    Raises:
        ValueError: values are given by position and by name.
    """

    __slots__ = ()
    __str__ = Row.__repr__
    __contains__ = Row.__contains__


class _InsertedRow(ResultRow):
    """A row whose names and kind are attributes of its class, so that making one sets its values alone; it becomes a ``ResultRow`` to change them."""

    __slots__ = ()

    @override
    def set_row_kind(self, row_kind: RowKind) -> None:
        self._own()
        self.set_row_kind(row_kind)

    @override
    def set_field_names(self, field_names: Sequence[str]) -> None:
        self._own()
        self.set_field_names(field_names)

    def _own(self) -> None:
        fields, kind = self._fields, self._row_kind
        object.__setattr__(self, "__class__", self._plain)
        self._assign(fields, self._values, kind)

    _plain: type[ResultRow] = ResultRow


class _InsertedArgument(_InsertedRow):
    """An inserted row that a function gets; its fields are properties, which take a third of the time of ``Row.__getattr__``."""

    __slots__ = ()
    __str__ = Row.__repr__
    __contains__ = Row.__contains__
    _plain = ArgumentRow


_WORTH_CLASS = 1_000
"""The number of rows that are worth a class."""


@lru_cache(maxsize=128)
def _inserted_rows(names: tuple[str, ...]) -> type[Any]:
    """Returns the class of inserted rows of these names."""
    attributes = {"__slots__": (), "__module__": __name__, "__doc__": ResultRow.__doc__, "_fields": names, "_row_kind": RowKind.INSERT}
    return type("ResultRow", (_InsertedRow,), attributes)


@lru_cache(maxsize=128)
def _inserted_arguments(names: tuple[str, ...]) -> type[Any]:
    """Returns the class of inserted rows of these names that functions get."""
    attributes: dict[str, Any] = {"__slots__": (), "__module__": __name__, "_fields": names, "_row_kind": RowKind.INSERT}
    for position, name in enumerate(names):
        if not name.startswith("_") and not hasattr(Row, name) and names.count(name) == 1:
            attributes[name] = _field(position)
    return type("ArgumentRow", (_InsertedArgument,), attributes)


def _field(position: int) -> property:
    def value(row: Row) -> Any:
        return row._values[position]

    return property(value)


_CLASSES: dict[type[ResultRow], Callable[[tuple[str, ...]], type[Any]]] = {ResultRow: _inserted_rows, ArgumentRow: _inserted_arguments}

_PUT_FIELDS, _PUT_VALUES, _PUT_KIND = (vars(Row)[slot].__set__ for slot in ("_fields", "_values", "_row_kind"))
"""The setters of the slots of a row."""


def _without_names(value: Any) -> str:
    if isinstance(value, ResultRow):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_without_names, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_without_names(key)}: {_without_names(item)}' for key, item in value.items())}}}"
    return repr(value)
