"""The different keys of a batch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.state.hash_table import Words, hash_words


def distinct_words(words: Words, width: int) -> tuple[Slots, Slots]:
    """Returns the first row with each key, ascending, and for each row the place of its key among them. Keys have ``width`` words (see ``hash_words``).

    Arrow finds equal hashes in one pass. Rows with equal hashes and different keys, of which there are hardly any, are found by comparison.
    """
    rows = words.shape[1]
    encoded = pa.array(hash_words(words, width)).dictionary_encode()
    places = encoded.indices.to_numpy().astype(np.int64)
    first = first_of_each(places, len(encoded.dictionary))
    if all(np.array_equal(word.take(first.take(places)), word) for word in words):
        return first, places
    _, first, places = np.unique(words, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    moved = np.empty(len(order), np.int64)
    moved[order] = np.arange(len(order))
    return first[order], moved[places.reshape(rows)]


def first_of_each(places: Slots, count: int) -> Slots:
    """Returns for each place below ``count`` the first row that has it; undefined for places that no row has."""
    first = np.empty(count, np.int64)
    first[places[::-1]] = np.arange(len(places))[::-1]  # of several values for one place numpy keeps the last one
    return first
