"""The places where statements and commands name paths, modules and hosts, for ``restricted.py``."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from restricted_texts import HTTP, JDBC, KAFKA, MODULES

__all__ = ["PLACES", "Place", "Try", "World", "tries"]


@dataclass(frozen=True)
class World:
    """The folders of a try: ``allowed`` may be used, ``out`` must not; ``port`` is a socket that nobody may connect to."""

    root: Path
    allowed: Path
    out: Path
    port: int


@dataclass(frozen=True)
class Try:
    """Statements and commands of the client, separated by ``;;``, in one session; ``control`` says that an open session must be detected."""

    place: str
    escape: str
    text: str
    mode: str
    is_client: bool


@dataclass(frozen=True)
class Place:
    """A place: its statements, with ``@`` for what leads out, the target below ``out``, and the kind of escapes that fit."""

    name: str
    text: str
    target: str
    kind: str = "path"
    mode: str = "batch"
    is_client: bool = False
    is_slow: bool = False
    """Whether a try needs a job, so that Spark takes long."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing gets out here in a session without restrictions either: nothing has the option or statement, or a server is missing."""
        return self.name in CLOSED


CSV = "'connector' = 'filesystem', 'format' = 'csv', 'path' = '@'"
SINK = "CREATE TABLE s (a STRING) WITH ('connector' = 'blackhole');;"
ENDLESS = "CREATE TABLE g (a STRING) WITH ('connector' = 'datagen', 'rows-per-second' = '20', 'fields.a.length' = '3');;"
SPILL = "CREATE TEMPORARY TABLE m (a BIGINT, b STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '600000', 'fields.b.length' = '100'); SELECT * FROM (SELECT a, b FROM m ORDER BY b) LIMIT 2;"
INSIDE = "CREATE TABLE i (a STRING, k STRING) PARTITIONED BY (k) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '<in>/w'"
FORMATS = {"csv": "t.csv", "json": "t.json", "raw": "t.csv", "parquet": "t.parquet"}
PLACES: tuple[Place, ...] = (
    *(
        Place(
            f"read {name}",
            f"CREATE TABLE t (a STRING) WITH ({CSV.replace('csv', name)});;SELECT * FROM t",
            file,
            is_slow=True,
        )
        for name, file in FORMATS.items()
    ),
    Place("read folder", f"CREATE TABLE t (a STRING) WITH ({CSV});;SELECT * FROM t", "d", is_slow=True),
    Place("count", f"CREATE TABLE t (a STRING) WITH ({CSV});;SELECT * FROM t WHERE a LIKE 'C%' LIMIT 1", "t.csv", is_slow=True),
    Place("partitions", f"CREATE TABLE t (a STRING, k STRING) PARTITIONED BY (k) WITH ({CSV});;SELECT * FROM t", "p", is_slow=True),
    Place("show partitions", f"CREATE TABLE t (a STRING, k STRING) PARTITIONED BY (k) WITH ({CSV});;SHOW PARTITIONS t", "p"),
    Place("partition", f"CREATE TABLE t (a STRING, k STRING) PARTITIONED BY (k) WITH ({CSV});;SELECT a FROM t WHERE k = '1'", "p"),
    Place("describe file", "DESCRIBE '@'", "t.csv"),
    Place("infer", f"CREATE TABLE t WITH ({CSV});;SELECT * FROM t", "t.csv"),
    Place("infer parquet", f"CREATE TABLE t WITH ({CSV.replace('csv', 'parquet')});;SELECT * FROM t", "t.parquet"),
    Place(
        "hint", f"CREATE TABLE t (a STRING) WITH ({CSV.replace('@', '<in>/a.csv')});;SELECT * FROM t /*+ OPTIONS('path' = '@') */", "t.csv"
    ),
    Place("explain", f"CREATE TABLE t (a STRING) WITH ({CSV});;EXPLAIN ESTIMATED_COST SELECT * FROM t", "t.csv"),
    Place(
        "alter",
        f"CREATE TABLE t (a STRING) WITH ({CSV.replace('@', '<in>/a.csv')});;ALTER TABLE t SET ('path' = '@');;SELECT * FROM t",
        "t.csv",
    ),
    Place(
        "like",
        f"CREATE TABLE u (a STRING) WITH ({CSV.replace('@', '<in>/a.csv')});;CREATE TABLE t WITH ('path' = '@') LIKE u (OVERWRITING OPTIONS);;SELECT * FROM t",
        "t.csv",
    ),
    Place(
        "analyze", f"CREATE TABLE t (a STRING) WITH ({CSV});;ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS;;SELECT * FROM t", "t.csv"
    ),
    Place(
        "watch",
        f"CREATE TABLE t (a STRING) WITH ({CSV}, 'source.monitor-interval' = '50 ms');;SELECT * FROM t LIMIT 1",
        "d",
        mode="streaming",
    ),
    Place("stream", f"CREATE TABLE t (a STRING) WITH ({CSV});;SELECT * FROM t", "t.csv", mode="streaming"),
    Place("job-state", "CREATE TABLE t (a STRING) WITH ('connector' = 'job-state', 'path' = '@');;SELECT * FROM t", "job"),
    Place(
        "descriptors",
        "CREATE TABLE t (a STRING) WITH ('connector' = 'filesystem', 'path' = '<in>/a.csv', 'format' = 'protobuf', 'protobuf.message-class-name' = 'm', 'protobuf.descriptor-set-file' = '@');;SELECT * FROM t",
        "t.csv",
    ),
    Place(
        "registry",
        "CREATE TABLE t (a STRING) WITH ('connector' = 'filesystem', 'path' = '<in>/m.json', 'format' = 'avro-confluent', 'avro-confluent.url' = 'file://@', 'avro-confluent.subject' = 's');;SELECT * FROM t;;INSERT INTO t VALUES ('x')",
        "registry",
    ),
    Place("sqlite", "CREATE TABLE t (a STRING) WITH ('connector' = 'sqlite', 'path' = '@', 'table-name' = 't');;SELECT * FROM t", "t.db"),
    Place(
        "sqlite trace",
        "CREATE TABLE t (a STRING) WITH ('connector' = 'sqlite', 'path' = '<in>/a.db', 'table-name' = 't', 'connection.trace-file' = '@');;SELECT * FROM t",
        "trace.txt",
    ),
    Place("sqlite catalog", "CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '@');;SHOW TABLES IN c.`default`", "c.db"),
    Place("execute plan", f"{SINK}EXECUTE PLAN '@'", "plan.json"),
    Place("compile plan", f"{SINK}COMPILE PLAN '@' FOR INSERT INTO s VALUES ('x')", "new.json"),
    Place("compile and execute", f"{SINK}COMPILE AND EXECUTE PLAN '@' FOR INSERT INTO s VALUES ('x')", "new.json"),
    *(
        Place(
            f"write {name}", f"CREATE TABLE t (a STRING) WITH ({CSV.replace('csv', name)});;INSERT INTO t VALUES ('x')", "new", is_slow=True
        )
        for name in ("csv", "json", "parquet")
    ),
    Place(
        "write partition",
        f"CREATE TABLE t (a STRING, k STRING) PARTITIONED BY (k) WITH ({CSV});;INSERT INTO t VALUES ('x', '1')",
        "p",
        is_slow=True,
    ),
    Place("overwrite", f"CREATE TABLE t (a STRING) WITH ({CSV});;INSERT OVERWRITE t VALUES ('x')", "d", is_slow=True),
    Place("truncate", f"CREATE TABLE t (a STRING) WITH ({CSV});;TRUNCATE TABLE t", "d"),
    Place("as select", f"CREATE TABLE t WITH ({CSV}) AS SELECT 'x' AS a", "new", is_slow=True),
    Place(
        "write stream",
        f"{ENDLESS}CREATE TABLE t (a STRING) WITH ({CSV});;INSERT INTO t SELECT a FROM g",
        "new",
        mode="streaming",
        is_slow=True,
    ),
    *(
        Place(
            f"option {key}",
            f"{SINK}{ENDLESS}{extra}SET '{key}' = '@';;{job}",
            "ckpt" if "recovery" not in key and "savepoint.path" not in key else "job",
            mode="streaming",
        )
        for extra, job, keys in (
            ("", "INSERT INTO s SELECT a FROM g", ("execution.checkpointing.dir", "state.checkpoints.dir")),
            (
                "SET 'execution.checkpointing.dir' = '<in>/ckpt';;",
                "EXPLAIN INSERT INTO s SELECT a FROM g;;INSERT INTO s SELECT a FROM g",
                (
                    "execution.state-recovery.path",
                    "execution.savepoint.path",
                    "execution.checkpointing.savepoint-dir",
                    "state.savepoints.dir",
                ),
            ),
        )
        for key in keys
    ),
    *(
        Place(
            f"option {key}", f"SET '{key}' = '@';;SET 'table.exec.memory' = '230 mb';;" + SPILL.replace("; S", ";;S").rstrip(";"), "spill"
        )
        for key in ("table.exec.spill.dir", "io.tmp.dirs", "taskmanager.tmp.dirs")
    ),
    *(
        Place(f"option {key}", f"SET '{key}' = '@';;CREATE TEMPORARY FUNCTION f AS 'canary_file.F';;SELECT f(1)", "lib")
        for key in (
            "python.files",
            "python.archives",
            "python.requirements",
            "python.executable",
            "pipeline.cached-files",
            "spark.sql.warehouse.dir",
        )
    ),
    Place("catalog store", "SET 'table.catalog-store.file.path' = '@';;CREATE CATALOG c WITH ('type' = 'generic_in_memory')", "store"),
    Place(
        "default name",
        f"{INSIDE}, 'partition.default-name' = '@');;INSERT INTO i VALUES ('x', CAST(NULL AS STRING))",
        "new",
        "name",
        is_slow=True,
    ),
    Place(
        "success file",
        f"{INSIDE}, 'sink.partition-commit.policy.kind' = 'success-file', 'sink.partition-commit.success-file.name' = '@');;INSERT INTO i VALUES ('x', 'y')",
        "new",
        "name",
        is_slow=True,
    ),
    Place("partition value", f"{INSIDE});;INSERT INTO i VALUES ('x', '@')", "new", "name", is_slow=True),
    Place(
        "job name",
        f"{SINK}{ENDLESS}SET 'execution.checkpointing.dir' = '<in>/ckpt';;SET 'pipeline.name' = '@';;INSERT INTO s SELECT a FROM g",
        "new",
        "name",
        "streaming",
    ),
    Place("link of a partition", f"{INSIDE.replace('/w', '/linked')});;SELECT * FROM i@", "", "filter", is_slow=True),
    Place("write to a link", f"{INSIDE.replace('/w', '/linked')});;INSERT INTO i VALUES ('x', '1')@", "", "filter", is_slow=True),
    Place("overwrite a link", f"{INSIDE.replace('/w', '/linked')});;INSERT OVERWRITE i VALUES ('x', '1')@", "", "filter", is_slow=True),
    Place("truncate links", f"{INSIDE.replace('/w', '/linked')});;TRUNCATE TABLE i@", "", "filter"),
    Place("function", "CREATE TEMPORARY FUNCTION f AS '@';;SELECT f(1)", "F", "module"),
    Place("catalog function", "CREATE FUNCTION f AS '@';;SELECT f(1)", "F", "module"),
    Place("callable", "CREATE TABLE t (a STRING) WITH ('connector' = 'python', 'callable' = '@');;SELECT * FROM t", "rows", "module"),
    Place(
        "callable sink",
        "CREATE TABLE t (a STRING) WITH ('connector' = 'python', 'sink.callable' = '@');;INSERT INTO t VALUES ('x')",
        "sink",
        "module",
    ),
    Place("module", "LOAD MODULE @;;SELECT java_method('java.lang.System', 'lineSeparator')", "", "installed"),
    Place("catalog", "CREATE CATALOG c WITH ('type' = '@');;SHOW DATABASES", "", "installed"),
    Place(
        "connector",
        "CREATE TABLE t (a STRING) WITH ('connector' = '@', 'provider' = 'csv', 'path' = '<out>/t.csv');;SELECT * FROM t",
        "",
        "installed",
    ),
    Place(
        "jdbc",
        "CREATE TABLE t (a STRING) WITH ('connector' = 'jdbc', 'url' = '@', 'table-name' = 't', 'connection.max-retry-timeout' = '1 s');;SELECT * FROM t",
        "",
        "jdbc",
    ),
    Place(
        "jdbc catalog",
        "CREATE CATALOG c WITH ('type' = 'jdbc', 'base-url' = '@', 'default-database' = 'shop', 'username' = 'u');;SHOW TABLES IN c.`shop`",
        "",
        "jdbc",
    ),
    Place(
        "kafka",
        "CREATE TABLE t (a STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'csv', 'properties.default.api.timeout.ms' = '900', @);;SELECT * FROM t LIMIT 1",
        "",
        "kafka",
        "streaming",
    ),
    Place(
        "registry server",
        "CREATE TABLE t (a STRING) WITH ('connector' = 'filesystem', 'path' = '<in>/m.json', 'format' = 'avro-confluent', 'avro-confluent.url' = '@', 'avro-confluent.subject' = 's');;SELECT * FROM t;;INSERT INTO t VALUES ('x')",
        "",
        "http",
    ),
    Place("remote file", f"CREATE TABLE t (a STRING) WITH ({CSV});;SELECT * FROM t", "t.csv", "http"),
    Place(r"client \o", "\\o @;SELECT 'x' AS a;", "new.txt", is_client=True),
    Place(r"client \o csv", "\\o @;SELECT 'x' AS a;", "new.csv", is_client=True),
    Place(r"client \i", "\\i @;", "script.sql", is_client=True),
    Place(r"client \i quoted", "\\i '@';", "script.sql", is_client=True),
    Place(r"client \plot", "\\plot @ x y SELECT 1 AS x, 2 AS y;", "new.png", is_client=True),
    Place(r"client \e", "\\e SELECT 1@", "", "filter", is_client=True),
    Place("client COPY", "COPY (SELECT 1) TO '@';", "new.csv", is_client=True),
    Place("client SOURCE", "SOURCE '@';", "script.sql", is_client=True),
    Place(
        "client -i",
        "-i CREATE TABLE t (a STRING) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '@');;;SELECT * FROM t;",
        "t.csv",
        is_client=True,
    ),
    Place("client -i SET", "-i SET 'table.exec.spill.dir' = '@'; SET 'table.exec.memory' = '230 mb';;;" + SPILL, "spill", is_client=True),
)
CLOSED = frozenset(
    """show partitions/explain/registry/registry server/remote file/module/catalog/connector/catalog store/default name/success file
    partition value/job name/client COPY/client SOURCE/option io.tmp.dirs/option taskmanager.tmp.dirs/option python.archives
    option python.requirements/option python.executable/option pipeline.cached-files/option spark.sql.warehouse.dir""".replace(
        "\n    ", "/"
    ).split("/")
)
INSTALLED = ("hive", "spark", "canary")


