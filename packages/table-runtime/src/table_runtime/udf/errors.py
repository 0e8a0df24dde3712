"""Error messages for failures in user code: function, row, arguments and location in the user's code."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from table_common.exceptions import TableRuntimeException

RAISED = (Exception, SystemExit, GeneratorExit)
"""What code of users raises when it fails; KeyboardInterrupt and the end of a thread are not its own."""
_LONGEST = 80


def call_failed(
    name: str, error: BaseException, row: int | None, arguments: Sequence[Any] | None, *, masked: bool
) -> TableRuntimeException:
    """Returns the error for an exception that a function raised; the traceback has the frames of the user's code only."""
    where = "" if row is None else f" in row {row} of the batch"
    frames = "".join(traceback.format_exception(type(error), error, _user_frames(error.__traceback__))).rstrip()
    return TableRuntimeException(
        f"The function {name} failed{where}{_arguments_text(arguments, masked)}: {type(error).__name__}: {error}\n{frames}",
    )


def wrong_result(name: str, reason: str, row: int | None, arguments: Sequence[Any] | None, *, masked: bool) -> TableRuntimeException:
    """Returns the error for a result that is not of the declared type; ``reason`` has the declared and the actual type."""
    where = "" if row is None else f" in row {row} of the batch"
    return TableRuntimeException(
        f"The function {name} returned a wrong value{where}{_arguments_text(arguments, masked)}: {reason}",
        hint="Return a value of the declared type, or declare another type.",
    )


def _arguments_text(arguments: Sequence[Any] | None, masked: bool) -> str:
    if arguments is None:
        return ""
    return f", called with ({', '.join('***' if masked else _value_text(value) for value in arguments)})"


def _value_text(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # a broken __repr__ must not hide the error
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _user_frames(trace: TracebackType | None) -> TracebackType | None:
    """Returns the traceback from the first frame that is neither in this package nor in asyncio."""
    part = trace
    while part is not None and part.tb_frame.f_globals.get("__name__", "").startswith(("table_runtime.", "asyncio.")):
        part = part.tb_next
    return part if part is not None else trace
