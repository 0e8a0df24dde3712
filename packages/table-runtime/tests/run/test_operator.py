from collections.abc import Iterator

import pyarrow as pa

from table_common.annotation import override
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator, depth_of, describe

SCHEMA = pa.schema([("n", pa.int64())])


class Node(Operator):
    """An operator without rows."""

    def __init__(self, text: str, *inputs: Operator) -> None:
        super().__init__(SCHEMA, inputs)
        self.text = text

    @override
    def details(self) -> str:
        return self.text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        yield from ()


class OwnThread(Node):
    """Reads its input on another thread."""

    has_own_thread = True


def test_inputs_are_indented_below_their_reader() -> None:
    assert describe(Node("top", Node("left", Node("leaf")), Node("right"))).splitlines() == [
        "Node(top)",
        "+- Node(left)",
        "   +- Node(leaf)",
        "+- Node(right)",
    ]


def test_what_two_operators_read_is_shown_once() -> None:
    shared = Node("shared", Node("leaf"))
    assert describe(Node("top", shared, shared)).splitlines() == [
        "Node(top)",
        "+- Node(shared)",
        "   +- Node(leaf)",
        "+- Reused(Node(shared))",
    ]


def test_the_depth_is_that_of_the_longest_way_within_one_thread() -> None:
    assert depth_of(Node("top", Node("a", Node("b")), Node("c")), {}) == 3
    assert depth_of(Node("top", OwnThread("a", Node("b", Node("c"))), Node("d")), {}) == 2


def test_known_depths_are_reused_and_completed() -> None:
    leaf = Node("leaf")
    known = {id(leaf): 7}
    top = Node("top", leaf)
    assert depth_of(top, known) == 8
    assert known[id(top)] == 8
