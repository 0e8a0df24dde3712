"""Converts columns of text to dates, times and timestamps by kernels."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import LocalZonedTimestampType, TimestampType
from table_runtime.formats.text.forms import BLANKS, EPOCH, TextForms
from table_runtime.formats.text.matching import matching, without

_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_YEAR_OF_NANOS = "(?:1[7-9][0-9]{2}|20[0-9]{2}|21[0-9]{2}|22[0-5][0-9])"
"""Years whose days all fit into 64-bit nanoseconds, without those at the ends."""
_TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_ALL_DAYS = "(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
_PREFIX = len("yyyy-MM-dd HH:mm:ss.")
_MIDDLE = len("yyyy-MM-dd")
_CLOCK = len("HH:mm:ss")
_MOST_UNUSUAL = 0.02
"""The share of texts of unusual lengths that are worth parsing one by one."""
_FIRST_MICROS = (1 - EPOCH) * 86_400_000_000
"""The first microsecond of year 1."""
_FIRST_DAY = 1 - EPOCH


def dates(texts: pa.Array, arrow_type: pa.DataType) -> tuple[pa.Array, pa.Array | None]:
    """Returns the days, and a mask of the texts that must be parsed one by one (None: there are none)."""
    days = _days(texts, arrow_type)
    if days is not None:
        return days, None
    wrong = _wrong(texts, _MIDDLE)
    days = _days(without(texts, wrong), arrow_type)
    if days is not None:
        return days, wrong
    return matching(texts, f"^{_YEAR}-{_ALL_DAYS}$", lambda sure: pc.cast(sure, arrow_type))


def _days(texts: pa.Array, arrow_type: pa.DataType) -> pa.Array | None:
    """Returns texts as days, None if one of them is not valid."""
    try:
        days = pc.cast(texts, arrow_type)
    except pa.ArrowInvalid:
        return None
    # Arrow reads the year 0000.
    first = pc.min(pc.cast(days, pa.int32())).as_py()
    return days if first is None or first >= _FIRST_DAY else None


def timestamps(
    texts: pa.Array, type_: TimestampType | LocalZonedTimestampType, arrow_type: pa.DataType, forms: TextForms
) -> tuple[pa.Array, pa.Array | None]:
    """Returns the instants, and a mask of the texts that must be parsed one by one (None: there are none)."""
    values, remaining = _instants_of(texts, type_, arrow_type, forms)
    if remaining is None or not forms.trims_timestamps:
        return values, remaining
    others = texts.filter(remaining)
    trimmed = pc.utf8_trim(others, characters=BLANKS)
    if trimmed.equals(others):
        return values, remaining
    found, wrong = _instants_of(trimmed, type_, arrow_type, forms)
    values = pc.replace_with_mask(values, remaining, found)
    return values, None if wrong is None else pc.replace_with_mask(remaining, remaining, wrong)


def _instants_of(
    texts: pa.Array, type_: TimestampType | LocalZonedTimestampType, arrow_type: pa.DataType, forms: TextForms
) -> tuple[pa.Array, pa.Array | None]:
    """Returns what ``timestamps`` does, for texts without blanks around them."""
    zone = "Z" if isinstance(type_, LocalZonedTimestampType) else ""
    uniform = _uniform_instants(texts, type_.precision, arrow_type, zone, forms)
    if uniform is not None:
        return uniform
    year = _YEAR if arrow_type.unit == "us" else _YEAR_OF_NANOS
    pattern = rf"^{year}-{_ALL_DAYS}{forms.middle}{_TIME}(?:\.[0-9]{{1,9}})?{zone}$"
    return matching(texts, pattern, lambda sure: _instants(sure, type_.precision, arrow_type, zone))


def _uniform_instants(
    texts: pa.Array, precision: int, arrow_type: pa.DataType, zone: str, forms: TextForms
) -> tuple[pa.Array, pa.Array | None] | None:
    """Returns the instants, and a mask of the few texts of unusual lengths; None if another text is not valid. This is faster than the pattern.

    The other texts have seconds and no more digits than the precision.
    """
    longest = _PREFIX + precision if precision else _PREFIX - 1
    lengths = pc.binary_length(texts)
    bounds = pc.min_max(lengths).as_py()
    if arrow_type.unit == "ns" or bounds["min"] is None:
        return None
    unusual = None
    if bounds["min"] < _PREFIX - 1 + len(zone) or bounds["max"] > longest + len(zone):
        usual = pc.and_(pc.greater_equal(lengths, _PREFIX - 1 + len(zone)), pc.less_equal(lengths, longest + len(zone)))
        unusual = pc.fill_null(pc.invert(usual), False)
        if pc.sum(unusual).as_py() > len(texts) * _MOST_UNUSUAL:
            return None
        texts = without(texts, unusual)
    data = pc.cast(texts, pa.binary())
    if pc.all(pc.equal(pc.binary_slice(data, _MIDDLE, _MIDDLE + 1), forms.middle.encode())).as_py() is False:
        return None
    if zone:
        if pc.all(pc.ends_with(texts, zone)).as_py() is False:
            return None
        texts = pc.cast(pc.binary_slice(data, 0, -1), pa.string())
    ticks = _ticks(texts, arrow_type.unit)
    if ticks is None:
        wrong = _wrong(texts, _PREFIX - 1)
        ticks, unusual = _ticks(without(texts, wrong), arrow_type.unit), wrong if unusual is None else pc.or_(unusual, wrong)
    return (ticks.view(arrow_type), unusual) if ticks is not None else None


def _ticks(texts: pa.Array, unit: str) -> pa.Array | None:
    """Returns the instants of texts as Arrow reads them, None if one of them is not valid. Arrow reads the year 0000."""
    try:
        ticks = pc.cast(texts, pa.timestamp(unit)).view(pa.int64())
    except pa.ArrowInvalid:
        return None
    first = pc.min(ticks).as_py()
    return ticks if first is None or first >= _FIRST_MICROS else None


def _instants(texts: pa.Array, precision: int, arrow_type: pa.DataType, zone: str) -> pa.Array:
    longest = _PREFIX + precision if precision else _PREFIX - 1
    if zone:
        texts = pc.utf8_rtrim(texts, zone)
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > longest:
        # Further digits are truncated.
        texts = pc.cast(pc.binary_slice(pc.cast(texts, pa.binary()), 0, longest), pa.string())
    return pc.cast(texts, pa.timestamp(arrow_type.unit)).view(pa.int64()).view(arrow_type)


def times(texts: pa.Array, precision: int, arrow_type: pa.DataType) -> tuple[pa.Array, pa.Array | None]:
    """Returns the times of day, and a mask of the texts that must be parsed one by one (None: there are none)."""

    def convert(sure: pa.Array) -> pa.Array:
        dated = pc.binary_join_element_wise(pa.scalar("1970-01-01 "), sure, pa.scalar(""))
        return _instants(dated, precision, pa.timestamp(arrow_type.unit), "").view(pa.int64()).view(arrow_type)

    bounds = pc.min_max(pc.binary_length(texts)).as_py()
    longest = _PREFIX + precision if precision else _PREFIX - 1
    whole = bounds["min"] is None or (bounds["min"] >= _CLOCK and bounds["max"] <= longest - _PREFIX + _CLOCK + 1)
    return matching(texts, rf"^{_TIME}(?:\.[0-9]{{1,9}})?$", convert, whole=whole)


def _wrong(texts: pa.Array, size: int) -> pa.Array:
    """Returns a mask of the texts that do not begin with a date, or with a date and a time, of ``size`` characters."""
    from table_runtime.formats.text.invalid_values import wrong_moments  # only columns with a text that is not valid

    return wrong_moments(texts, size)
