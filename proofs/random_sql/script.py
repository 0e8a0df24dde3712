"""A difference as a program of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from random_sql.tables import Table
from random_sql.tree import Query, text

_HEAD = '''"""{title}"""

import datetime
from decimal import Decimal
from tempfile import mkdtemp

import pyarrow as pa

from table_api import EnvironmentSettings, TableEnvironment

nan, inf = float("nan"), float("inf")
'''
_RUN = """

def run(planner: str) -> None:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner(planner).build())
    env.get_config().set("table.local-time-zone", "UTC")
{load}
    print(planner, env.execute_sql(QUERY).to_arrow().to_pylist())
    env.close()
"""
_DUCK = """

import duckdb

connection = duckdb.connect()
for name, table in TABLES.items():
    connection.register("given", table)
    connection.execute(f"CREATE TABLE {{name}} AS SELECT * FROM given")
    connection.unregister("given")
print("duckdb", connection.execute({query!r}).fetchall())
"""


def script_of(query: Query, tables: Sequence[Table], against: str, title: str) -> str:
    """Returns a program that shows what the engines give."""
    lines = [_HEAD.format(title=title), "TABLES = {"]
    for table in tables:
        fields = ", ".join(f'pa.field("{c.name}", {_type(c.type.arrow)}, nullable={c.is_nullable})' for c in table.columns)
        arrays = ", ".join(f"pa.array({[row[i] for row in table.rows]!r}, type={_type(c.type.arrow)})" for i, c in enumerate(table.columns))
        lines.append(f'    "{table.name}": pa.Table.from_arrays([{arrays}], schema=pa.schema([{fields}])),')
    lines.append(f"}}\nQUERY = {text(query, 'flink')!r}")
    load = "\n".join(map(_load, tables))
    engines = ("arrow",) if against == "duckdb" else ("arrow", "spark")
    program = "\n".join(lines) + _RUN.format(load=load) + "\n\n" + "\n".join(f'run("{one}")' for one in engines) + "\n"
    return program + (_DUCK.format(query=text(query, "duck")) if against == "duckdb" else "")


def _load(table: Table) -> str:
    source = f'env.from_arrow(TABLES["{table.name}"])'
    if table.format is None:
        return f'    env.create_temporary_view("{table.name}", {source})'
    columns = ", ".join(f"{c.name} {c.type.name}{'' if c.is_nullable else ' NOT NULL'}" for c in table.columns)
    options = f"'connector' = 'filesystem', 'format' = '{table.format}', 'path' = '{{mkdtemp()}}'"
    create = f'env.execute_sql(f"CREATE TEMPORARY TABLE {table.name} ({columns}) WITH ({options})")'
    return f'    {create}\n    {source}.execute_insert("{table.name}").wait()'


def _type(of: Any) -> str:
    import pyarrow as pa

    if pa.types.is_list(of):
        return f"pa.list_({_type(of.value_type)})"
    if pa.types.is_struct(of):
        return "pa.struct([" + ", ".join(f'("{f.name}", {_type(f.type)})' for f in of) + "])"
    if pa.types.is_timestamp(of):
        return f'pa.timestamp("{of.unit}")'
    if pa.types.is_time32(of):
        return f'pa.time32("{of.unit}")'
    if pa.types.is_decimal(of):
        return f"pa.decimal128({of.precision}, {of.scale})"
    names = {"bool": "bool_", "float": "float32", "double": "float64", "date32[day]": "date32"}
    return f"pa.{names.get(str(of), str(of))}()"
