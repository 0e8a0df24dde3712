"""The manifest of an epoch: all that is needed to resume after it. Its creation decides that the epoch is committed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from table_common.exceptions import TableException, TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.streaming.checkpoints.checksums import FORMAT, read_json, require_format, to_json
from table_runtime.streaming.checkpoints.source_positions import Scan
from table_runtime.streaming.checkpoints.state_compatibility import OperatorId
from table_runtime.streaming.checkpoints.state_files import StateFile

_NONE: Mapping[str, Any] = {}
_FILE = re.compile(r"/(epochs/)?[^/]*$")
"""A manifest in the folder of a job or of a savepoint."""


@dataclass(frozen=True, slots=True)
class OperatorFiles:
    """The state of one operator: its files, those of each share from the newest one on, and the watermarks of its output and its inputs."""

    files: tuple[StateFile, ...]
    # Differs from Flink: watermarks are part of a checkpoint, so a row that was late before a restart is late after it.
    watermarks: tuple[int, ...]
    signature: Mapping[str, Any] | None = None
    """The signature of its state; None of an operator that keeps no rows."""
    text: str = ""
    """The operator in a plan."""
    operator_id: OperatorId | None = None
    """Where it is in the statement; None in manifests of older versions."""


@dataclass(frozen=True, slots=True)
class SinkMessages:
    """What a sink's committer needs, and how many rows the epoch has for it."""

    rows: int
    messages: tuple[Any, ...]
    """JSON values, as ``message_to_json`` makes them."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The epoch ``epoch`` of a job: positions of sources, state of operators and messages of sinks, each by its name."""

    job: str
    epoch: int
    run: str
    time: int
    """When the epoch ended, in milliseconds since 1970."""
    processing_time: int
    """The clock of the job at its end; it does not go back."""
    sources: Mapping[str, Mapping[str, Any]]
    states: Mapping[str, OperatorFiles]
    sinks: Mapping[str, SinkMessages]
    counters: Mapping[str, Mapping[str, int]]
    """What each source and operator has counted since the job began."""
    duration: int = 0
    """How many milliseconds the checkpoint took."""
    scans: Mapping[str, Scan] = _NONE
    """What each source was asked for; none in manifests of older versions."""
    format: int = FORMAT
    """The version of the layout of its files."""

    def files(self) -> Sequence[StateFile]:
        """Returns the files of state."""
        return [file for state in self.states.values() for file in state.files]

    def to_bytes(self) -> bytes:
        """Returns the file."""
        content = {
            "job": self.job,
            "epoch": self.epoch,
            "run": self.run,
            "time": self.time,
            "processingTime": self.processing_time,
            "sources": {name: dict(position) for name, position in self.sources.items()},
            "states": {
                name: {
                    "operator": state.text,
                    "signature": state.signature,
                    "place": state.operator_id,
                    "watermarks": list(state.watermarks),
                    "files": [file.to_json() for file in state.files],
                }
                for name, state in self.states.items()
            },
            "sinks": {name: {"rows": sink.rows, "messages": list(sink.messages)} for name, sink in self.sinks.items()},
            "counters": self.counters,
            "duration": self.duration,
            "scans": self.scans,
        }
        return to_json(content)

    @classmethod
    def from_bytes(cls, content: bytes, where: str) -> Manifest:
        """Returns the manifest in a file.

        Raises:
            TableException: it has another format.
            TableRuntimeException: the file is damaged.
        """
        try:
            value = read_json(content)
            version = value["format"]
            require_format(version, f"checkpoint '{where}'", _FILE.sub("", where))
            return cls(
                value["job"],
                value["epoch"],
                value["run"],
                value["time"],
                value["processingTime"],
                value["sources"],
                {
                    name: OperatorFiles(
                        tuple(map(StateFile.from_json, state["files"])),
                        tuple(state["watermarks"]),
                        state["signature"],
                        state["operator"],
                        OperatorId(state["place"][0], tuple(state["place"][1])) if state.get("place") else None,
                    )
                    for name, state in value["states"].items()
                },
                {name: SinkMessages(sink["rows"], tuple(sink["messages"])) for name, sink in value["sinks"].items()},
                {
                    name: counts for name, counts in value["counters"].items() if isinstance(counts, dict)
                },  # an older version has only a number
                value["duration"],
                {name: Scan(*scan) for name, scan in value.get("scans", {}).items()},
                version,
            )
        except TableException:
            raise
        except Exception as error:
            raise TableRuntimeException(
                f"The checkpoint '{where}' is damaged: {_reason(error)}.",
                hint="Rename this file, to '<n>.json.damaged', to resume from the manifest before; rows that were committed since are written again. "
                "Instead of a damaged savepoint, use another one.",
            ) from error


def _reason(error: Exception) -> str:
    return str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
