"""The limit on the depth of a plan. Engines nest generated SQL and recursive calls once per level, and both are limited."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation
from table_common.tree import fold, require_plan_depth


def check_depth(root: QueryOperation) -> None:
    """Refuses a plan that is too deep.

    Raises:
        ValidationException: more than ``MAX_PLAN_DEPTH`` operations are nested in each other.
    """

    def combine(node: QueryOperation, children: Sequence[int]) -> int:
        return 1 + max(children, default=0)

    require_plan_depth(fold(root, QueryOperation, combine))
