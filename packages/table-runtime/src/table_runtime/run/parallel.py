"""Runs a function over a stream, or over a few items, on several threads; the results are in the order of the items.

Arrow's kernels release the interpreter's lock, so threads compute in parallel. A stream of one item is computed on the caller's thread:
most small queries have one batch, for which a worker thread would only cost time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from table_runtime.run.execution import ExecutionContext

if TYPE_CHECKING:
    from table_runtime.run.threads import Task

_T = TypeVar("_T")
_R = TypeVar("_R")


def map_ordered(function: Callable[[_T], _R], items: Iterable[_T], context: ExecutionContext) -> Iterator[_R]:
    """Yields ``function(item)`` for each item, computing up to ``parallelism`` of them ahead."""
    source = iter(items)
    try:
        if context.parallelism <= 1:
            for item in source:
                context.check()
                yield function(item)
            return
        first = list(_take(source, 2))
        if len(first) < 2:
            for item in first:
                context.check()
                yield function(item)
            return
        pending: deque[Task[_R]] = deque(context.submit(function, item) for item in first)
        first.clear()
        try:
            while pending:
                context.check()
                for item in _take(source, context.parallelism + 1 - len(pending)):
                    pending.append(context.submit(function, item))
                yield pending.popleft().result()
        finally:
            for task in pending:
                task.cancel()
    finally:
        close_iterator(source)


def map_all(function: Callable[[_T], _R], items: Sequence[_T], context: ExecutionContext) -> list[_R]:
    """Returns ``function(item)`` for each item; up to ``parallelism`` are computed at once. The caller's thread computes too."""
    if context.parallelism <= 1 or len(items) < 2:
        results = []
        for item in items:
            context.check()
            results.append(function(item))
        return results
    tasks = [context.submit(function, item) for item in items]
    try:
        for task in tasks:
            context.check()
            task.run()
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()


def _take(source: Iterator[_T], count: int) -> Iterator[_T]:
    for _ in range(count):
        try:
            yield next(source)
        except StopIteration:
            return


def close_iterator(source: object) -> None:
    """Closes a generator; does nothing for iterators without ``close``."""
    close = getattr(source, "close", None)
    if close is not None:
        close()
