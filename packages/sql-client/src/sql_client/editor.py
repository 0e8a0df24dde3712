"""Edits a text in the user's editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from table_common.exceptions import ValidationException


def edited(text: str) -> str:
    """Returns the text after the user has edited it with ``$VISUAL``, ``$EDITOR`` or ``vi``.

    Raises:
        ValidationException: the editor cannot be started, or failed.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="sql-client-") as folder:
        file = Path(folder) / "statement.sql"
        file.write_text(text + "\n" if text else "", encoding="utf-8")
        try:
            code = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
        except OSError as error:
            raise ValidationException(f"The editor '{editor}' cannot be started: {error.strerror}.", hint="set $EDITOR") from error
        if code:
            raise ValidationException(f"The editor '{editor}' ended with the code {code}; nothing was changed.")
        return file.read_text(encoding="utf-8").rstrip()