def tries(world: World, generator: random.Random, count: int) -> Iterator[Try]:
    """Yields ``count`` tries: each place in turn, with a way of escaping that is drawn, and no text twice."""
    seen: set[str] = set()
    places = list(PLACES)
    for number in range(count * 20):
        if number % len(places) == 0:
            generator.shuffle(places)
        place = places[number % len(places)]
        name, value = _escape(place, world, generator)
        text = _fill(place.text.replace("@", value), world)
        if text not in seen:
            seen.add(text)
            yield Try(place.name, name, text, place.mode, place.is_client)
        if len(seen) == count:
            return


def plain(place: Place, world: World) -> Try:
    """Returns the try of a place that names what it wants plainly: in a session without restrictions it gets through."""
    out = "../../../out/new" if place.kind == "name" else f"{world.out}/{place.target}"
    first = {
        "module": f"canary_mod:{place.target}",
        "jdbc": JDBC[0][1],
        "kafka": KAFKA[0][1],
        "http": HTTP[0][1],
        "filter": "",
        "installed": "spark",
    }
    return Try(place.name, "plain", _fill(place.text.replace("@", first.get(place.kind, out)), world), place.mode, place.is_client)


def _fill(text: str, world: World) -> str:
    return text.replace("<in>", str(world.allowed)).replace("<out>", str(world.out)).replace("<port>", str(world.port))


