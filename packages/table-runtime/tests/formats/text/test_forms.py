"""The notations of dates and times that each format of text accepts."""

from __future__ import annotations

import pytest

from table_runtime.formats.text.forms import CSV, JSON_ISO, JSON_SQL, PARTITIONS, TextForms

SECOND = 1_000_000_000
DAY = 86_400 * SECOND


@pytest.mark.parametrize(
    ("text", "days"), [("1970-01-01", 0), ("1969-12-31", -1), ("2020-02-29", 18_321), ("0001-01-01", -719_162), ("9999-12-31", 2_932_896)]
)
@pytest.mark.parametrize("forms", [JSON_SQL, JSON_ISO, CSV, PARTITIONS])
def test_a_date_is_days_since_1970(forms: TextForms, text: str, days: int) -> None:
    assert forms.days(text) == days


@pytest.mark.parametrize("text", ["2020-02-30", "2021-02-29", "2020-13-01", "0000-01-01", "2020-00-10"])
def test_a_day_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the date does not exist"):
        CSV.days(text)


@pytest.mark.parametrize(
    ("forms", "text", "accepted"),
    [
        (JSON_SQL, "2020-1-2", False),
        (CSV, "2020-1-2", True),
        (PARTITIONS, " 2020-1-2 ", True),
        (CSV, " 2020-01-02", False),
        (CSV, "20200102", False),
        (CSV, "2020-01-02\n", False),
        (CSV, "٢٠٢٠-01-02", False),
        (CSV, "", False),
    ],
)
def test_only_the_dates_of_a_format_are_accepted(forms: TextForms, text: str, accepted: bool) -> None:
    if accepted:
        assert forms.days(text) == 18_263
        return
    with pytest.raises(ValueError, match="it is not of the form yyyy-MM-dd"):
        forms.days(text)


@pytest.mark.parametrize(
    ("text", "precision", "nanos"),
    [
        ("00:00:00", 0, 0),
        ("23:59:59.999999999", 9, DAY - 1),
        ("00:00:01.9", 0, SECOND),
        ("00:00:00.1239", 3, 123_000_000),
        ("00:00:00.", 3, 0),
        ("00:00:00.000000001", 9, 1),
    ],
)
def test_a_time_is_nanoseconds_cut_to_the_precision(text: str, precision: int, nanos: int) -> None:
    assert JSON_SQL.time_of_day(text, precision) == nanos


@pytest.mark.parametrize(("forms", "accepted"), [(JSON_SQL, False), (JSON_ISO, False), (CSV, True), (PARTITIONS, True)])
def test_seconds_may_be_missing_in_times_of_csv_and_of_partitions(forms: TextForms, accepted: bool) -> None:
    if accepted:
        assert forms.time_of_day("12:34", 0) == (12 * 3600 + 34 * 60) * SECOND
        return
    with pytest.raises(ValueError, match="it is not of the form HH:mm:ss"):
        forms.time_of_day("12:34", 0)


@pytest.mark.parametrize("text", ["24:00:00", "12:60:00", "12:00:60"])
def test_a_time_of_day_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the time does not exist"):
        CSV.time_of_day(text, 0)
    with pytest.raises(ValueError, match="the time does not exist"):
        CSV.nanos(f"2020-01-01 {text}", 3, zoned=False)


def test_a_timestamp_before_1970_is_cut_towards_the_past() -> None:
    assert JSON_SQL.nanos("1969-12-31 23:59:59.9999", 3, zoned=False) == -1_000_000


@pytest.mark.parametrize(
    ("forms", "text", "zoned", "accepted"),
    [
        (JSON_SQL, "1970-01-02 00:00:00", False, True),
        (JSON_SQL, "1970-01-02T00:00:00", False, False),
        (JSON_SQL, "1970-01-02 00:00:00Z", True, True),
        (JSON_SQL, "1970-01-02 00:00:00", True, False),
        (JSON_SQL, "1970-01-02 00:00:00Z", False, False),
        (JSON_SQL, "1970-01-02 00:00:00.0000000000", False, False),
        (JSON_ISO, "1970-01-02T00:00", False, True),
        (JSON_ISO, "1970-01-02 00:00:00", False, False),
        (CSV, "1970-1-2 00:00:00", False, False),
        (CSV, "1970-01-02 00:00", False, False),
        (PARTITIONS, " 1970-01-02T00:00", False, True),
        (PARTITIONS, "1970-01-02 00:00", False, True),
    ],
)
def test_only_the_timestamps_of_a_format_are_accepted(forms: TextForms, text: str, zoned: bool, accepted: bool) -> None:
    if accepted:
        assert forms.nanos(text, 3, zoned=zoned) == DAY
        return
    with pytest.raises(ValueError, match="it is not of the form yyyy-MM-dd"):
        forms.nanos(text, 3, zoned=zoned)


@pytest.mark.parametrize(
    ("forms", "text", "standard"), [(JSON_SQL, "2020-01-01T00:00:00", "ISO-8601"), (JSON_ISO, "2020-01-01 00:00:00", "SQL")]
)
def test_the_error_of_json_names_the_standard_that_accepts_the_text(forms: TextForms, text: str, standard: str) -> None:
    with pytest.raises(ValueError, match=rf"SET the option 'timestamp-format\.standard' to '{standard}'"):
        forms.nanos(text, 3, zoned=False)
