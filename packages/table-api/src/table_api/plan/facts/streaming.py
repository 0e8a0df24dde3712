"""Facts of nodes in streaming mode that several kinds of nodes share: how long state is kept, and what event time does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_api.operations import StateTtl
from table_common.types import is_proctime


def always(node: object) -> bool:
    """Returns True."""
    return True


def is_over_proctime(node: Any) -> bool:
    """Returns whether the windows of a node are over processing time."""
    return is_proctime(node.time_type)


def is_over_event_time(node: Any) -> bool:
    """Returns whether a node is over event time."""
    return not node.is_processing_time


def is_over_updates(node: object, is_insert_only: bool) -> bool:
    """Returns whether the inputs of a node have updates or deletions."""
    return not is_insert_only


def never_expires(node: object, default: int) -> tuple[int, ...]:
    """Returns that the state of a node does not expire: the watermark ends it, as in Flink, or it is a table."""
    return (0,)


def grows(text: str) -> Callable[[object, bool], str | None]:
    """Returns the rule of nodes whose state grows unless it expires by default."""
    return lambda node, state_expires: None if state_expires else f"{text} as long as the job runs."


def own_retention(node: Any, default: int) -> tuple[int, ...]:
    """Returns the time of a node's hint STATE_TTL, else the default."""
    return (milliseconds(node.state_ttl, default),)


def milliseconds(ttl: StateTtl | None, default: int) -> int:
    """Returns the time of a hint, else the default."""
    return default if ttl is None else ttl.milliseconds


def expires(ttl: StateTtl | None, by_default: bool) -> bool:
    """Returns whether state with this hint expires."""
    return by_default if ttl is None else ttl.milliseconds > 0
