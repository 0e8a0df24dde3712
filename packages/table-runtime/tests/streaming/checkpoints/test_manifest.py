from __future__ import annotations

import json
import zlib

import pytest

from table_common.exceptions import TableException, TableRuntimeException
from table_common.frozen_dataclass import replace
from table_runtime.streaming.checkpoints.checksums import FORMAT, WITHOUT_PICKLES, read_json, to_json
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles, SinkMessages
from table_runtime.streaming.checkpoints.source_positions import Scan
from table_runtime.streaming.checkpoints.state_compatibility import OperatorId
from table_runtime.streaming.checkpoints.state_files import StateFile

FILE = StateFile("states/a/1-r-base.arrow", True, 10, 100, 7)
MANIFEST = Manifest(
    "job",
    3,
    "run",
    1_000,
    999,
    {"orders#0": {"offset": {"0": 5}}},
    {
        "a#0": OperatorFiles((FILE,), (1, 2, 3), {"operator": "Aggregate"}, "Aggregate(k)", OperatorId("12ab", ("o", "p"))),
        "b#0": OperatorFiles((), ()),
    },
    {"out#0": SinkMessages(2, ({"file": "x"}, 7))},
    {"orders#0": {"numRecordsOut": 9}},
    12,
    {"orders#0": Scan("filters=[a]", "a, b")},
)


def test_a_manifest_is_read_as_it_was_written() -> None:
    assert Manifest.from_bytes(MANIFEST.to_bytes(), "here") == MANIFEST
    assert MANIFEST.files() == [FILE]


def test_a_manifest_that_was_converted_has_no_places_scans_and_counters() -> None:
    content = read_json(MANIFEST.to_bytes())
    del content["scans"], content["format"]
    content["counters"] = {"rowsIn": 9}
    for state in content["states"].values():
        del state["place"]
    found = Manifest.from_bytes(to_json(content), "here")
    assert (found.scans, found.states["a#0"].operator_id, found.counters) == ({}, None, {})
    assert found.sources == MANIFEST.sources


@pytest.mark.parametrize("content", [b"", b"{}", MANIFEST.to_bytes()[:-20]])
def test_a_damaged_manifest_is_an_error_that_says_what_to_do(content: bytes) -> None:
    with pytest.raises(TableRuntimeException, match="The checkpoint 'here' is damaged") as raised:
        Manifest.from_bytes(content, "here")
    assert "Rename this file, to '<n>.json.damaged', to resume from the manifest before" in str(raised.value)


def test_no_damage_is_read_as_another_manifest() -> None:
    content = MANIFEST.to_bytes()
    damaged = [content[:number] for number in range(len(content))]
    for number, byte in enumerate(content):
        damaged += [content[:number] + bytes([byte ^ 1 << bit]) + content[number + 1 :] for bit in range(8)]
    damaged += [content[:start] + bytes(64) + content[start + 64 :] for start in range(0, len(content), 64)]
    damaged += [content + b" ", content.replace(b'"epoch": 3', b'"epoch": 4'), content + content]
    for each in damaged:
        with pytest.raises(TableRuntimeException, match="The checkpoint 'here' is damaged"):
            Manifest.from_bytes(each, "here")


def test_the_messages_of_a_damaged_manifest_are_not_read() -> None:
    content = MANIFEST.to_bytes()
    with pytest.raises(TableRuntimeException, match="is damaged: its checksum differs"):
        Manifest.from_bytes(content.replace(b'"messages": [', b'"messages": ["Y29zCnN5c3RlbQo=", '), "here")


def test_a_newer_format_is_refused() -> None:
    content = json.dumps({**json.loads(MANIFEST.to_bytes()), "format": FORMAT + 1}).encode()
    with pytest.raises(TableException, match=f"has the format {FORMAT + 1}; this version reads the formats {WITHOUT_PICKLES} to {FORMAT}"):
        Manifest.from_bytes(content, "here")


def test_a_manifest_of_the_format_before_is_read() -> None:
    content = json.loads(MANIFEST.to_bytes())
    del content["crc"]
    text = json.dumps({**content, "format": WITHOUT_PICKLES}, indent=1).removesuffix("\n}").encode()
    assert Manifest.from_bytes(text + b',\n "crc": %d\n}' % zlib.crc32(text), "here") == replace(MANIFEST, format=WITHOUT_PICKLES)


@pytest.mark.parametrize("version", range(2, FORMAT + 1))
def test_a_manifest_without_its_checksum_is_damaged(version: int) -> None:
    content = json.loads(MANIFEST.to_bytes())
    del content["crc"]
    with pytest.raises(TableRuntimeException, match="is damaged: its checksum is missing"):
        Manifest.from_bytes(json.dumps({**content, "format": version}, indent=1).encode(), "here")


@pytest.mark.parametrize("file", ["epochs/3.json", "savepoint.json"])
def test_an_older_format_is_refused_with_the_command_that_converts_it(file: str) -> None:
    content = json.loads(MANIFEST.to_bytes())
    del content["crc"]
    with pytest.raises(TableException, match="has the format 1, in which messages of sinks and parts of the state are pickles") as raised:
        Manifest.from_bytes(json.dumps({**content, "format": 1}).encode(), f"/data/my job/{file}")
    assert "python -m table_runtime.streaming.checkpoints.convert '/data/my job' NEW_FOLDER" in str(raised.value)
