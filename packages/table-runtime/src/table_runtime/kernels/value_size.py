"""How large one value may be that a function makes of small ones: REPEAT, LPAD, PRINTF and their like would fill any memory."""

from __future__ import annotations

from table_common.exceptions import TableRuntimeException
from table_common.functions import MAX_VALUE_SIZE

__all__ = ["check_value_size"]


def check_value_size(function: str, size: int) -> None:
    """Refuses a value that is too large, before it is made.

    Raises:
        TableRuntimeException: it would have more than ``MAX_VALUE_SIZE`` characters.
    """
    if size > MAX_VALUE_SIZE:
        raise TableRuntimeException(f"{function} would make a value of {size:,} characters, but a value may have {MAX_VALUE_SIZE:,}.")
