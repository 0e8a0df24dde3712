"""What errors of Python are called in messages."""

from __future__ import annotations

import pytest

from table_runtime.failure_reasons import reason_of


def test_half_of_a_surrogate_pair_is_named() -> None:
    with pytest.raises(UnicodeEncodeError) as caught:
        "a\ud800".encode()
    assert reason_of(caught.value) == r"the text has half of a surrogate pair, '\ud800', which is not a character."
