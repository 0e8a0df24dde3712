"""Rewrites of the logical plan that all engines share, and the plan as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.plan.changelog.signatures import Signatures
    from table_api.plan.facts.record import facts_of
    from table_api.plan.join_columns import drop_join_columns
    from table_api.plan.node_details import node_details
    from table_api.plan.rank_bounds import rank_bounds
    from table_api.plan.shown_columns import shown_columns, shown_text

__all__ = ["Signatures", "drop_join_columns", "facts_of", "node_details", "rank_bounds", "shown_columns", "shown_text"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.plan.changelog.signatures": ("Signatures",),
        "table_api.plan.facts.record": ("facts_of",),
        "table_api.plan.join_columns": ("drop_join_columns",),
        "table_api.plan.node_details": ("node_details",),
        "table_api.plan.rank_bounds": ("rank_bounds",),
        "table_api.plan.shown_columns": ("shown_columns", "shown_text"),
    },
)
