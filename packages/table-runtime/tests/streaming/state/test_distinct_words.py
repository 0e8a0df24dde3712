from __future__ import annotations

import numpy as np
import pytest

from table_runtime.streaming.state import distinct_words as module
from table_runtime.streaming.state.distinct_words import distinct_words
from table_runtime.streaming.state.hash_table import Hashes, Words


def few_hashes(words: Words, width: int) -> Hashes:
    return (words[0] & 1).astype(np.uint64)


@pytest.mark.parametrize("collide", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 500])
def test_each_row_has_the_place_of_its_key_in_the_order_of_first_rows(rows: int, collide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if collide:
        monkeypatch.setattr(module, "hash_words", few_hashes)
    words = np.random.default_rng(3).integers(-4, 4, (2, rows))
    first, places = distinct_words(words, 2)
    keys = list(zip(*words.tolist(), strict=True))
    different = list(dict.fromkeys(keys))
    assert [keys[row] for row in first] == different
    assert first.tolist() == [keys.index(key) for key in different]
    assert [different[place] for place in places] == keys
