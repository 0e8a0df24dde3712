"""Events of the Nexmark benchmark: an auction site's persons, auctions and bids, as rows of one table.

Of 50 events in a row 1 is a new person, 3 are new auctions and 46 are bids; 10,000 events are a second of event time. Half of the bids are for a hot
auction, three quarters by a hot bidder, and three quarters of the auctions by a hot seller; which ones are hot changes with time. A tenth of the events
come up to ``MAX_DELAY`` milliseconds late, which is less than the delay of the watermark, so no row is late.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import parquet

__all__ = ["EVENTS_PER_SECOND", "MAX_DELAY", "START", "event_batch", "write_events", "write_side_input"]

EVENTS_PER_SECOND = 10_000
START = 1_767_225_590_000
"""2025-12-31 23:59:50 in milliseconds: runs of more than ten seconds see two days."""
MAX_DELAY = 1000
CHUNK = 1 << 20
"""Events of a row group."""

_ROUND, _PERSONS, _AUCTIONS = 50, 1, 3
_FIRST_ID, _FIRST_CATEGORY, _CATEGORIES = 1000, 10, 5
_ACTIVE_PERSONS, _OPEN_AUCTIONS, _LEAD, _HOT_STEP = 1000, 100, 10, 100
_CHANNELS = 10_000
_STATES = ["AZ", "CA", "ID", "OR", "WA", "WY"]
_CITIES = ["Boise", "Bend", "Cheyenne", "Kent", "Los Angeles", "Phoenix", "Portland", "Redmond", "San Francisco", "Seattle"]
_FIRST_NAMES = ["Ada", "Alan", "Barbara", "Donald", "Edgar", "Edsger", "Frances", "Grace", "John", "Leslie", "Niklaus"]
_LAST_NAMES = ["Allen", "Codd", "Dijkstra", "Hopper", "Knuth", "Lamport", "Liskov", "Lovelace", "McCarthy", "Turing", "Wirth"]
_HOT_CHANNELS = ["Apple", "Baidu", "Facebook", "Google"]

Numbers = np.ndarray[Any, np.dtype[np.int64]]


def write_events(path: Path, events: int, seed: int = 1, rate: int = EVENTS_PER_SECOND) -> Path:
    """Writes a Parquet file with a number of events, ``rate`` per second of event time; equal arguments write equal events."""
    schema = event_batch(0, 0, seed, rate).schema
    texts = ["person.city", "person.state", "bid.channel", "bid.url"]
    with parquet.ParquetWriter(path, schema, use_dictionary=texts, compression="lz4") as writer:
        for start in range(0, events, CHUNK):
            writer.write_batch(event_batch(start, min(CHUNK, events - start), seed, rate), CHUNK)
    return path


def write_side_input(path: Path, keys: int = _CHANNELS, seed: int = 1) -> Path:
    """Writes the table that query 13 joins: a text for each of the first numbers."""
    chance = np.random.default_rng((seed, 13))
    parquet.write_table(pa.table({"key": pa.array(np.arange(keys)), "value": _letters(chance, np.full(keys, 20))}), path)
    return path


def event_batch(start: int, events: int, seed: int, rate: int = EVENTS_PER_SECOND) -> pa.RecordBatch:
    """Returns events in the order in which they come: ``event_type`` (0 person, 1 auction, 2 bid) and a column for each kind of event.

    The events have the numbers from ``start`` on; ``rate`` of them are a second of event time.
    """
    chance = np.random.default_rng((seed, start))
    numbers = start + np.arange(events)
    delay = np.where(chance.random(events) < 0.1, chance.integers(0, MAX_DELAY * rate // 1000, events), 0)
    numbers = numbers[np.argsort(numbers + delay, kind="stable")]
    offset = numbers % _ROUND
    types = np.where(offset < _PERSONS, 0, np.where(offset < _PERSONS + _AUCTIONS, 1, 2)).astype(np.int32)
    columns: list[pa.Array] = [pa.array(types)]
    for type_, rows_of in enumerate((_persons, _auctions, _bids)):
        places = np.flatnonzero(types == type_)
        indices = np.zeros(events, np.int64)
        indices[places] = np.arange(len(places))
        columns.append(rows_of(numbers[places], rate, chance).take(pa.array(indices, mask=types != type_)))
    return pa.RecordBatch.from_arrays(columns, names=["event_type", "person", "auction", "bid"])


def _persons(numbers: Numbers, rate: int, chance: np.random.Generator) -> pa.StructArray:
    rows = len(numbers)
    digits = [pc.utf8_lpad(pc.cast(pa.array(chance.integers(0, 10_000, rows)), pa.string()), 4, "0") for _ in range(4)]
    return _struct(
        id=pa.array(_last_person(numbers) + _FIRST_ID),
        name=pc.binary_join_element_wise(_one_of(_FIRST_NAMES, rows, chance), _one_of(_LAST_NAMES, rows, chance), " "),
        emailAddress=pc.binary_join_element_wise(_letters(chance, np.full(rows, 7)), _letters(chance, np.full(rows, 5)), "@"),
        creditCard=pc.binary_join_element_wise(*digits, " "),
        city=_one_of(_CITIES, rows, chance),
        state=_one_of(_STATES, rows, chance),
        dateTime=_times(numbers, rate),
        extra=_letters(chance, chance.integers(80, 120, rows)),
    )


def _auctions(numbers: Numbers, rate: int, chance: np.random.Generator) -> pa.StructArray:
    rows = len(numbers)
    initial = _prices(rows, chance)
    hot = _last_person(numbers) // _HOT_STEP * _HOT_STEP
    seller = np.where(chance.random(rows) < 0.75, hot, _any_person(numbers, chance))
    open_for = 2 * 1000 * (_OPEN_AUCTIONS * _ROUND // _AUCTIONS) // rate
    return _struct(
        id=pa.array(_last_auction(numbers) + _FIRST_ID),
        itemName=_letters(chance, chance.integers(3, 20, rows)),
        description=_letters(chance, chance.integers(3, 100, rows)),
        initialBid=pa.array(initial),
        reserve=pa.array(initial + _prices(rows, chance)),
        dateTime=_times(numbers, rate),
        expires=_times(numbers, rate, 1 + chance.integers(0, open_for, rows)),
        seller=pa.array(seller + _FIRST_ID),
        category=pa.array(chance.integers(0, _CATEGORIES, rows) + _FIRST_CATEGORY),
        extra=_letters(chance, chance.integers(320, 480, rows)),
    )


def _bids(numbers: Numbers, rate: int, chance: np.random.Generator) -> pa.StructArray:
    rows = len(numbers)
    last = _last_auction(numbers)
    least = np.maximum(last - _OPEN_AUCTIONS, 0)
    any_auction = least + (chance.random(rows) * (last - least + 1 + _LEAD)).astype(np.int64)
    auction = np.where(chance.random(rows) < 0.5, last // _HOT_STEP * _HOT_STEP, any_auction)
    hot_bidder = _last_person(numbers) // _HOT_STEP * _HOT_STEP + 1  # another one than the hot seller
    bidder = np.where(chance.random(rows) < 0.75, hot_bidder, _any_person(numbers, chance))
    channels, urls = _channels()
    chosen = np.where(
        chance.random(rows) < 0.5, chance.integers(0, len(_HOT_CHANNELS), rows), len(_HOT_CHANNELS) + chance.integers(0, _CHANNELS, rows)
    )
    return _struct(
        auction=pa.array(auction + _FIRST_ID),
        bidder=pa.array(bidder + _FIRST_ID),
        price=pa.array(_prices(rows, chance)),
        channel=channels.take(pa.array(chosen)),
        url=urls.take(pa.array(chosen)),
        dateTime=_times(numbers, rate),
        extra=_letters(chance, chance.integers(54, 82, rows)),
    )


def _last_person(numbers: Numbers) -> Numbers:
    """Returns the newest person at each event, counted from 0."""
    return numbers // _ROUND


def _last_auction(numbers: Numbers) -> Numbers:
    """Returns the newest auction at each event, counted from 0."""
    in_round: Numbers = np.clip(numbers % _ROUND - _PERSONS, -1, _AUCTIONS - 1)
    last: Numbers = np.maximum(numbers // _ROUND * _AUCTIONS + in_round, 0)
    return last


def _any_person(numbers: Numbers, chance: np.random.Generator) -> Numbers:
    """Returns one of the newest persons at each event, or one who will come soon."""
    persons = _last_person(numbers) + 1
    active = np.minimum(persons, _ACTIVE_PERSONS)
    chosen: Numbers = (chance.random(len(numbers)) * (active + _LEAD)).astype(np.int64)
    return persons - active + chosen


def _prices(rows: int, chance: np.random.Generator) -> Numbers:
    return np.rint(100 * 10 ** (6 * chance.random(rows))).astype(np.int64)


def _times(numbers: Numbers, rate: int, later: Numbers | int = 0) -> pa.Array:
    return pa.array(START + numbers * 1000 // rate + later, pa.timestamp("ms"))


def _channels() -> tuple[pa.Array, pa.Array]:
    """Returns the names of all channels, the hot ones first, and their URLs."""
    chance = np.random.default_rng(22)
    every = len(_HOT_CHANNELS) + _CHANNELS
    parts = [_letters(chance, np.full(every, 5)).to_pylist() for _ in range(3)]
    pages = [f"https://www.example.com/{'/'.join(one)}/item.htm?query=1" for one in zip(*parts, strict=True)]
    has_id = chance.random(every) < 0.9
    numbers = chance.integers(0, 1 << 31, every)
    for number in range(len(_HOT_CHANNELS), every):
        if has_id[number]:
            pages[number] += f"&channel_id={numbers[number]}"
    return pa.array(_HOT_CHANNELS + [f"channel-{number}" for number in range(_CHANNELS)]), pa.array(pages)


def _one_of(texts: list[str], rows: int, chance: np.random.Generator) -> pa.Array:
    return pa.array(texts).take(pa.array(chance.integers(0, len(texts), rows)))


def _letters(chance: np.random.Generator, lengths: Numbers) -> pa.StringArray:
    """Returns texts of random lower-case letters."""
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    letters = chance.integers(97, 123, int(offsets[-1]), np.uint8)
    return pa.StringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(letters))


def _struct(**columns: pa.Array) -> pa.StructArray:
    return pa.StructArray.from_arrays(list(columns.values()), names=list(columns))
