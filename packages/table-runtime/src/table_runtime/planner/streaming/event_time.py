"""Which nodes of a streaming plan follow the clock, and which forward the watermark before each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.operations import (
    QueryOperation,
    WatermarkQueryOperation,
)
from table_api.plan import facts_of
from table_common.exceptions import TableException
from table_common.expressions import calls_of
from table_common.functions.builtin import temporal
from table_common.tree import children_of, nodes_of, preorder
from table_runtime.planner.streaming.rows import is_row_by_row


def follows_clock(node: QueryOperation) -> bool:
    """Whether a node emits rows when processing time has passed them: windows over processing time, and interval joins by it."""
    follows = facts_of(type(node)).follows_clock
    return follows is not None and follows(node)


def nodes_with_watermarks(roots: Sequence[QueryOperation]) -> set[int]:
    """Returns the ids of the nodes whose rows need the watermark before them: a node above uses it, and there is a WATERMARK below."""
    order: list[QueryOperation] = []
    seen: set[int] = set()
    for root in roots:
        for node in preorder(root, QueryOperation):
            if id(node) not in seen:
                seen.add(id(node))
                order.append(node)
    if not _have_watermarks(roots):
        return set()
    needed: set[int] = set()
    pending = [node for node in order if _reads_watermarks(node) or calls_of(temporal.CURRENT_WATERMARK, node.expressions)]
    visited: set[int] = set()
    while pending:
        node = pending.pop()
        for child in children_of(node, QueryOperation):
            needed.add(id(child))
            if id(child) not in visited and (is_row_by_row(child) or facts_of(type(child)).forwards_watermarks):
                visited.add(id(child))
                pending.append(child)
    return needed


def reads_watermarks_of_results(roots: Sequence[QueryOperation]) -> bool:
    """Whether a node reads the watermark before rows that a node below has made, which does not keep it: a window above a top-n query or LIMIT.

    The nodes that read watermarks themselves emit rows when a watermark passes, so no row of theirs is late; CURRENT_WATERMARK asks about these, too.
    """
    if not _have_watermarks(roots):
        return False
    nodes = [node for root in roots for node in preorder(root, QueryOperation)]
    calls = [node for node in nodes if calls_of(temporal.CURRENT_WATERMARK, node.expressions)]
    readers = [node for node in nodes if _reads_watermarks(node)]
    return _is_above_results(calls, lambda _: True) or _is_above_results(readers, lambda node: not _reads_watermarks(node))


def _have_watermarks(roots: Sequence[QueryOperation]) -> bool:
    return any(nodes_of(root, QueryOperation, WatermarkQueryOperation) for root in roots)


def _is_above_results(pending: list[QueryOperation], makes_results: Callable[[QueryOperation], bool]) -> bool:
    """Whether there is a node that does not forward watermarks below one of the nodes, and nothing but forwarders in between."""
    visited: set[int] = set()
    while pending:
        for child in children_of(pending.pop(), QueryOperation):
            if id(child) in visited or isinstance(child, WatermarkQueryOperation) or not children_of(child, QueryOperation):
                continue
            visited.add(id(child))
            is_forwarder = facts_of(type(child)).forwards_watermarks and not _reads_watermarks(child)
            if is_forwarder or is_row_by_row(child):
                pending.append(child)
            elif makes_results(child):
                return True
    return False


def check_watermark_calls(roots: Sequence[QueryOperation]) -> None:
    """Checks that CURRENT_WATERMARK is called only where a row has a watermark before it: not for the pairs of a join.

    Raises:
        TableException: it is called elsewhere.
    """
    for root in roots:
        for node in preorder(root, QueryOperation):
            if not is_row_by_row(node) and calls_of(temporal.CURRENT_WATERMARK, node.expressions):
                raise TableException(
                    "CURRENT_WATERMARK cannot be called in the condition of a join, or in another node that compares rows: each of them came with its own "
                    "watermark.",
                    hint="call it in a subquery over the table, SELECT *, CURRENT_WATERMARK(ts) AS w FROM t, and use w",
                )


def nodes_below_exact_windows(roots: Sequence[QueryOperation], is_insert_only: Callable[[QueryOperation], bool]) -> set[int]:
    """Returns the ids of the nodes below windows whose result depends on the watermark between any two of their rows.

    SESSION windows tell apart a row that comes before the end of a session and one that touches it. Windows over updates take a retraction of an older row
    until they are over.
    """
    below: set[int] = set()
    for root in roots:
        for node in preorder(root, QueryOperation):
            if id(node) not in below and _is_exact(node, is_insert_only):
                below.update(id(child) for child in preorder(node, QueryOperation) if child is not node)
    return below


def _is_exact(node: QueryOperation, is_insert_only: Callable[[QueryOperation], bool]) -> bool:
    needs = facts_of(type(node)).needs_each_watermark
    return needs is not None and needs(node, all(map(is_insert_only, children_of(node, QueryOperation))))


def _reads_watermarks(node: QueryOperation) -> bool:
    reads = facts_of(type(node)).reads_watermarks
    return reads is not None and reads(node) and not follows_clock(node)
