"""Unique keys: sets of columns in which no two rows of a query have equal values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from table_api.operations import (
    QueryOperation,
)
from table_api.plan.facts.key_columns import MOST_KEYS
from table_api.plan.facts.record import NO_KEYS, Key, Keys, facts_of
from table_common.tree import fold


def unique_keys(root: QueryOperation) -> Mapping[int, Keys]:
    """Returns the minimal unique keys of each node, by the node's identity.

    Two values are the same if GROUP BY puts them into one group: NULL equals NULL. Keys of sources are their declared primary keys, which nobody
    checks. A node of an unknown class, such as one that an engine adds, has no keys.
    """
    found: dict[int, Keys] = {}

    def combine(node: QueryOperation, inputs: Sequence[Keys]) -> Keys:
        own = facts_of(type(node)).keys
        keys = NO_KEYS if own is None else _smallest(own(node, inputs))
        found[id(node)] = keys
        return keys

    fold(root, QueryOperation, combine)
    return found


def _smallest(keys: Iterable[Key]) -> Keys:
    """Returns the keys that contain no other key."""
    result: list[Key] = []
    for key in sorted(set(keys), key=lambda key: (len(key), sorted(key))):
        if not any(other <= key for other in result):
            result.append(key)
        if len(result) == MOST_KEYS:
            break
    return frozenset(result)
