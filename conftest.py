"""What the tests of all folders share: how long they run by day and at night.

``TESTS=night`` runs everything at its full length; `nox -s night` sets it. Otherwise

- tests marked ``night`` are left out, unless they are named on the command line;
- of tests marked ``sampled(1)`` enough sets of parameters run for each value to occur, with ``sampled(2)`` for each pair of values;
- hypothesis tries a fifth of the examples: its profile is ``night``, ``ci`` where the variable ``CI`` is set, and ``dev`` elsewhere.
"""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from table_testing.rounds import NIGHT

# How long an example takes says how busy the machine is. CI has the same examples in each run, so that a failure is repeated.
_ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])
settings.register_profile("dev", _ANY, max_examples=30)
settings.register_profile("ci", _ANY, max_examples=30, derandomize=True, database=None)
settings.register_profile("night", _ANY, max_examples=150, print_blob=True)
settings.load_profile("night" if NIGHT else "ci" if "CI" in os.environ else "dev")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what runs at night only."""
    if NIGHT:
        return
    named = {argument.rpartition("/")[2] for argument in config.args if "::" in argument}
    left_out = {item for item in items if item.get_closest_marker("night") is not None}
    products: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") is not None:
            products[item.nodeid.partition("[")[0]].append(item)
    for product in products.values():
        left_out |= set(product) - set(_sample(product))
    left_out = {item for item in left_out if not any(_is_named(item, name) for name in named)}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _is_named(item: pytest.Item, argument: str) -> bool:
    return item.nodeid.rpartition("/")[2].startswith(argument) or item.nodeid.partition("[")[0].rpartition("/")[2] == argument


def _sample(product: list[pytest.Item]) -> list[pytest.Item]:
    """Returns items in whose parameters each value occurs, or each pair of values: always the one with the most that are new."""
    marker = product[0].get_closest_marker("sampled")
    assert marker is not None
    (strength,) = marker.args
    missing = {item: _combinations(item, strength) for item in product}
    chosen = []
    while missing:
        best = max(missing, key=lambda item: len(missing[item]))
        new = missing.pop(best)
        if not new:
            break
        chosen.append(best)
        for others in missing.values():
            others -= new
    return chosen


def _combinations(item: pytest.Item, strength: int) -> set[Any]:
    # Sets of parameters share the objects of a list of `parametrize`, which need not be comparable.
    values = [(name, id(value)) for name, value in sorted(item.callspec.params.items())]  # type: ignore[attr-defined]
    return set(itertools.combinations(values, min(strength, len(values))))
