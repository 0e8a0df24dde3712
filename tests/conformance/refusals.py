"""What counts as the expected error of a case: the project's own errors, not those of an engine or of Python."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from corpus import is_refusal

from table_common.exceptions import TableError


@contextlib.contextmanager
def refused() -> Iterator[pytest.ExceptionInfo[TableError]]:
    """Requires that the block raises an error that a user may get."""
    with pytest.raises(TableError) as caught:
        yield caught
    assert is_refusal(caught.value), f"an internal error: {caught.value}"
