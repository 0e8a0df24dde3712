"""Plans as text for a terminal: a tree of nodes, before and after the rewrites, then the engine's own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from table_api.delegation import ExplainDetail, Planner, Session
from table_api.operations import ModifyOperation, Operation
from table_api.plan.optimizer import optimize
from table_common.tree import deep_recursion

__all__ = ["explain_operations", "plan_text"]


def explain_operations(
    operations: Sequence[ModifyOperation], session: Session, planner: Planner, details: Collection[ExplainDetail] = ()
) -> str:
    """Returns the sections of EXPLAIN.

    With ``PLAN_ADVICE`` a section lists the rewrites that changed the plan.
    """
    trace: list[str] = []
    optimized = optimize(operations, session, planner, trace)
    sections = [
        ("Abstract Syntax Tree", "\n".join(map(plan_text, operations))),
        ("Optimized Logical Plan", "\n".join(map(plan_text, optimized))),
    ]
    if ExplainDetail.PLAN_ADVICE in details:
        sections.append(("Rewrites", "\n".join(trace) or "none"))
    with deep_recursion():
        sections.append((f"Physical Plan ({planner.name})", planner.explain(optimized, details).rstrip()))
    return "\n\n".join(f"== {title} ==\n{text}" for title, text in sections) + "\n"


def plan_text(root: Operation) -> str:
    """Returns one line per node, children indented under their parent; a node that is reached again is named by its number.

    Example::

        Project(select=[name])
        +- Filter(where=[age > 30])
           +- TableScan(table=[default_catalog.default_database.t], fields=[name, age])
    """
    shared = _shared_nodes(root)
    numbers: dict[int, int] = {}
    lines: list[str] = []
    stack: list[tuple[Operation, str, bool]] = [(root, "", True)]
    while stack:
        node, indent, is_last = stack.pop()
        prefix = "" if node is root else f"{indent}+- "
        if id(node) in numbers:
            lines.append(f"{prefix}Reused(#{numbers[id(node)]})")
            continue
        mark = ""
        if id(node) in shared:
            numbers[id(node)] = len(numbers) + 1
            mark = f" #{numbers[id(node)]}"
        lines.append(f"{prefix}{node.summary_name}({_details(node)}){mark}")
        inner = "" if node is root else indent + ("   " if is_last else "|  ")
        children = node.children
        for index in range(len(children) - 1, -1, -1):
            stack.append((children[index], inner, index == len(children) - 1))
    return "\n".join(lines)


def _details(node: Operation) -> str:
    return ", ".join(
        f"{name}=[{', '.join(map(str, value)) if isinstance(value, list) else value}]" for name, value in node.summary_details()
    )


def _shared_nodes(root: Operation) -> set[int]:
    """Returns the ids of nodes below the root that have more than one parent."""
    seen: set[int] = set()
    shared: set[int] = set()
    stack = [root]
    while stack:
        for child in stack.pop().children:
            if id(child) in seen:
                shared.add(id(child))
            else:
                seen.add(id(child))
                stack.append(child)
    return shared
