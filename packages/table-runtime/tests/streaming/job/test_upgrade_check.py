"""Changes of a statement that has checkpoints: what ``explain_upgrade`` says, and what the start does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from table_api import TableEnvironment
from table_common.exceptions import TableException
from table_runtime.streaming.checkpoints.manifest import Manifest
from table_runtime.streaming.checkpoints.source_positions import Scan
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.upgrade_check import checked_upgrade
from table_testing.line_log import append_lines

LogTable = Callable[..., Path]
Eventually = Callable[[Callable[[], bool]], None]
NewEnv = Callable[[], TableEnvironment]

COLUMNS = "k INT, s VARCHAR(10), v INT, d DECIMAL(10, 2)"
BEFORE = "SELECT k, s, SUM(v) AS total, COUNT(*) AS n FROM t GROUP BY k, s"
COMPATIBLE = {
    "the same": (COLUMNS, BEFORE),
    "another alias": (COLUMNS, "SELECT k AS key, s, SUM(v) AS sum_of_v, COUNT(*) AS c FROM t GROUP BY k, s"),
    "a filter above": (COLUMNS, f"SELECT * FROM ({BEFORE}) WHERE total > 0"),
    "an expression above": (COLUMNS, f"SELECT k, s, total * 2, n FROM ({BEFORE})"),
    "a longer VARCHAR": (COLUMNS.replace("VARCHAR(10)", "VARCHAR(20)"), BEFORE),
    "a column NOT NULL": (COLUMNS.replace("v INT", "v INT NOT NULL"), BEFORE),
    "an aggregate less": (COLUMNS, "SELECT k, s, COUNT(*), 0 FROM t GROUP BY k, s"),
    "another order": (COLUMNS, "SELECT k, s, COUNT(*) AS n, SUM(v) AS total FROM t GROUP BY s, k"),
}
REFUSED = {
    "another aggregate": (COLUMNS, "SELECT k, s, MAX(v) AS total, COUNT(*) AS n FROM t GROUP BY k, s"),
    "a new aggregate": (COLUMNS, "SELECT k, s, SUM(v) + MIN(v), COUNT(*) FROM t GROUP BY k, s"),
    "another key": (COLUMNS, "SELECT k, '', SUM(v), COUNT(*) FROM t GROUP BY k"),
    "another argument": (COLUMNS, "SELECT k, s, SUM(v * 2), COUNT(*) FROM t GROUP BY k, s"),
}


def start(env: TableEnvironment, tmp_path: Path, log_table: LogTable, columns: str, query: str) -> str:
    log_table(env, "t", columns)
    env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "upgrade")
    env.execute_sql(
        f"CREATE TABLE o (op STRING, k INT, s STRING, a BIGINT, b BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'o'}', 'format' = 'csv')"
    )
    env.execute_sql(f"CREATE VIEW q AS {query}")
    return "INSERT INTO o SELECT * FROM TO_CHANGELOG(TABLE q)"


def lines(tmp_path: Path) -> list[str]:
    return sorted(line for path in (tmp_path / "o").glob("[!.]*") for line in path.read_text().splitlines())


@pytest.fixture
def old_state(new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually) -> Path:
    """The checkpoints of BEFORE over two rows."""
    env = new_env()
    statement = start(env, tmp_path, log_table, COLUMNS, BEFORE)
    assert "starts over" in env.explain_upgrade(statement)
    append_lines(tmp_path / "t", "0", [[1, "a", 10, 1], [2, "b", 5, 1]])
    env.execute_sql(statement)
    eventually(lambda: lines(tmp_path) == ["INSERT,1,a,10,1", "INSERT,2,b,5,1"])
    env.close()
    return tmp_path


@pytest.mark.parametrize("change", COMPATIBLE)
def test_state_is_used_after_a_compatible_change(
    change: str, old_state: Path, new_env: NewEnv, log_table: LogTable, eventually: Eventually
) -> None:
    env = new_env()
    statement = start(env, old_state, log_table, *COMPATIBLE[change])
    text = env.explain_upgrade(statement)
    assert re.match(r"The job 'upgrade' resumes after epoch \d+:", text), text
    assert "== State ==\nThe job 'upgrade' resumes" in env.explain_sql(statement)
    append_lines(old_state / "t", "0", [[1, "a", 1, 1]])
    env.execute_sql(statement)
    after = {"an expression above": "22,2", "an aggregate less": "2,0", "another order": "2,11"}.get(change, "11,2")
    eventually(lambda: f"UPDATE_AFTER,1,a,{after}" in lines(old_state))
    env.close()
    env = new_env()
    append_lines(old_state / "t", "0", [[2, "b", 1, 1]])
    env.execute_sql(start(env, old_state, log_table, *COMPATIBLE[change]))
    after = {"an expression above": "12,2", "an aggregate less": "2,0", "another order": "2,6"}.get(change, "6,2")
    eventually(lambda: f"UPDATE_AFTER,2,b,{after}" in lines(old_state))


@pytest.mark.parametrize("change", REFUSED)
def test_other_changes_are_refused_unless_state_may_be_lost(
    change: str, old_state: Path, new_env: NewEnv, log_table: LogTable, eventually: Eventually
) -> None:
    env = new_env()
    statement = start(env, old_state, log_table, *REFUSED[change])
    text = env.explain_upgrade(statement)
    assert text.startswith("The job 'upgrade' is refused"), text
    with pytest.raises(TableException, match=r"cannot resume after epoch \d+: the statement has changed, and state would be lost") as error:
        env.execute_sql(statement).wait()
    assert "+ GroupAggregate(" in str(error.value)
    assert "- GroupAggregate(" in str(error.value)
    env.get_config().set("execution.state-recovery.ignore-unclaimed-state", "true")
    append_lines(old_state / "t", "0", [[7, "z", 3, 1]])
    env.execute_sql(statement)
    eventually(lambda: any(line.startswith("INSERT,7,") for line in lines(old_state)))


NARROWED = "SELECT k, s, SUM(CAST(v AS TINYINT)) AS total, COUNT(*) AS n FROM t GROUP BY k, s"


@pytest.mark.parametrize(
    ("query", "is_refused"),
    [
        (NARROWED, True),
        (BEFORE.replace("GROUP BY k, s", "GROUP BY k, CAST(v > 5 AS STRING)").replace("s,", "CAST(v > 5 AS STRING) AS s,"), True),
        (BEFORE, False),
    ],
    ids=["a cast in an argument", "a cast in a key", "no cast"],
)
def test_state_of_casts_is_refused_where_casts_compute_other_values(
    query: str, is_refused: bool, new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    append_lines(tmp_path / "t", "0", [[1, "a", 10, 1]])
    env = new_env()
    env.execute_sql(start(env, tmp_path, log_table, COLUMNS, query))
    eventually(lambda: len(lines(tmp_path)) == 1)
    env.close()
    for casts in ("DISABLED", "ENABLED"):
        env = new_env()
        env.get_config().set("table.exec.legacy-cast-behaviour", casts)
        text = env.explain_upgrade(start(env, tmp_path, log_table, COLUMNS, query))
        assert text.startswith("The job 'upgrade' is refused") is (is_refused and casts == "ENABLED"), text
        env.close()


@pytest.mark.parametrize(
    "queries",
    [
        ("SELECT k, COUNT(*) AS n FROM t WHERE v > 0 GROUP BY k", "SELECT k, COUNT(*) AS n FROM t WHERE v <= 0 GROUP BY k"),
        ("SELECT k, COUNT(*) AS n FROM t WHERE v > 0 GROUP BY k", "SELECT k, SUM(v) AS n FROM t WHERE v <= 0 GROUP BY k"),
    ],
    ids=["equal signatures", "other signatures"],
)
def test_the_order_of_the_statements_of_a_set_does_not_matter(
    queries: tuple[str, str], new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    # In the third run the state is that of the second: files of both operators by their new names.
    counts = "COUNT" in queries[1]
    append_lines(tmp_path / "t", "0", [[1, 1]] * 3 + [[1, 0]] * 50 + [[2, 1]] * 4 + [[2, 0]] * 60)
    expected = {"p": {1: 3, 2: 4}, "m": {1: 50, 2: 60} if counts else {1: 0, 2: 0}}

    def last(name: str) -> dict[int, int]:
        rows = [line.split(",") for path in sorted((tmp_path / name).glob("part-*"), key=_epoch) for line in path.read_text().splitlines()]
        return {int(row[1]): int(row[2]) for row in rows if row[0] in ("INSERT", "UPDATE_AFTER")}

    for order in ("pm", "mp", "mp"):
        env = new_env()
        log_table(env, "t", "k INT, v INT")
        env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "both")
        statements = env.create_statement_set()
        for name in order:
            with_ = f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path / name}', 'format' = 'csv')"
            env.execute_sql(f"CREATE TABLE {name} (op STRING, k INT, n BIGINT) {with_}")
            env.execute_sql(f"CREATE VIEW q{name} AS {queries['pm'.index(name)]}")
            statements.add_insert_sql(f"INSERT INTO {name} SELECT * FROM TO_CHANGELOG(TABLE q{name})")
        statements.execute()
        eventually(lambda: {name: last(name) for name in "pm"} == expected)
        env.close()
        key = 1 if order == "pm" else 2
        append_lines(tmp_path / "t", "0", [[key, 1], [key, 0]])
        expected["p"][key] += 1
        expected["m"][key] += 1 if counts else 0


def test_watermarks_follow_their_sources_if_the_statements_of_a_set_are_swapped(
    new_env: NewEnv, log_table: LogTable, tmp_path: Path, eventually: Eventually
) -> None:
    # The filter would continue with the watermark of the other one, and the windows of b would wait for it.
    first = {"a": 5_000_000, "b": 10_000}
    later = dict(first)
    for order in ("ab", "ba", "ba"):
        env = new_env()
        env.get_config().set("execution.checkpointing.dir", str(tmp_path / "checkpoints")).set("pipeline.name", "both")
        statements = env.create_statement_set()
        for name in order:
            log_table(env, name, "t BIGINT, ts AS TO_TIMESTAMP_LTZ(t, 3), WATERMARK FOR ts AS ts")
            with_ = f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'out' / name}', 'format' = 'csv')"
            env.execute_sql(f"CREATE TABLE o{name} (t BIGINT) {with_}")
            window = f"SELECT MIN(t) FROM TABLE(TUMBLE((SELECT * FROM {name} WHERE t % 7 <> 9), DESCRIPTOR(ts), INTERVAL '0.001' SECOND)) GROUP BY window_start, window_end"
            statements.add_insert_sql(f"INSERT INTO o{name} {window}")
        for name in "ab":
            append_lines(tmp_path / name, "0", [[later[name]], [later[name] + 1000]])
            later[name] += 2000
        statements.execute()

        def windows(name: str) -> list[int]:
            return sorted(int(line) for path in (tmp_path / "out" / name).glob("part-*") for line in path.read_text().splitlines())

        eventually(lambda: all(windows(name) == [*range(first[name], later[name], 1000)] for name in "ab"))
        env.close()


def _epoch(path: Path) -> int:
    return int(path.stem.split("-")[-3])


def test_other_conditions_on_a_source_that_was_read_in_part_are_refused() -> None:
    def layout(rows: str) -> JobLayout:
        return JobLayout(["t#0"], [], [], [], {}, {}, {"t#0": Scan(rows, "a")})

    def manifest(**position: object) -> Manifest:
        return Manifest("job", 3, "run", 0, 0, {"t#0": position}, {}, {}, {}, 0, {"t#0": Scan("filters=[a < 2]", "a, b")})

    part = manifest(offset=1, end=2, rows=70)
    assert checked_upgrade(part, layout("filters=[a < 2]"), ignores_unclaimed=False).is_possible
    with pytest.raises(TableException, match="the conditions on a source have changed") as raised:
        checked_upgrade(part, layout(""), ignores_unclaimed=True)
    assert "! t: 70 rows of a part of it were read that is not complete, with filters=[a < 2]; with all rows these" in str(raised.value)
    for position in (manifest(offset=2), manifest(rows=70, ended=True)):
        assert checked_upgrade(position, layout(""), ignores_unclaimed=False).is_possible
