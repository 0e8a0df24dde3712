"""Generates the pages of ``docs/reference`` from the code.

    python docs/generate.py            write them
    python docs/generate.py --check    say which are out of date, and fail if one is

``differences.md`` collects the comments that begin with ``Differs from Flink:`` and the deviations that the conformance tests declare.
``options.md`` lists the options of a session, and Flink's keys that have no effect here or are refused.
``limits.md`` says how deep, long and large statements, plans and values may be.
``functions.md`` lists the built-in functions with arguments and engines, ``types.md`` the types, ``statements.md`` the statements.
``pyflink.md`` lists what PyFlink has and this project refuses, with what takes its place.
``kafka-options.md`` lists the options of the connectors ``kafka`` and ``upsert-kafka``.
``streaming-aggregates.md`` says what the aggregates of streaming mode keep for each group.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from table_common.functions import FunctionDefinition
    from table_runtime.streaming.aggregates.function import FunctionState

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
MARKER = "Differs from Flink: "
TOPICS = {
    "table_api/plan/changelog/": "Streaming",
    "table_runtime/streaming/": "Streaming",
    "table_runtime/planner/streaming/": "Streaming",
    "table_api/execution/": "Statements and queries",
    "table_api/operations/": "Statements and queries",
    "table_api/plan/": "Statements and queries",
    "table_api/resolution/": "Statements and queries",
    "table_api/sql/": "Statements and queries",
    "table_api/": "The Table API, catalogs and modules",
    "table_api_bridge/": "The Table API, catalogs and modules",
    "table_common/configuration/": "The Table API, catalogs and modules",
    "table_common/module/": "The Table API, catalogs and modules",
    "table_common/": "Types, values and functions",
    "table_planner_spark/": "Types, values and functions",
    "connector_": "Connectors and formats",
    "table_runtime/connectors/": "Connectors and formats",
    "table_runtime/files/": "Connectors and formats",
    "table_runtime/formats/": "Connectors and formats",
    "table_runtime/": "Types, values and functions",
    "sql_client/": "The SQL client",
    "table_testing/": "Connectors and formats",
}
"""What the notes of a folder are about; the first folder that fits counts."""
NOTE = "<!-- Made by docs/generate.py: change the code it is made of, not this page. -->"


def differences() -> str:
    """Returns the page on deliberate differences from Flink."""
    lines = [
        "# Differences from Flink",
        "",
        NOTE,
        "",
        "Results are those of Flink 2.3 except for these differences, which are deliberate and better for the user.",
        "",
        "## Results of conformance cases",
        "",
        "Cases of the public corpus whose results are others here.",
        "",
    ]
    declared = tomllib.loads((ROOT / "tests" / "conformance" / "deviations.toml").read_text(encoding="utf-8"))
    for group in declared["group"]:
        lines.append(f"- {group['reason']} ({len(group['cases'])}: {', '.join(f'`{case}`' for case in group['cases'])})")
    notes: dict[str, list[str]] = {topic: [] for topic in TOPICS.values()}
    for source in sorted((ROOT / "packages").glob("*/src")):
        for file in sorted(source.rglob("*.py")):
            path = file.relative_to(source).as_posix()
            topic = next(topic for folder, topic in TOPICS.items() if path.startswith(folder))
            notes[topic] += [f"- {note} (`{path}`)" for note in _notes(file)]
    for topic, found in notes.items():
        lines += ["", f"## {topic}", "", *found]
    lines.append("")
    lines += ["## What DuckDB does otherwise", ""]
    lines += ["`proofs/differential.py` compares random queries with DuckDB. Where the same words mean something else there, it"]
    lines += ["writes for DuckDB what Flink means, or leaves the query out:", "", *_bullets(ROOT / "proofs" / "differential.py")]
    return "\n".join(lines).rstrip("\n") + "\n"


def _bullets(file: Path) -> list[str]:
    """Returns the list in a module's docstring."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return [line for line in text.splitlines() if line.startswith(("- ", "  "))]


