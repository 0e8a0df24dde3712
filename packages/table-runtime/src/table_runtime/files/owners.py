"""Records in a staging folder which process owns it, for file systems without locks."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

OWNER = "owner.json"


def this_process() -> dict[str, Any]:
    """Returns the description of this process for ``is_alive``."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "start": _process_start(os.getpid())}


def is_alive(owner: object) -> bool:
    """Returns whether the process runs; True for processes of other machines and for incomplete descriptions."""
    if not isinstance(owner, dict) or owner.get("host") != socket.gethostname() or not isinstance(pid := owner.get("pid"), int) or pid <= 0:
        return True
    if os.name == "nt":
        return True  # signal 0 is Ctrl-C there; the lock of the folder says whether its owner lives
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return bool(_process_start(pid) == owner.get("start"))


def _process_start(pid: int) -> str:
    """Returns the start time of a process, because process ids are reused; empty where the system does not report it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
