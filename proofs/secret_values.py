"""Searches for secrets in all output: `python proofs/secret_values.py [--engine arrow|spark] [--keys 60] [--seed N]`.

Option keys that name secrets, in many spellings, are put with unique values into fifteen places: invalid statements of several kinds, texts of
tables, views and catalogs, errors of connectors with all their causes, plans, `repr`, the client's output and history, files of catalogs. The
output is searched for the values. On Spark the command lines of all processes are searched too. Each key whose value appears in a place is a failure.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from sql_client.cli import main as client
from table_api import EnvironmentSettings, TableDescriptor, TableEnvironment
from table_common.configuration import ConfigurationWarning
from table_common.exceptions import TableError

KEYS = [
    "password",
    "PASSWORD",
    "my.password",
    "my-password",
    "db_password",
    "dbPassword",
    "sslpassword",
    "keystore.password",
    "ssl.key.password",
    "spark.ssl.keyStorePassword",
    "passwd",
    "pwd",
    "passphrase",
    "pass-phrase",
    "PassWord",
    "secret",
    "client.secret",
    "client-secret",
    "clientSecret",
    "secretAccessKey",
    "fs.s3a.secret.key",
    "secrets",
    "token",
    "access_token",
    "refreshToken",
    "scan.token",
    "sasToken",
    "sas-token",
    "fs.s3a.session.token",
    "auth-token",
    "key",
    "s3.access-key",
    "accessKeyId",
    "aws_access_key_id",
    "api.key",
    "api-key",
    "apiKey",
    "APIKey",
    "x-api-key",
    "private_key",
    "privateKey",
    "account.key",
    "fs.azure.account.key.name.dfs.core.windows.net",
    "encryption-key",
    "shared.access.key",
    "auth",
    "basic-auth",
    "proxy.auth",
    "authorization",
    "Authorization",
    "bearer",
    "bearer.token",
    "cookie",
    "set-cookie",
    "sas",
    "signature",
    "sig",
    "credential",
    "aws.credentials",
    "gcs_credential",
    "dsn",
    "sentry.dsn",
    "connection-string",
    "connectionString",
    "connection_string",
    "properties.sasl.jaas.config",
    "access",
]
"""Common names of secrets; the first sixty are tried by default."""
Place = Callable[[TableEnvironment, str, str, Path], str]


def _error(environment: TableEnvironment, statement: str) -> str:
    try:
        result = environment.execute_sql(statement)
        return "\n".join(str(row) for row in result.collect())
    except TableError as error:
        return "".join(traceback.format_exception(error)) + repr(error) + str(error.args)


def _wrong_separator(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    separators = ("\n= -- why\n", " : ", " => ", " ", " /* = */ ", " == ", "\u200b=", " -> ", "\uff1d")
    return "".join(_error(environment, f"CREATE TABLE x (a INT) WITH ('{key}'{sign}'{value}' oops") for sign in separators)


def _wrong_quotes(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    options = (
        f"'{key}' = \"{value}\"",
        f"\"{key}\" = '{value}'",
        f"'{key}' = {value}",
        f"`{key}` = '{value}'",
        f"U&'{key}' = U&'{value}'",
        f"'{key}' = 'it's {value}'",
        f"'{key}' = '{value}",
    )
    return "".join(_error(environment, f"CREATE TABLE x (a INT) WITH ({option}, 'k' = 'v') oops") for option in options)


def _several_parts(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    values = (f"'' || '{value}'", f"'a'\n'{value}' !", f"CONCAT('a', '{value}')", f"('{value}')", f"'a' /* '{value}' */ !")
    statements = [f"CREATE TABLE x (a INT) WITH ('{key}' = {text})" for text in values]
    statements.append(f"SELECT * FROM ML_PREDICT(TABLE d, MODEL m, DESCRIPTOR(a), MAP['{key}', '{value}'])")
    return "".join(_error(environment, statement) for statement in statements)


def _comments(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    texts = (f"/* '{key}'='{value}' */ SELECT FROM", f"SELECT FROM -- '{key}' = '{value}'", f"SELECT FROM /* '{key}'\n= '{value}', */")
    return "".join(_error(environment, text) for text in texts)


def _set(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    statements = (
        f"SET {key} = {value}",
        f"SET '{key}' '{value}'",
        f"SET '{key}' = {value}",
        f"SET '{key}={value}'",
        f"SET '{key}' = '{value}'",
        "SET",
    )
    return "".join(_error(environment, statement) for statement in statements) + repr(environment.get_config().get_configuration())


def _texts(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    table = f"CREATE TEMPORARY TABLE x (a INT) WITH ('connector' = 'datagen', '{key}' = '{value}', 'url' = 'https://u:{value}@h/')"
    view = f"CREATE TEMPORARY VIEW v AS SELECT * FROM d /*+ OPTIONS('{key}' = '{value}') */"
    catalog = f"CREATE CATALOG other WITH ('type' = 'generic_in_memory', '{key}' = '{value}')"
    shown = (
        "SHOW CREATE TABLE x",
        "SHOW CREATE VIEW v",
        "DESCRIBE EXTENDED x",
        "DESCRIBE CATALOG EXTENDED other",
        "SHOW CREATE CATALOG other",
    )
    text = "".join(_error(environment, statement) for statement in (table, view, catalog, *shown))
    for statement in ("DROP TEMPORARY TABLE IF EXISTS x", "DROP TEMPORARY VIEW IF EXISTS v", "DROP CATALOG IF EXISTS other"):
        environment.execute_sql(statement)
    return text


def _unknown_option(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    environment.execute_sql(f"CREATE TEMPORARY TABLE x (a INT) WITH ('connector' = 'datagen', '{key}' = '{value}')")
    text = _error(environment, "SELECT * FROM x") + _error(environment, f"SELECT * FROM d /*+ OPTIONS('{key}' = '{value}') */")
    environment.execute_sql("DROP TEMPORARY TABLE x")
    return text


def _chained_cause(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    environment.execute_sql(
        "CREATE TEMPORARY TABLE x (a INT) WITH"
        f" ('connector' = 'python', 'callable' = 'secrets_of_a_proof:rows', 'options.{key}' = '{value}', 'options.path' = '/x/${{env:PROOF}}')"
    )
    text = _error(environment, "SELECT * FROM x")
    environment.execute_sql("DROP TEMPORARY TABLE x")
    return text


def _paths(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    data = folder / value
    data.mkdir(exist_ok=True)
    (data / "t.csv").write_text("1\n")
    table = (
        "CREATE TEMPORARY TABLE x (a INT, p STRING NOT NULL METADATA FROM 'file.path') WITH ('connector' = 'filesystem', 'format' = 'csv',"
    )
    environment.execute_sql(f"{table} 'path' = '{folder}/${{env:PROOF}}')")
    text = _error(environment, "SELECT * FROM x") + _error(environment, "EXPLAIN SELECT p FROM x")
    with contextlib.suppress(TableError):
        text += environment.sql_query(f"SELECT p FROM x WHERE p <> '{data}'").explain_graph().svg
    environment.execute_sql("DROP TEMPORARY TABLE x")
    environment.execute_sql(f"{table} 'path' = '{folder}/none/${{env:PROOF}}/t.csv')")
    text += _error(environment, "SELECT * FROM x")
    environment.execute_sql("DROP TEMPORARY TABLE x")
    return text


def _plan(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    environment.execute_sql(f"CREATE TEMPORARY TABLE k (a BIGINT) WITH ('connector' = 'blackhole', '{key}' = '{value}')")
    environment.get_config().set("table.plan.compile.catalog-objects", "ALL")
    insert = f"INSERT INTO k SELECT a FROM d /*+ OPTIONS('{key}' = '{value}') */"
    try:
        text = environment.compile_plan_sql(insert).as_json_string()
    except TableError as error:
        text = str(error)
    text += _error(environment, f"COMPILE PLAN '{folder / value}.json' FOR INSERT INTO k SELECT 1").replace(f"{folder / value}.json", "")
    text += _error(environment, f"EXPLAIN PLAN FOR {insert}")
    environment.execute_sql("DROP TEMPORARY TABLE k")
    return text


def _repr(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    descriptor = TableDescriptor.for_connector("datagen").option(key, value).option("url", f"https://{value}@h").build()
    operation = environment.session.parse(f"CREATE TABLE x (a INT) WITH ('{key}' = '{value}')")
    return repr(descriptor) + str(descriptor) + repr(operation) + repr(environment.session.parse(f"SET '{key}' = '{value}'"))


def _url(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    texts = (f"https://u:{value}@h/x", f"https://{value}@h/x", f"jdbc:x://h/d?user=u&{key}={value}")
    return "".join(_error(environment, f"CREATE TABLE x (a INT) WITH ('url' = '{text}' oops") for text in texts)


def _values(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    texts = (
        f"jdbc:oracle:thin:u/{value}@h:1:x",
        f"https://h/c#{key}={value}",
        f"h|{key}={value}",
        f"HTTPS://u:a%20b {value}@h/x",
        f"u:{value}@h:5432/d",
        f"u:{value}@tcp(h:3306)/d",
    )
    options = ", ".join(f"'u{place}' = '{text}'" for place, text in enumerate(texts))
    environment.execute_sql(f"CREATE TEMPORARY TABLE x (a INT) WITH ('connector' = 'none', {options})")
    text = "".join(_error(environment, f"{statement} x") for statement in ("SHOW CREATE TABLE", "DESCRIBE EXTENDED", "SELECT * FROM"))
    environment.execute_sql("DROP TEMPORARY TABLE x")
    return text + repr(environment.session.parse(f"CREATE TABLE x (a INT) WITH ({options})"))


def _client(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    script = folder / "script.sql"
    script.write_text(
        f"CREATE TABLE x (a INT)\nWITH ('connector' = 'datagen',\n'{key}' =\n'{value}');\nSHOW CREATE TABLE x;\nSET {key} = {value};"
    )
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        client(["-f", str(script), "-v"])
        client(["-e", f"CREATE TABLE x (a INT) WITH ('{key}' : '{value}')", "-v"])
        client(["-D", f"{key}:{value}", "-e", "SET"])
    return out.getvalue() + err.getvalue()


def _history(environment: TableEnvironment, key: str, value: str, folder: Path) -> str:
    from sql_client.repl import open_history

    open_history(str(folder / "history")).append_string(f"CREATE TABLE x (a INT) WITH ('{key}'\n= '{value}'); -- '{key}' = '{value}'")
    return (folder / "history").read_text()


PLACES: dict[str, Place] = {
    "wrong separator": _wrong_separator,
    "wrong quotes": _wrong_quotes,
    "several parts": _several_parts,
    "comments": _comments,
    "SET": _set,
    "texts of objects": _texts,
    "unknown option": _unknown_option,
    "chained cause": _chained_cause,
    "paths": _paths,
    "plans": _plan,
    "repr": _repr,
    "URLs": _url,
    "values": _values,
    "client": _client,
    "history": _history,
}
_MODULE = """
def rows(options):
    try:
        open(options["path"])
    except OSError as error:
        raise ValueError(str(options)) from error
