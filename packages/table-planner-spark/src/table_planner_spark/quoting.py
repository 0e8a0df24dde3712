"""Names and paths as Spark reads them."""

from __future__ import annotations

import re
from pathlib import Path


def quote_name(name: str) -> str:
    """Returns a column's name in back-ticks."""
    return "`" + name.replace("`", "``") + "`"


def exact_path(path: Path) -> str:
    """Returns the text by which Spark's readers find this local file, though its name may have characters of patterns."""
    # Not as_uri: Spark does not decode the path after the scheme, so %20 would not be a space.
    return "file://" + re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path))
