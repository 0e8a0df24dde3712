"""Prints in which levels a graph runs, and how rows are divided among the shares of each."""

from __future__ import annotations

import pyarrow as pa

from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.operators.exchange_keys import GLOBAL, CastKeys, ExchangeKeys, KeyColumns
from table_runtime.streaming.operators.stateless import StatelessChain
from table_runtime.streaming.shares.cut import IncomingEdge, Level, Levels
from table_runtime.streaming.shares.wire import OUTPUT


def describe_levels(graph: Graph, levels: Levels, shares: str) -> str:
    """Returns the levels as text, the lowest first: the operators of each, and for those that get rows by an exchange the columns by which these are divided.

    ``shares`` says how many there are of each level but the lowest.
    """
    keys = {leaving.target: leaving.keys for level in levels.levels for leaving in level.exits}
    lines = []
    for level in levels.levels:
        where = f"level {level.number}, {'a task per split' if not level.number else shares}"
        parts = [source.table for source in graph.sources] if not level.number else []
        parts += [
            _part(graph, number, [(entry, keys[entry.target]) for entry in level.entries if entry.target.node == number])
            for number in level.numbers
        ]
        parts += [_output(level, entry, keys[entry.target]) for entry in level.entries if entry.target.node == OUTPUT]
        lines.append(f"{where}: {', '.join(filter(None, parts)) or 'nothing'}")
    return "\n".join(lines)


def _part(graph: Graph, number: int, entries: list[tuple[IncomingEdge, ExchangeKeys]]) -> str:
    operator = graph.nodes[number].operator
    name = operator.plan_lines[0].split("(")[0] if isinstance(operator, StatelessChain) else operator.name
    exchanges = [text for entry, keys in sorted(entries, key=lambda each: each[0].target) if (text := _exchange(keys, entry.schema))]
    return f"{name} by {' and '.join(exchanges)}" if exchanges else name


def _output(level: Level, entry: IncomingEdge, keys: ExchangeKeys) -> str:
    text = _exchange(keys, entry.schema)
    return f"output {entry.target.input_index}" + (f" by {text}" if text else "")


def _exchange(keys: ExchangeKeys, schema: pa.Schema) -> str:
    """Returns how rows are divided that cross an edge; an empty text if they are not."""
    if keys is None:
        return ""
    if keys is GLOBAL:
        return "single"
    if isinstance(keys, KeyColumns):
        return f"hash[{', '.join(schema.names[position] for position in keys.positions)}]"
    return "hash[keys]" if isinstance(keys, CastKeys) else "hash[all columns]"
