"""The entry point of the client: Ctrl-C ends it at once, without a traceback, also while its modules are imported.

This module imports nothing that takes time. Until the session is open there is nothing to stop or to commit.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence

from sql_client.interruption import end_at_once


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the client and returns its exit code."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # it is not, where a shell's background ignores Ctrl-C
        signal.signal(signal.SIGINT, end_at_once)
    try:
        from sql_client.command_line import main as run

        return run(argv)
    finally:
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, before)
