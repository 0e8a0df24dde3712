"""JSON files of checkpoints with a checksum as their last field: damage is noticed, also where the file is still JSON."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

from table_common.exceptions import TableException

FORMAT = 5
"""The version of the layout. Those of version 1 have no checksum; from version 3 on a delta may have a part of the DISTINCT values of a key; before version 4
messages of sinks, patterns and accumulators of user functions were pickles; from version 5 on files may have the state of a share, and all state of a key is in the bucket of the
columns by which rows are divided."""
WITHOUT_PICKLES = 4
"""The oldest version that is read."""
_CHECKSUMS = 2
_END = re.compile(rb',\n "crc": (\d+)\n\}')


def to_json(content: Mapping[str, Any]) -> bytes:
    """Returns a file with ``content``, the format as its first field, and a checksum of all bytes before as the last one."""
    text = json.dumps({"format": FORMAT, **content}, indent=1).removesuffix("\n}").encode()
    return text + b',\n "crc": %d\n}' % zlib.crc32(text)


def require_format(version: int, what: str, folder: str) -> None:
    """Checks the format of ``what``, a file or folder; ``folder`` is that of the job or of the savepoint.

    Raises:
        TableException: it is newer than this version, or older than ``WITHOUT_PICKLES``.
    """
    if version > FORMAT:
        raise TableException(
            f"The {what} has the format {version}; this version reads the formats {WITHOUT_PICKLES} to {FORMAT}.",
            hint="Run the job with the version that wrote it, or a newer one.",
        )
    if version < WITHOUT_PICKLES:
        raise TableException(
            f"The {what} has the format {version}, in which messages of sinks and parts of the state are pickles, so that reading it could run code. This version reads the "
            f"formats {WITHOUT_PICKLES} to {FORMAT}, which have none.",
            hint=f"If nobody else could write to the folder, convert it: python -m table_runtime.streaming.checkpoints.convert '{folder}' NEW_FOLDER",
        )


def read_json(content: bytes) -> dict[str, Any]:
    """Returns the content of a file, with its ``format``, which may be greater than ``FORMAT``.

    Raises:
        ValueError: it is damaged.
    """
    start = content.rfind(b",\n")
    end = _END.fullmatch(content, start) if start >= 0 else None
    if end is not None and int(end[1]) != zlib.crc32(content[:start]):
        raise ValueError("its checksum differs")
    value = json.loads(content)
    version = value.get("format") if isinstance(value, dict) else None
    if type(version) is not int:
        raise ValueError("it has no format")
    if end is None and (version in range(_CHECKSUMS, FORMAT + 1) or (version < _CHECKSUMS and "crc" in value)):
        raise ValueError("its checksum is missing")
    value.pop("crc", None)
    return dict(value)
