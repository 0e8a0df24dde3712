from __future__ import annotations

from datetime import UTC, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from table_common.configuration import Configuration, machine_time_zone, normalize_zone, session_time_zone, time_zone, time_zone_of
from table_common.exceptions import ValidationException


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("UTC", UTC),
        ("Z", UTC),
        ("Europe/Berlin", ZoneInfo("Europe/Berlin")),
        ("CET", ZoneInfo("CET")),
        ("+02:30", timezone(timedelta(hours=2, minutes=30))),
        ("GMT-08:00", timezone(timedelta(hours=-8))),
        ("UTC+8", timezone(timedelta(hours=8))),
    ],
)
def test_time_zones_are_names_and_offsets(name: str, zone: object) -> None:
    assert time_zone_of(name) == zone


@pytest.mark.parametrize("name", ["Mars/Base", "+19:00", "GMT+02:75", "", "+"])
def test_what_is_no_time_zone_is_refused(name: str) -> None:
    with pytest.raises(ValidationException, match="There is no time zone"):
        normalize_zone(name)


@pytest.mark.parametrize(("name", "zone"), [("GMT+2", "+02:00"), ("UT-0530", "-05:30"), ("Z", "UTC"), ("Japan", "Japan")])
def test_session_time_zone_is_normalized(name: str, zone: str) -> None:
    assert session_time_zone(Configuration({"table.local-time-zone": name})) == zone


@pytest.mark.parametrize(
    ("variable", "zone"),
    [
        ("CET", "CET"),
        ("Japan", "Japan"),
        (":Asia/Tokyo", "Asia/Tokyo"),
        ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        ("UTC", "UTC"),
    ],
)
def test_machine_time_zone_follows_the_variable(monkeypatch: pytest.MonkeyPatch, variable: str, zone: str) -> None:
    monkeypatch.setenv("TZ", variable)
    assert machine_time_zone() == zone
    assert session_time_zone(Configuration()) == zone


def test_machine_time_zone_follows_the_link_when_it_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(time_zone, "_LOCAL_TIME", str(tmp_path / "localtime"))
    for zone in ("Europe/Berlin", "Asia/Tokyo"):
        (tmp_path / "zoneinfo" / zone).parent.mkdir(parents=True)
        (tmp_path / "zoneinfo" / zone).touch()
        (tmp_path / "localtime").unlink(missing_ok=True)
        (tmp_path / "localtime").symlink_to(f"zoneinfo/{zone}")  # relative to the link
        assert machine_time_zone() == zone
