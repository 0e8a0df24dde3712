"""Changes whose envelope has a before image and an after image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.connector import RowKind
from table_runtime.formats.changelog.envelope import Changes

_INSERT, _UPDATE_BEFORE, _UPDATE_AFTER, _DELETE = (kind.value for kind in RowKind)


class OperationCodes:
    """The codes of a format for insertions, updates and deletions."""

    def __init__(self, field: str, insert: Sequence[str], update: str, delete: str) -> None:
        self.field = field
        self.insert = tuple(insert)
        self.update = update
        self.delete = delete

    @property
    def known(self) -> tuple[str, ...]:
        """All codes."""
        return (*self.insert, self.update, self.delete)

    def unknown(self, codes: pa.Array) -> pa.Array:
        """Returns an error text for each unknown code, NULL for known codes."""
        known = one_of(codes, self.known)
        if pc.all(known).as_py() is not False:
            return pa.nulls(len(codes), pa.string())
        text = pc.binary_join_element_wise(
            pa.scalar(f"'{self.field}' must be one of {', '.join(self.known)}, not "), pc.fill_null(codes, "NULL"), pa.scalar("")
        )
        return pc.if_else(known, pa.scalar(None, pa.string()), text)


def before_and_after(
    codes: OperationCodes, operations: pa.Array, before: pa.StructArray, after: pa.StructArray, where: pa.Array
) -> Changes:
    """Returns the changes of pairs of rows: an insertion has only the after image, a deletion only the before image.

    Args:
        operations: the code of each pair.
        where: the position of each pair's envelope.
    """
    count = len(operations)
    inserted = one_of(operations, codes.insert)
    if pc.all(inserted).as_py() is not False:
        return Changes(after, pa.repeat(_kind(_INSERT), count), where, pa.nulls(count, pa.string()))
    updated = pc.fill_null(pc.equal(operations, codes.update), False)
    deleted = pc.fill_null(pc.equal(operations, codes.delete), False)
    none = pa.scalar(None, pa.int8())
    kinds_before = pc.if_else(updated, _kind(_UPDATE_BEFORE), pc.if_else(deleted, _kind(_DELETE), none))
    kinds_after = pc.if_else(updated, _kind(_UPDATE_AFTER), pc.if_else(inserted, _kind(_INSERT), none))
    # 0, n, 1, n + 1, …: for each pair the before image, then the after image.
    slots = pa.arange(0, 2 * count)
    halves = pc.divide(slots, 2)
    order = pc.add(halves, pc.multiply(pc.subtract(slots, pc.multiply(halves, 2)), count))
    kinds = pa.concat_arrays([kinds_before, kinds_after]).take(order)
    is_change = pc.is_valid(kinds)
    order = order.filter(is_change)
    rows = pa.concat_arrays([before, cast_rows(after, before.type)]).take(order)
    return Changes(rows, kinds.filter(is_change), where.take(halves.filter(is_change)), pa.nulls(count, pa.string()))


def cast_rows(rows: pa.StructArray, type_: pa.DataType) -> pa.StructArray:
    """Returns rows in a type. Arrow refuses to cast, even to the same type, if a NULL row or field has a field NOT NULL further down."""
    return rows if rows.type == type_ else rows.cast(type_)


def first_problem(*problems: pa.Array | pa.Scalar) -> pa.Array:
    """Returns the first error of each envelope, or NULL."""
    return pc.coalesce(*problems)


def problem_where(condition: pa.Array, problem: str) -> pa.Array:
    """Returns the error text where the condition is true, else NULL."""
    none = pa.scalar(None, pa.string())
    return pc.if_else(condition, pa.scalar(problem), none) if pc.any(condition).as_py() else pa.nulls(len(condition), pa.string())


def one_of(values: pa.Array, words: Sequence[str]) -> pa.Array:
    """Returns a mask of the values that are one of the words; false for NULL."""
    return pc.is_in(values, value_set=pa.array(list(words), type=pa.string()))


def _kind(code: int) -> pa.Scalar:
    return pa.scalar(code, pa.int8())


def columns_by_name(struct: pa.StructArray) -> Mapping[str, pa.Array]:
    """Returns the fields of a struct by name; they are NULL where the struct is NULL."""
    return dict(zip([field.name for field in struct.type], struct.flatten(), strict=True))
