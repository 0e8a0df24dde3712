"""``Row``: the values of one row in a program, by position and, if it has names, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self, overload

from table_common.data.row_kind import RowKind


class Row:
    """A row of values by position, optionally with names, and with a row kind.

    ``Row(1, "a")`` has positions only. ``Row(id=1, name="a")`` has names too, in the order given. A row of names makes named rows when
    it is called: ``Person = Row("id", "name")``, then ``Person(1, "a")``.

    Source: Flink's ``org.apache.flink.types.Row``.

    Example:
        >>> Person = Row("id", "name")
        >>> Person(1, "Ada").name
        'Ada'
        >>> Row(id=1, name="Ada").as_dict()
        {'id': 1, 'name': 'Ada'}

    Raises:
        ValueError: values are given by position and by name.
    """

    __slots__ = ("_fields", "_row_kind", "_values")

    _fields: tuple[str, ...] | None
    _values: Sequence[Any]  # a tuple in rows of results, until a value is set
    _row_kind: RowKind

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError("A Row takes values by position or by name, not both.")
        self._assign(tuple(kwargs) if kwargs else None, list(kwargs.values()) if kwargs else list(args), RowKind.INSERT)

    def _assign(self, fields: tuple[str, ...] | None, values: Sequence[Any], kind: RowKind) -> None:
        # Past our own __setattr__, which sets fields.
        object.__setattr__(self, "_fields", fields)
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_row_kind", kind)

    @classmethod
    def of_kind(cls, row_kind: RowKind, *args: Any, **kwargs: Any) -> Self:
        """Returns a row of the kind given."""
        row = cls(*args, **kwargs)
        row.set_row_kind(row_kind)
        return row

    @classmethod
    def of_names(cls, names: Sequence[str] | None, values: Sequence[Any], row_kind: RowKind = RowKind.INSERT) -> Self:
        """Returns a row of values under ``names``; with ``None`` the row has positions only.

        Raises:
            ValueError: There are not as many names as values.
        """
        if names is not None and len(names) != len(values):
            raise ValueError(f"A Row of the fields {', '.join(names)} takes {len(names)} values, but got {len(values)}.")
        row = cls.__new__(cls)
        row._assign(None if names is None else tuple(names), list(values), row_kind)
        return row

    def __call__(self, *args: Any) -> Row:
        """Returns a row whose names are this row's values, for ``Person = Row("id", "name")``."""
        return Row.of_names([str(name) for name in self._values], args, self._row_kind)

    def get_row_kind(self) -> RowKind:
        """Returns the kind of change that this row is."""
        return self._row_kind

    def set_row_kind(self, row_kind: RowKind) -> None:
        """Sets the kind of change that this row is."""
        object.__setattr__(self, "_row_kind", row_kind)

    def set_field_names(self, field_names: Sequence[str]) -> None:
        """Gives the values names.

        Raises:
            ValueError: There are not as many names as values.
        """
        if len(field_names) != len(self._values):
            raise ValueError(f"The Row has {len(self._values)} values, but got {len(field_names)} names: {', '.join(field_names)}.")
        object.__setattr__(self, "_fields", tuple(field_names))

    def get_field_names(self) -> tuple[str, ...] | None:
        """Returns the names, or None if the row has positions only."""
        return self._fields

    def get_fields_by_names(self, names: Sequence[str]) -> list[Any]:
        """Returns the values of the names, in the order of the names."""
        return [self[name] for name in names]

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """Returns the values by name; with ``recursive`` rows inside become dicts too, also in lists and dicts.

        Raises:
            TypeError: The row has no names.
        """
        if self._fields is None:
            raise TypeError("A Row without names cannot become a dict; give it names with set_field_names(...).")
        values = [_to_dict(value) for value in self._values] if recursive else self._values
        return dict(zip(self._fields, values, strict=True))

    def _index(self, name: object) -> int:
        if self._fields is None or name not in self._fields:
            available = ", ".join(self._fields) if self._fields else "none"
            raise KeyError(f"The Row has no field '{name}'; its fields: {available}")
        return self._fields.index(str(name))

    @overload
    def __getitem__(self, item: int | str) -> Any: ...
    @overload
    def __getitem__(self, item: slice) -> list[Any]: ...
    def __getitem__(self, item: int | str | slice) -> Any:
        if isinstance(item, slice):
            return list(self._values[item])
        return self._values[item if isinstance(item, int) else self._index(item)]

    def __setitem__(self, item: int | str, value: Any) -> None:
        self._set(item if isinstance(item, int) else self._index(item), value)

    def _set(self, index: int, value: Any) -> None:
        values = list(self._values)
        values[index] = value
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        # Unpickling asks for methods before there are fields.
        if name.startswith("__") or name in Row.__slots__:
            raise AttributeError(name)
        try:
            return self._values[self._index(name)]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self._set(self._index(name), value)
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __contains__(self, item: object) -> bool:
        return item in (self._values if self._fields is None else self._fields)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        if self._row_kind is not other._row_kind:
            return False
        if self._fields == other._fields:
            return list(self._values) == list(other._values)
        if self._fields is None or other._fields is None or sorted(self._fields) != sorted(other._fields):
            return False
        return all(self[name] == other[name] for name in self._fields)

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __repr__(self) -> str:
        if self._fields is None:
            return f"<Row({', '.join(map(repr, self._values))})>"
        return f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self._values, strict=True))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Row.of_names, (self._fields, self._values, self._row_kind)


def _to_dict(value: Any) -> Any:
    if isinstance(value, Row):
        return value.as_dict(recursive=True)
    if isinstance(value, list):
        return [_to_dict(item) for item in value]
    if isinstance(value, dict):
        return {key: _to_dict(item) for key, item in value.items()}
    return value
