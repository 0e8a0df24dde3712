"""Errors that outlive their job, without the data of the job: each frame of a traceback holds the local variables of its function."""

from __future__ import annotations

from contextlib import suppress
from types import FrameType

_OURS = ("table_runtime.", "table_common.")
"""Prefixes of the modules whose variables are forgotten; debuggers show those of user functions."""


def forget_locals(error: BaseException) -> None:
    """Forgets the local variables of our functions that the error has left.

    Notebooks and prompts keep the last error, and programs keep others, so batches of a failed job would take memory that the next job needs.
    """
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        waiting += (one.__cause__, one.__context__)
        step = one.__traceback__
        while step is not None:
            frame: FrameType | None = step.tb_frame
            # Those that called it, too: the error of a task ends there, and a thread may have run it while it waited for another task.
            while frame is not None and id(frame) not in seen:
                seen.add(id(frame))
                if frame.f_globals.get("__name__", "").startswith(_OURS):
                    with suppress(RuntimeError):  # it is running
                        frame.clear()
                frame = frame.f_back
            step = step.tb_next
