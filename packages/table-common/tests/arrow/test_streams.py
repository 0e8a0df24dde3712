from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.arrow.streams import import_batch, import_batches, split_row_kinds, stream_of_batches, table_of_batches, with_row_kind
from table_common.data import RowKind
from table_common.exceptions import TableException
from table_common.types import IntType, RowType

ROW = RowType.of([("a", IntType())], nullable=False)
BATCH = pa.record_batch({"a": pa.array([1, 2], pa.int32())})


class Foreign:
    """A batch of another Arrow library."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        return BATCH.__arrow_c_array__()


def test_a_batch_of_another_library_is_imported() -> None:
    assert import_batch(Foreign()).equals(BATCH)
    assert import_batch(BATCH) is BATCH


def test_another_value_is_refused_with_the_name_of_its_giver() -> None:
    with pytest.raises(TableException, match="The connector 'x' gave a value of the type list where a record batch is expected"):
        import_batch([1], "The connector 'x'")  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("batches", [BATCH, Foreign(), pa.table({"a": [1]}), None])
def test_anything_but_an_iterator_of_batches_is_refused(batches: object) -> None:
    with pytest.raises(TableException, match="where an iterator of record batches is expected"):
        import_batches(batches, "It")  # type: ignore[arg-type]  # wrong on purpose


def test_row_kinds_are_the_column_behind_the_others() -> None:
    rows, kinds = split_row_kinds(with_row_kind(BATCH, RowKind.DELETE), 1)
    assert rows.equals(BATCH)
    assert kinds == [3, 3]
    assert split_row_kinds(BATCH, 1)[1] is None


def test_a_table_and_a_stream_have_the_canonical_schema() -> None:
    wide = pa.record_batch({"x": pa.array([1], pa.int64())})
    assert table_of_batches([wide, BATCH], ROW).schema == to_arrow_schema(ROW)
    assert stream_of_batches([wide, BATCH], ROW).read_all().to_pydict() == {"a": [1, 1, 2]}


def test_a_stream_without_batches_has_the_schema() -> None:
    assert stream_of_batches([], ROW).read_all().schema == to_arrow_schema(ROW)


def test_batches_with_row_kinds_keep_them() -> None:
    changes = with_row_kind(BATCH, RowKind.INSERT)
    assert table_of_batches([changes], ROW).num_columns == 2
    assert stream_of_batches([changes], ROW).read_all().num_columns == 2
