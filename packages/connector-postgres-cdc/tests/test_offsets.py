from __future__ import annotations

import json

from connector_postgres_cdc.offsets import Copied, Position, Visibility, lsn_text


def test_a_position_is_stored_without_what_no_longer_matters() -> None:
    seen = Visibility("700:700:")
    copying = Position(100, is_copying=True).with_part("s.t", Copied(10, seen)).with_part("s.t", Copied(20, seen))
    assert copying.copied == {"s.t": (Copied(20, seen),)}, "parts of one snapshot are one"
    assert Position.of(json.loads(json.dumps(copying.offset()))) == copying
    assert not copying.is_whole("s.t")
    done = copying.with_part("s.t", Copied(None, Visibility("800:800:")))
    assert done.is_whole("s.t")
    assert Position(100, done.copied, until=200).offset()["copied"] == {"s.t": [[20, "700:700:"], [None, "800:800:"]]}  # type: ignore[index]
    assert Position(200, done.copied, until=200).offset() == {"lsn": 200}


def test_positions_in_the_log_as_texts() -> None:
    assert lsn_text(0) == "0/0"
    assert lsn_text((0xAB << 32) + 0xFFFFFFFF) == "AB/FFFFFFFF"
