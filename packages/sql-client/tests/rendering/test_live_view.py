"""The view of a table that changes, on a terminal of ten lines."""

from __future__ import annotations

import io
import queue
from collections.abc import Iterator

import pyarrow as pa
import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from sql_client.rendering.live_view import LiveView
from table_api import LiveTable
from table_api.rendering import TableauStyle
from table_common.catalog import ResolvedSchema
from table_common.exceptions import TableRuntimeException
from table_common.types import IntType, VarCharType

SCHEMA = ResolvedSchema.physical([("k", IntType()), ("text", VarCharType(100))])


class Changes(Iterator[pa.RecordBatch]):
    """Gives the changes that a test puts; ends when it is closed."""

    def __init__(self) -> None:
        self.given: queue.Queue[pa.RecordBatch | BaseException] = queue.Queue()

    def put(self, *changes: tuple[int, int, str]) -> None:
        kinds, keys, texts = zip(*changes, strict=True)
        types = (pa.int32(), pa.string(), pa.int8())
        columns = [pa.array(values, type_) for values, type_ in zip((keys, texts, kinds), types, strict=True)]
        self.given.put(pa.RecordBatch.from_arrays(columns, names=["k", "text", "$row_kind"]))

    def __next__(self) -> pa.RecordBatch:
        found = self.given.get()
        if isinstance(found, BaseException):
            raise found
        return found

    def close(self) -> None:
        self.given.put(StopIteration())


def shown(live: LiveTable, keys: str) -> tuple[str, int]:
    """Returns what a terminal gets when the keys are pressed, and the number of rows at the end."""
    output = io.StringIO()
    terminal = Vt100_Output(output, get_size=lambda: Size(rows=10, columns=100))
    with create_pipe_input() as pressed:
        pressed.send_text(keys)
        count = LiveView(SCHEMA, live, TableauStyle(), terminal_input=pressed, terminal_output=terminal).run()
    return output.getvalue(), count


@pytest.fixture
def changes() -> Iterator[Changes]:
    changes = Changes()
    yield changes
    changes.close()


def test_rows_are_shown_as_they_came(changes: Changes) -> None:
    with LiveTable(changes, SCHEMA) as live:
        changes.put((0, 2, "two"), (0, 1, "one"))
        assert live.wait(1, timeout=10)
        text, count = shown(live, "q")
    assert text.index("two") < text.index("one")
    assert "rows 1-2 of 2, as they came" in text
    assert count == 2


def test_rows_that_are_replaced_are_sorted(changes: Changes) -> None:
    with LiveTable(changes, SCHEMA) as live:
        changes.put((0, 1, "one"), (0, 2, "two"))
        changes.put((1, 1, "one"), (2, 1, "uno"))
        assert live.wait(2, timeout=10)
        text, _ = shown(live, "q")
        in_order_of_arrival, _ = shown(live, "sq")
    assert text.index("uno") < text.index("two")
    assert "of 2, sorted" in text
    assert "as they came" in in_order_of_arrival


def test_pages_scroll_to_the_last_row(changes: Changes) -> None:
    with LiveTable(changes, SCHEMA) as live:
        changes.put(*[(0, number, f"row {number}") for number in range(20)])
        assert live.wait(1, timeout=10)
        assert "rows 1-5 of 20" in shown(live, "q")[0]
        assert "rows 6-10 of 20" in shown(live, " q")[0]
        assert "rows 16-20 of 20" in shown(live, "Gq")[0]
        assert "rows 1-5 of 20" in shown(live, "Ggq")[0]


def test_there_are_no_rows_yet(changes: Changes) -> None:
    with LiveTable(changes, SCHEMA) as live:
        text, count = shown(live, "q")
    assert "No rows yet." in text
    assert count == 0


def test_the_failure_of_the_query_ends_the_view(changes: Changes) -> None:
    with LiveTable(changes, SCHEMA) as live:
        changes.given.put(TableRuntimeException("Division by zero."))
        with pytest.raises(TableRuntimeException, match="Division by zero"):
            shown(live, "")
