"""The totals of function metrics, over all copies of a function in this process and in worker processes.

Invokers call ``report_metrics`` after each batch. A worker process sets a receiver that sends the changes to the program's process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from table_common.functions.metrics import Histogram

Changes = Mapping[str, tuple[str, Any]]
"""Kind and change of metrics, by identifier."""
_totals: dict[str, dict[str, tuple[str, Any]]] = {}
_lock = threading.Lock()
_receiver: Callable[[str, Changes], None] | None = None


def report_metrics(function: str, changes: Changes) -> None:
    """Reports changes of a function's metrics to the receiver, or adds them to the totals of this process.

    Example:
        >>> reset_function_metrics()
        >>> report_metrics("parse", {"errors": ("counter", 2)})
        >>> function_metrics()["parse"]
        {'errors': 2}
    """
    if changes:
        (_receiver or add_metrics)(function, changes)


def set_metric_receiver(receiver: Callable[[str, Changes], None] | None) -> None:
    """Sets the receiver of the changes in this process; None: they are added to its own totals.

    Example:
        >>> received = []
        >>> set_metric_receiver(lambda function, changes: received.append(function))
        >>> report_metrics("parse", {"errors": ("counter", 2)})
        >>> set_metric_receiver(None)
        >>> received
        ['parse']
    """
    global _receiver  # a worker process has one way to its program
    _receiver = receiver


def add_metrics(function: str, changes: Changes) -> None:
    """Adds changes to the totals of a function.

    Example:
        >>> reset_function_metrics()
        >>> for _ in range(2):
        ...     add_metrics("parse", {"errors": ("counter", 1)})
        >>> function_metrics()["parse"]
        {'errors': 2}
    """
    with _lock:
        merge_metrics(_totals.setdefault(function, {}), changes)


def merge_metrics(into: dict[str, tuple[str, Any]], changes: Changes) -> None:
    """Merges changes into other changes.

    Example:
        >>> changes = {"errors": ("counter", 1)}
        >>> merge_metrics(changes, {"errors": ("counter", 2)})
        >>> changes
        {'errors': ('counter', 3)}
    """
    for name, (kind, change) in changes.items():
        known = into.get(name)
        into[name] = (kind, change if known is None or known[0] != kind else _merged(kind, known[1], change))


def _merged(kind: str, one: Any, other: Any) -> Any:
    match kind:
        case "counter":
            return one + other
        case "meter":
            return (one[0] + other[0], min(one[1], other[1]), max(one[2], other[2]))
        case "distribution":
            return (one[0] + other[0], one[1] + other[1], min(one[2], other[2]), max(one[3], other[3]))
        case "histogram":
            return (one[0] + other[0], [*one[1], *other[1]][-Histogram.SIZE :])
        case _:
            return other


def function_metrics() -> dict[str, dict[str, Any]]:
    """Returns the metrics of all functions that ran for this process: by function, then by identifier (``group.metric``).

    A counter or gauge is its number, a meter ``{count, rate}``, a distribution ``{sum, count, min, max}``, a histogram
    ``{count, min, max, mean, p50, p95, p99}`` (of the last values). Metrics of tasks on a cluster arrive when the tasks end.

    Example:
        >>> reset_function_metrics()
        >>> add_metrics("parse", {"errors": ("counter", 2)})
        >>> function_metrics()
        {'parse': {'errors': 2}}
    """
    with _lock:
        return {function: {name: _value(kind, change) for name, (kind, change) in metrics.items()} for function, metrics in _totals.items()}


def reset_function_metrics() -> None:
    """Removes all totals.

    Example:
        >>> reset_function_metrics()
        >>> function_metrics()
        {}
    """
    with _lock:
        _totals.clear()


def _value(kind: str, change: Any) -> Any:
    match kind:
        case "meter":
            count, first, last = change
            return {"count": count, "rate": count / max(last - first, 1.0)}
        case "distribution":
            return dict(zip(("sum", "count", "min", "max"), change, strict=True))
        case "histogram":
            count, values = change
            ordered = sorted(values)
            quantiles = {f"p{q}": ordered[min(q * len(ordered) // 100, len(ordered) - 1)] for q in (50, 95, 99)}
            return {"count": count, "min": ordered[0], "max": ordered[-1], "mean": sum(ordered) / len(ordered), **quantiles}
        case _:
            return change