"""


@contextlib.contextmanager
def _environment(engine: str, folder: Path) -> Iterator[TableEnvironment]:
    (folder / "secrets_of_a_proof.py").write_text(_MODULE)
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner(engine).build()
    with TableEnvironment.create(settings) as environment:
        environment.execute_sql("CREATE TEMPORARY TABLE d (a BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
        if engine == "spark":
            environment.get_config().set("spark.my.password", "hunter-of-spark")
            list(environment.execute_sql("SELECT 1").collect())
        yield environment


def main(argv: list[str] | None = None) -> int:
    """Runs the proof and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("arrow", "spark"), default="arrow")
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--seed", type=int, default=15)
    arguments = parser.parse_args(argv)
    warnings.simplefilter("ignore", ConfigurationWarning)
    source = random.Random(arguments.seed)
    keys = KEYS[: arguments.keys] if arguments.keys >= 60 else source.sample(KEYS, arguments.keys)
    failures = tried = 0
    with tempfile.TemporaryDirectory() as name, _environment(arguments.engine, Path(name)) as environment:
        for number, key in enumerate(keys):
            for place, show in PLACES.items():
                value = f"zq{number}x{source.randrange(16**10):010x}"
                os.environ["PROOF"] = value
                shown, tried = show(environment, key, value, Path(name)), tried + 1
                if value in shown:
                    failures += 1
                    at = shown.index(value)
                    print(f"{key} in {place}: …{shown[max(0, at - 160) : at + 60]}…")
        if arguments.engine == "spark":
            lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
            failures += any(b"hunter-of-spark" in line for line in lines)
    print(f"{arguments.engine}, seed {arguments.seed}: {len(keys)} keys in {len(PLACES)} places, {tried} tries, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
