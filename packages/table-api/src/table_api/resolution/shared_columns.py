"""Joins of the Table API need different column names on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from table_common.exceptions import ValidationException


def check_shared_columns(left: Sequence[str], right: Sequence[str]) -> None:
    """Rejects column names that both sides of a join have.

    Raises:
        ValidationException: there are such names; the hint renames the columns of the right side.
    """
    shared = [name for name in left if name in right]
    if shared:
        taken = {*left, *right}
        renamed = ", ".join(f"col({name!r}).alias({_free_name(name, taken)!r})" for name in shared)
        raise ValidationException(
            f"Both sides of the join have the {'column' if len(shared) == 1 else 'columns'} {', '.join(shared)}.",
            hint=f"rename them on one side: right.rename_columns({renamed})",
        )


def _free_name(name: str, taken: set[str]) -> str:
    return next(free for free in (f"{name}_right{number or ''}" for number in count()) if free not in taken)
