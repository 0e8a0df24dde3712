"""Which process changes a table, where there are no locks: said in a file of its staging folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

__all__ = ["OWNER", "is_alive", "this_process"]

OWNER = "owner.json"


def this_process() -> dict[str, Any]:
    """Returns what ``is_alive`` needs to know of this process."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "start": _process_start(os.getpid())}


def is_alive(owner: object) -> bool:
    """Returns whether the process runs; one of another machine may, and so may one that the file does not describe."""
    if not isinstance(owner, dict) or owner.get("host") != socket.gethostname() or not isinstance(pid := owner.get("pid"), int) or pid <= 0:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return bool(_process_start(pid) == owner.get("start"))


def _process_start(pid: int) -> str:
    """Returns when a process began, for numbers are given again; empty where the system does not say."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