def _escape(place: Place, world: World, generator: random.Random) -> tuple[str, str]:
    fixed: dict[str, tuple[tuple[str, str], ...]] = {"jdbc": JDBC, "kafka": KAFKA, "http": HTTP, "module": MODULES}
    if place.kind in fixed:
        name, text = generator.choice(fixed[place.kind])
        return name, text.format(place.target) if place.kind == "module" else text
    if place.kind == "installed":
        return "installed", generator.choice(INSTALLED)
    if place.kind == "filter":
        return "found", generator.choice(["", " ", "  ", "\n", " \n", "\t"])
    if place.kind == "name":
        up = "../" * generator.randint(1, 6)
        return "name", _encoded(f"{generator.choice(['', 'x/', './', 'k=1/'])}{up}out/{place.target}", generator)
    return _path(place.target, world, generator)


BASES: dict[str, Callable[[World, str], str]] = {
    "absolute": lambda world, target: f"{world.out}/{target}",
    "dots": lambda world, target: f"{world.allowed}/../out/{target}",
    "deep dots": lambda world, target: f"{world.allowed}/x/y/../../../out/{target}",
    "link": lambda world, target: f"{world.allowed}/link/{target}",
    "link of a link": lambda world, target: f"{world.allowed}/link2/{target}",
    "behind a link": lambda world, target: f"{world.allowed}/link/../out/{target}",
    "braces": lambda world, target: f"{world.allowed}/{{../out}}/{target}",
    "second brace": lambda world, target: f"{world.allowed}/{{x,../out}}/{target}",
    "nested braces": lambda world, target: f"{world.allowed}/{{y,{{x,../out}}}}/{target}",
    "half a brace": lambda world, target: f"{world.allowed}/{{.,x}}{{.,x}}/out/{target}",
    "star and dots": lambda world, target: f"{world.allowed}/*/../../out/{target}",
    "mark and dots": lambda world, target: f"{world.allowed}/?ub/../../out/{target}",
    "star over a link": lambda world, target: f"{world.allowed}/l*/{target}",
    "class over a link": lambda world, target: f"{world.allowed}/[l]ink/{target}",
    "star before": lambda world, target: f"{world.root}/*/{target}",
    "star as folder": lambda world, target: f"{world.allowed}/*/{target}",
    "star as file": lambda world, target: f"{world.allowed}/link/{target[:1]}*",
    "relative": lambda world, target: f"../out/{target}",
    "relative with dot": lambda world, target: f"./../out/{target}",
    "home": lambda world, target: f"~/{target}",
    "neighbor": lambda world, target: f"{world.allowed}2/{target}",
    "list": lambda world, target: f"{world.allowed}/a.csv,{world.out}/{target}",
    "variable": lambda world, target: f"${{env:CANARY_FOLDER}}/{target}",
}
SCHEMES = ("", "", "", "file:", "file://", "file://localhost", "FILE://", "local://", "file:////", "file:///./", "sqlite:///")
ENDS = ("", "", "", "/", "/.", "//", "?x=1", "#x")


def _path(target: str, world: World, generator: random.Random) -> tuple[str, str]:
    name = generator.choice(list(BASES))
    text = BASES[name](world, target)
    if generator.random() < 0.3:
        text = text.replace("/out/", generator.choice(["//out//", "/./out/", "/out/../out/"]), 1)
    encoded = _encoded(text, generator) if generator.random() < 0.5 else text
    if encoded != text:
        name += ", encoded"
    scheme, end = generator.choice(SCHEMES), generator.choice(ENDS)
    return f"{name}, {scheme or 'no scheme'}{f', {end}' if end else ''}", f"{scheme}{encoded}{end}"


def _encoded(text: str, generator: random.Random) -> str:
    """Returns the text with some dots, slashes and wildcards percent-encoded, once or more."""
    ways = [
        ("..", "%2e%2e"),
        ("..", "%2E."),
        ("..", ".%2e"),
        ("../", "..%2f"),
        ("../", "%2e%2e%2F"),
        ("..", "%252e%252e"),
        ("link", "l%69nk"),
        ("*", "%2a"),
    ]
    old, new = generator.choice([way for way in ways if way[0] in text] or [("out", "%6fut")])
    return text.replace(old, new)
