"""The states of the shares of a worker, which stay in its memory between epochs."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.annotation import override
from table_common.exceptions import TableInternalError
from table_runtime.streaming.graph.graph import Node
from table_runtime.streaming.operators.operator import OperatorState
from table_runtime.streaming.shares.mapped_state import KeptState, StateKeeper
from table_runtime.streaming.time.clock import RunClock


class KeptStates(StateKeeper):
    """Holds the states of each share under their token. A task that fails leaves none."""

    def __init__(self) -> None:
        self.states: dict[str, tuple[str, Sequence[OperatorState]]] = {}

    @override
    def open(self, name: str) -> KeptState:
        return _Kept(self, name)


class _Kept(KeptState):
    def __init__(self, keeper: KeptStates, name: str) -> None:
        self._keeper = keeper
        self._name = name

    @override
    def load(self, token: str, nodes: Sequence[Node], clock: RunClock) -> Sequence[OperatorState] | None:
        found, states = self._keeper.states.pop(self._name, ("", ()))
        if found != token:  # files are older: to read them would lose rows
            raise TableInternalError(f"A worker has the state '{found}' of {self._name}, and not '{token}'.")
        return states

    @override
    def save(self, token: str, states: Sequence[OperatorState], nodes: Sequence[Node], clock: RunClock) -> bool:
        self._keeper.states[self._name] = token, list(states)
        return True

    @override
    def close(self) -> None:
        pass
