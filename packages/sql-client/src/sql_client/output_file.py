r"""The file that ``\o`` names, to which results are written instead of the terminal."""

from __future__ import annotations

from typing import TextIO

from table_common.exceptions import ValidationException
from table_common.gate import AllowedPath

_MODES = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet", ".txt": "tableau"}


class OutputFile:
    """An open file; ``mode`` is the result mode that its extension stands for, None the one of the session."""

    def __init__(self, path: AllowedPath) -> None:
        """Opens the file, whose content is replaced.

        Raises:
            ValidationException: it cannot be written.
        """
        self.path = path
        self.mode = _MODES.get(self.path.suffix.lower())
        self.is_first_result = True
        try:
            self.stream: TextIO = self.path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise ValidationException(f"The file '{path}' cannot be written: {error.strerror}.") from error

    def close(self) -> None:
        """Closes the file."""
        self.stream.close()
