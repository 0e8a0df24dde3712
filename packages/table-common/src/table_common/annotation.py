"""Stability markers of the public API."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

_T = TypeVar("_T")

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method):
        """Marks a method that replaces one of a base class; checkers refuse it if there is none (``typing.override`` of Python 3.12)."""
        return method


__all__ = ["experimental", "internal", "override", "public", "public_evolving"]


def _mark(stability: str, target: _T) -> _T:
    target.__stability__ = stability  # type: ignore[attr-defined]  # any class or function takes the mark
    return target


def public(target: _T) -> _T:
    """Marks what stays compatible within a major version."""
    return _mark("public", target)


def public_evolving(target: _T) -> _T:
    """Marks what may change its shape in a minor version."""
    return _mark("public_evolving", target)


def experimental(target: _T) -> _T:
    """Marks what may change or go at any time."""
    return _mark("experimental", target)


def internal(target: _T) -> _T:
    """Marks what only the distributions of this project may use."""
    return _mark("internal", target)
