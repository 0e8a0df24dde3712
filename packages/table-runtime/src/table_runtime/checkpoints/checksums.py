"""JSON files of checkpoints with a checksum as their last field: damage is noticed, also where the file is still JSON."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

__all__ = ["FORMAT", "read_json", "to_json"]

FORMAT = 3
"""The version of the layout; files with a greater one are refused. Those of version 1 have no checksum; from version 3 on a delta may have a part of the DISTINCT values of a key."""
_CHECKSUMS = 2
_END = re.compile(rb',\n "crc": (\d+)\n\}')


def to_json(content: Mapping[str, Any]) -> bytes:
    """Returns a file with ``content``, the format as its first field, and a checksum of all bytes before as the last one."""
    text = json.dumps({"format": FORMAT, **content}, indent=1).removesuffix("\n}").encode()
    return text + b',\n "crc": %d\n}' % zlib.crc32(text)


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