def _notes(file: Path) -> Iterator[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        before, found, text = line.partition(MARKER)
        if not found or before.strip() not in ("", "#", '"""'):
            continue
        parts = [text]
        for following in lines[number + 1 :]:
            is_comment = following.strip().startswith("#")
            stripped = following.strip().lstrip("#").strip()
            if not stripped or MARKER in following or is_comment != (before.strip() == "#") or stripped.startswith('"""'):
                break
            parts.append(stripped)
        note = " ".join(parts).removesuffix('"""').strip()
        is_name = "_" in note.split()[0]
        yield note if is_name else note[:1].upper() + note[1:]


def functions() -> str:
    """Returns the page of the built-in functions."""
    from table_common.functions.builtin import FAMILIES

    lines = [
        "# Built-in functions",
        "",
        NOTE,
        "",
        "Names and argument types as messages write them. An engine that lacks a function says why.",
        "",
        "Functions run over whole columns, in Arrow's kernels or in Spark's own code, but for those marked here. `in Python`: Python computes",
        "the function once for each distinct combination of arguments (arrays, maps and rows: for each row). `partly in Python`: so does",
        "Python for what Arrow has no kernel for, such as patterns that are no constants, or text beyond ASCII. `in workers`: Spark's Python",
        "workers run the embedded engine's kernel, always or for such arguments.",
        "",
    ]
    for family in FAMILIES:
        title = (family.__doc__ or "").partition("\n")[0].partition(":")[0].partition(";")[0].partition(". ")[0].rstrip(".")
        lines += [f"## {title}", "", "| function | arguments | embedded | Spark |", "|---|---|---|---|"]
        lines += [row for name in sorted(vars(family)) for row in _row(vars(family)[name])]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def streaming_aggregates() -> str:
    """Returns the page on the state of aggregate functions over changelogs."""
    from table_runtime.aggregates.registry import ACCUMULATORS

    lines = [
        "# Aggregates over changelogs",
        "",
        NOTE,
        "",
        "The state of each group on the embedded engine in streaming mode, and the time per row. Insert-only input has no retractions. Over",
        "updates, each UPDATE_BEFORE and each DELETE is a retraction. Flink 2.3 supports retractions for the same functions (it has no",
        "APPROX_COUNT_DISTINCT in streaming mode); functions that depend on order remove the first equal value, as here.",
        "",
        "| function | state over insertions | state over updates | time per row |",
        "|---|---|---|---|",
    ]
    for definition in sorted(ACCUMULATORS, key=str):
        insertions, updates = (_state(definition, has_retractions=flag) for flag in (False, True))
        times = " / ".join(dict.fromkeys(state.cost for state in (insertions, updates)))
        kept = ["the count of each value"] * 2 if definition.aggregate_traits.drops_duplicates(False) else [insertions.keeps, updates.keeps]
        lines.append(f"| `{definition}` | {' | '.join(kept)} | {times} |")
    lines += [
        "| with DISTINCT | the count of each value, and the function's state over distinct values | the same | constant, plus that of the function |",
        "| with ORDER BY | the rows | the rows | all rows of the group |",
        "| user function | the accumulator | the accumulator; refused without `retract` | that of the user's methods |",
        "| vectorized user function | the rows | the rows | all rows of the group |",
        "| table aggregate | the accumulator | the accumulator; refused without `retract` | all rows that it emits |",
        "",
        "- The results of LISTAGG, ARRAY_AGG, COLLECT, JSON_ARRAYAGG, JSON_OBJECTAGG and of bitmap aggregates are as large as their group.",
        "  If each change is emitted, n rows of a group emit n² / 2 values; with `table.exec.mini-batch.enabled`, each batch emits one result per group.",
        "- A retraction of a value that the group does not have is ignored, counted, and logged once per operator. Sums, counts, averages and",
        "  variances store no values: they cannot detect it and subtract it, as in Flink.",
        "- A sum of integers that overflows its type is an error that names the column and the group, in streaming mode also if later rows would bring",
        "  it back into range, because each result is emitted. In Flink it wraps around. A sum of decimals with more than 38 digits is NULL until it is in range again.",
        "- Sums and averages of FLOAT and DOUBLE add and subtract values in the order of the rows, so rounding errors remain: a small value that was added to",
        "  a very large one is lost, also after the large one is retracted, as in Flink. Retracted NaN and infinities have no effect any more. Variances over",
        "  insertions equal Flink's exactly; over updates they are computed from exact sums, so that retracted values leave",
        "  no rounding errors.",
        "",
    ]
    return "\n".join(lines)


def _state(definition: FunctionDefinition, *, has_retractions: bool) -> FunctionState:
    from table_common.types import DoubleType, VarCharType
    from table_runtime.aggregates import AggregateSpec
    from table_runtime.aggregates.registry import make_accumulator
    from table_runtime.streaming.aggregates.registry import create_function_state

    columns = 1 if definition.aggregate_traits.has_parameters else max(1, definition.get_type_inference().input.argument_count.minimum)
    types = (VarCharType(), DoubleType()) if "OBJECTAGG" in str(definition) else (DoubleType(),) * columns
    accumulator = make_accumulator(definition, AggregateSpec(str(definition), types, DoubleType()))
    return create_function_state(accumulator, [AggregateSpec("", (), type_).arrow_type for type_ in types], has_retractions=has_retractions)


def _row(definition: object) -> Iterator[str]:
    from table_common.functions.definition import BuiltInFunctionDefinition

    if not isinstance(definition, BuiltInFunctionDefinition):
        return
    signatures = " or ".join(f"`({text})`" for text in definition.get_type_inference().input.signatures())
    name = _shown(definition) if definition.is_operator else definition.name
    names = ", ".join(f"`{alias}`" for alias in (name, *definition.aliases))
    engines = " | ".join(_support(definition))
    escaped = [cell.replace("|", "\\|") for cell in (names, signatures)]
    yield f"| {' | '.join(escaped)} | {engines} |"


def _shown(definition: object) -> str:
    from table_common.functions.definition import BuiltInFunctionDefinition

    assert isinstance(definition, BuiltInFunctionDefinition)
    count = definition.get_type_inference().input.argument_count
    if definition.name == "CASE":
        return "CASE"
    return definition.render_sql(list("abcdefgh"[: max(count.minimum, 1 if count.maximum is not None else 2)]))


def _support(definition: object) -> Iterator[str]:
    from table_planner_spark.expressions.functions import AGGREGATE_FUNCTIONS, SCALAR_FUNCTIONS
    from table_planner_spark.expressions.functions import unsupported as spark_unsupported
    from table_planner_spark.lowering import window as spark_windows
    from table_runtime.aggregates import registry
    from table_runtime.kernels import KERNELS
    from table_runtime.kernels import unsupported as kernels_unsupported
    from table_runtime.planner.lowering import window as embedded_windows

    embedded = (KERNELS, registry.ACCUMULATORS, *_tables(embedded_windows))
    spark = (SCALAR_FUNCTIONS, AGGREGATE_FUNCTIONS, *_tables(spark_windows))
    reasons = {**registry.UNSUPPORTED, **kernels_unsupported.UNSUPPORTED}
    for tables, missing in ((embedded, reasons), (spark, spark_unsupported.UNSUPPORTED)):
        if str(definition) in _PLANNED:
            yield "yes"
        elif any(definition in table for table in tables):
            how = next(table[definition] for table in tables if definition in table)  # type: ignore[index]
            yield _in_python(how)
        else:
            yield missing.get(definition, "not in this version")  # type: ignore[call-overload]


_BY_VALUE = frozenset({"apply_rows", "map_distinct", "rows_function", "to_pylist"})
_BY_WORKER = frozenset({"aggregate_in_worker", "evaluate_in_worker", "through_kernel"})


def _in_python(how: object) -> str:
    """Returns what the code of a kernel or of a translation tells: which of the functions above it calls."""
    function = getattr(how, "function", how)
    if getattr(function, "__qualname__", "").startswith("rows_function."):
        return "in Python"
    names = set(_names(function, 3)) | {getattr(function, "__name__", "")}
    if names & _BY_WORKER:
        return "yes, in workers"
    return "partly in Python" if names & _BY_VALUE else "yes"


def _names(function: object, depth: int) -> Iterator[str]:
    """Returns the names that a function's code refers to, its inner functions and those that it was made of included."""
    code = getattr(function, "__code__", None)
    codes = [code] if code is not None else []
    while codes:
        code = codes.pop()
        yield from code.co_names
        codes += [inner for inner in code.co_consts if hasattr(inner, "co_names")]
    for cell in getattr(function, "__closure__", None) or ():
        inner = getattr(cell.cell_contents, "function", cell.cell_contents)
        if depth and callable(inner):
            if inner.__class__.__name__ == "function":
                yield inner.__name__
            yield from _names(inner, depth - 1)


# What a rewrite replaces before an engine sees it.
_PLANNED = frozenset(
    {
        "CURRENT_DATABASE",
        "FIRST",
        "GROUPING",
        "GROUPING_ID",
        "GROUP_ID",
        "LAST",
        "MATCH_PROCTIME",
        "MATCH_ROWTIME",
        *(f"{window}{part}" for window in ("TUMBLE", "HOP", "SESSION") for part in ("", "_START", "_END", "_ROWTIME")),
    }
)


def _tables(module: object) -> list[dict[object, object]]:
    """Returns the tables of window functions that a module holds."""
    from table_common.functions import FunctionDefinition

    return [v for v in vars(module).values() if isinstance(v, dict) and v and all(isinstance(key, FunctionDefinition) for key in v)]


def options() -> str:
    """Returns the page of the options of a session."""
    from table_common.configuration import HONORED_PREFIXES, KEYS_WITHOUT_EFFECT, PREFIXES_WITHOUT_EFFECT, REFUSED_VALUES, SESSION_OPTIONS
    from table_common.configuration.config_option import to_text

    lines = ["# Options of a session", "", NOTE, ""]
    lines += [
        "A key that is not listed is accepted with a warning that names the closest one that is.",
        "",
        "## Options that are honored",
        "",
    ]
    lines += ["| key | takes | default | |", "|---|---|---|---|"]
    for key, option in sorted(SESSION_OPTIONS.items()):
        if key == option.key and key not in KEYS_WITHOUT_EFFECT:
            others = "".join(f" Also as `{other}`." for other in option.all_keys[1:])
            default = "" if option.default is None else f"`{to_text(option.default)}`" if to_text(option.default) else "empty"
            lines.append(f"| `{key}` | {option.type_name} | {default} | {option.description}{others} |")
    lines += [f"| `{prefix}*` | text | | {said[:1].upper() + said[1:]}. |" for prefix, said in HONORED_PREFIXES.items()]
    lines += [
        "",
        "## Options of Flink without effect",
        "",
        "They are accepted; a warning gives the reason, once each.",
        "",
        "| key | reason |",
    ]
    lines += ["|---|---|", *(f"| `{key}` | {reason} |" for key, reason in sorted(KEYS_WITHOUT_EFFECT.items()))]
    lines += [f"| `{prefix}*` | {reason} |" for prefix, reason in PREFIXES_WITHOUT_EFFECT.items()]
    lines += ["", "## Options of Flink of which only some values are accepted", "", "| key | accepted | reason |", "|---|---|---|"]
    lines += [f"| `{key}` | {', '.join(f'`{value}`' for value in accepted)} | {why} |" for key, (accepted, why) in REFUSED_VALUES.items()]
    return "\n".join(lines) + "\n"


def limits() -> str:
    """Returns the page of limits."""
    from table_api.operations.query.match_recognize import MAX_PATTERN_ROWS
    from table_api.operations.windows import MAX_WINDOWS
    from table_api.resolution.grouping_sets import MAX_KEYS, MAX_SETS
    from table_api.resolution.select_items import MAX_STAR_COLUMNS
    from table_api.sql.grammar.lexer import MAX_TOKENS, MAX_WORDS
    from table_common.exceptions import MAX_HINT, MAX_MESSAGE
    from table_common.functions import MAX_BATCH_SIZE, MAX_VALUE_SIZE
    from table_common.tree import MAX_DEPTH, MAX_PLAN_DEPTH, MAX_TYPE_DEPTH, MAX_TYPE_PARTS
    from table_planner_spark.expressions.nesting import MAX_NESTING

    rows = [
        ("Nesting depth of statements, of views, and of JSON", f"{MAX_DEPTH:,}"),
        ("Nesting depth of types", f"{MAX_TYPE_DEPTH:,}"),
        ("Number of types in one type", f"{MAX_TYPE_PARTS:,}"),
        (
            "Depth of a plan in operations (each join and CTE of a chain counts; a chain of UNION, INTERSECT or EXCEPT counts as one)",
            f"{MAX_PLAN_DEPTH:,}",
        ),
        (
            (
                "Nested parentheses in the Spark SQL of one expression; "
                "each operator of a long chain adds one or two, a lambda counts as 8, a chain of `||` is one call"
            ),
            f"{MAX_NESTING:,}",
        ),
        ("Tokens of a statement", f"{MAX_TOKENS:,}"),
        ("Tokens of a statement other than literals and commas", f"{MAX_WORDS:,}"),
        ("Sets of GROUPING SETS, ROLLUP and CUBE", f"{MAX_SETS:,}"),
        ("Columns in these sets", f"{MAX_KEYS:,}"),
        ("Columns of a SELECT list with `*`", f"{MAX_STAR_COLUMNS:,}"),
        ("HOP or CUMULATE windows per row", f"{MAX_WINDOWS:,}"),
        ("Rows that the quantifiers of a pattern of MATCH_RECOGNIZE count, in total", f"{MAX_PATTERN_ROWS:,}"),
        (
            "Size of one result of REPEAT, LPAD, RPAD, PRINTF, REPLACE, REGEXP_REPLACE, `||`, CONCAT, CONCAT_WS, OVERLAY, TRANSLATE, HEX, TO_BASE64, ENCODE, URL_ENCODE, ARRAY_CONCAT, LISTAGG or CAST to CHAR or BINARY; on the embedded engine, of any function or aggregate",
            f"{MAX_VALUE_SIZE >> 20:,} MiB",
        ),
        (
            "Total size of the values that functions compute from one batch for a join key or condition, on the embedded engine; at most a quarter of `table.exec.memory`",
            f"{MAX_BATCH_SIZE >> 20:,} MiB",
        ),
        ("Length of an error message and of its hint; longer texts are cut", f"{MAX_MESSAGE:,} and {MAX_HINT:,} characters"),
    ]
    lines = ["# Limits", "", NOTE, "", "Exceeding a limit is an error that names the limit.", "", "| what | limit |", "|---|---|"]
    lines += [f"| {what} | {most} |" for what, most in rows]
    lines += ["", "The memory of a job is limited by `table.exec.memory`, its time by `table.exec.timeout` ([options](options.md))."]
    return "\n".join(lines) + "\n"


def types() -> str:
    """Returns the page of types."""
    from table_api_bridge import spark_type_sql, to_spark_type
    from table_common.arrow import to_arrow_type
    from table_common.types import parse_logical_type

    lines = ["# Types", "", NOTE, "", "| type | Arrow | Spark |", "|---|---|---|"]
    pairs = [(text, parse_logical_type(text)) for text in _TYPES.replace("\n", ";").split(";")]
    lines += [f"| `{text}` | `{to_arrow_type(one)}` | `{spark_type_sql(to_spark_type(one))}` |" for text, one in pairs]
    return "\n".join(lines) + "\n"


_TYPES = """BOOLEAN;TINYINT;SMALLINT;INT;BIGINT;FLOAT;DOUBLE;DECIMAL(10, 2);CHAR(3);VARCHAR(20);STRING;BINARY(3);BYTES;DATE;TIME(0)
TIMESTAMP(3);TIMESTAMP(6);TIMESTAMP(9);TIMESTAMP_LTZ(3);ARRAY<INT>;MAP<STRING, INT>;ROW<a INT, b STRING>"""


def statements() -> str:
    """Returns the page of statements and extensions of the grammar."""
    from table_api.sql import parser
    from table_api.sql.grammar.statements import _STATEMENTS

    said, _, extensions = str(parser.__doc__).partition("Extensions:\n")
    words = ", ".join(f"`{word}`" for word in sorted({*_STATEMENTS, "SELECT", "VALUES", "WITH"}))
    lines = ["# Statements", "", NOTE, "", said.partition("\n\n")[2].strip(), "", f"A statement begins with one of {words}."]
    return (
        "\n".join([*lines, "", "## Extensions", "", "```text", *(line[4:] for line in extensions.strip("\n").splitlines()), "```"]) + "\n"
    )


def pyflink() -> str:
    """Returns the page on names of PyFlink that are refused."""
    from table_api.migrate.module_names import REFUSED_MODULES, REFUSED_NAMES
    from table_api.migrate.refused_calls import REFUSED_METHODS, STREAM_METHODS

    tables = (
        ("Methods", "method", "what takes its place", REFUSED_METHODS),
        ("Methods of a `DataStream`", "method", "what takes its place, of a table", STREAM_METHODS),
        ("Names of `pyflink.common`", "name", "what takes its place", REFUSED_NAMES),
        ("Modules", "module", "why", REFUSED_MODULES),
    )
    lines = [
        "# What is refused of PyFlink",
        "",
        NOTE,
        "",
        "`python -m table_api.migrate` lists these, and calls raise an error with the replacement.",
    ]
    for title, first, second, rows in tables:
        lines += ["", f"## {title}", "", f"| {first} | {second} |", "|---|---|"]
        lines += [f"| `{name}` | {text} |" for name, text in sorted(rows.items())]
    return "\n".join(lines) + "\n"


def kafka_options() -> str:
    """Returns the page of the options of the connectors of Kafka."""
    from connector_kafka import options as of_kafka
    from table_common.configuration.config_option import to_text

    lines = ["# Options of `kafka` and `upsert-kafka`", "", NOTE, "", "[Kafka](../guide/kafka.md) explains them."]
    tables = {
        "kafka": (of_kafka.REQUIRED_OF_KAFKA, of_kafka.OF_KAFKA),
        "upsert-kafka": (of_kafka.REQUIRED_OF_UPSERT_KAFKA, of_kafka.OF_UPSERT_KAFKA),
    }
    for connector, (required, optional) in tables.items():
        lines += ["", f"## `{connector}`", "", "| option | takes | default | |", "|---|---|---|---|"]
        for option in (*required, *optional):
            default = "required" if option in required else f"`{to_text(option.default)}`" if option.default not in (None, "") else ""
            lines.append(f"| `{option.key}` | {option.type_name} | {default} | {option.description} |")
    lines += [
        "",
        "`properties.*` are properties of the client. Options of a format have its name as a prefix: `json.…`, `key.json.…`, `value.json.…`.",
    ]
    return "\n".join(lines) + "\n"


def postgres_cdc_options() -> str:
    """Returns the page of the options of the connector of PostgreSQL's changes."""
    from connector_postgres_cdc import options as of_changes
    from table_common.configuration.config_option import to_text

    lines = ["# Options of `postgres-cdc`", "", NOTE, "", "[Changes of PostgreSQL](../guide/postgresql-cdc.md) explains them.", ""]
    lines += ["| option | takes | default | |", "|---|---|---|---|"]
    for option in (*of_changes.REQUIRED, *of_changes.OPTIONAL):
        default = (
            "required" if option in of_changes.REQUIRED else f"`{to_text(option.default)}`" if option.default not in (None, "") else ""
        )
        lines.append(f"| `{option.key}` | {option.type_name} | {default} | {option.description} |")
    return "\n".join(lines) + "\n"


PAGES = {
    "differences.md": differences,
    "functions.md": functions,
    "kafka-options.md": kafka_options,
    "limits.md": limits,
    "options.md": options,
    "postgres-cdc-options.md": postgres_cdc_options,
    "pyflink.md": pyflink,
    "statements.md": statements,
    "streaming-aggregates.md": streaming_aggregates,
    "types.md": types,
}


def main() -> int:
    """Writes the pages, or returns 1 if ``--check`` finds one out of date."""
    stale, checks = [], "--check" in sys.argv
    for name, make in PAGES.items():
        file, text = REFERENCE / name, make()
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not checks:
            file.write_text(text, encoding="utf-8")
    if stale:
        print(("out of date: " if checks else "written: ") + ", ".join(stale))
    return 1 if stale and checks else 0


if __name__ == "__main__":
    sys.exit(main())
