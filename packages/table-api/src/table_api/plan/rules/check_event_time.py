"""Checks of streaming plans with event time: windows that cannot be aggregated, and patterns over rows that change."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import MatchRecognizeQueryOperation, QueryOperation
from table_api.operations.changelog import ModifyKindSet
from table_api.plan.context import RuleContext
from table_api.plan.facts.record import kinds_of_changes
from table_api.plan.rules.recognize_windows import recognize_windows
from table_common.tree import fold, nodes_of


def check_event_time(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan as it is.

    Raises:
        ValidationException: a HOP is aggregated whose size is not a multiple of its slide, or MATCH_RECOGNIZE reads rows that change.
    """
    recognize_windows(root, context)
    if nodes_of(root, QueryOperation, MatchRecognizeQueryOperation):
        fold(root, QueryOperation, _kinds)
    return root


def _kinds(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return kinds_of_changes(node, inputs)
