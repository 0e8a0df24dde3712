"""Comparison of three parsers for Flink's SQL: sqlglot with a small dialect, an LALR grammar for lark, and ours (docs/adr/0003-sql-parser.md).

    pip install sqlglot lark duckdb duckdb-extension-tpcds
    python benchmarks/parsers.py --corpus ../shared/conformance/cases [--smoke]

Prints for each: the share of Flink's statements that it parses (sqlglot: not as an opaque command), the share of Flink's
parse errors that it detects, the median CPU time of the 99 TPC-DS queries, and the outcome for 500 and for 50,000 parentheses. The LALR
grammar covers only queries, so its shares refer to SELECT, VALUES and WITH.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.metadata import files
from pathlib import Path

from table_api.sql.parser import parse_statement
from table_common.exceptions import SqlParserException, ValidationException

Parse = Callable[[str], object]

QUERY_GRAMMAR = r"""
start: query ";"?
query: [with_] body order?
with_: "WITH"i cte ("," cte)*
cte: name ["(" names ")"] "AS"i "(" query ")"
?body: body ("UNION"i | "EXCEPT"i | "MINUS"i) ["ALL"i] term | term
?term: term "INTERSECT"i ["ALL"i] block | block
?block: select | "VALUES"i expr ("," expr)*
select: "SELECT"i ["DISTINCT"i | "ALL"i] item ("," item)* ["FROM"i tables] ["WHERE"i expr] ["GROUP"i "BY"i group ("," group)*] ["HAVING"i expr] ["QUALIFY"i expr]
order: "ORDER"i "BY"i key ("," key)* [limit] | limit
limit: "LIMIT"i (NUMBER | "ALL"i) ["OFFSET"i NUMBER]
key: expr ["ASC"i | "DESC"i] ["NULLS"i ("FIRST"i | "LAST"i)]
item: "*" | name "." "*" | expr ["AS"i name | IDENT]
group: expr | "(" ")" | ("ROLLUP"i | "CUBE"i) "(" exprs ")" | "GROUPING"i "SETS"i "(" group ("," group)* ")"
tables: joined ("," joined)*
?joined: joined join table ["ON"i expr | "USING"i "(" names ")"] | table
join: ["NATURAL"i] ["INNER"i | "LEFT"i ["OUTER"i] | "RIGHT"i ["OUTER"i] | "FULL"i ["OUTER"i] | "CROSS"i] "JOIN"i
table: (path | call | "(" query ")" | "LATERAL"i "TABLE"i "(" call ")" | "TABLE"i "(" call ")" | "UNNEST"i "(" expr ")") [["AS"i] IDENT ["(" names ")"]]
?expr: expr "OR"i conj | conj
?conj: conj "AND"i neg | neg
?neg: "NOT"i neg | test
?test: test "IS"i ["NOT"i] ("NULL"i | "TRUE"i | "FALSE"i | "UNKNOWN"i | "DISTINCT"i "FROM"i comp) | comp
?comp: comp COMPARE range | range
?range: sum ["NOT"i] "BETWEEN"i sum "AND"i sum
      | sum ["NOT"i] "IN"i "(" (exprs | query) ")"
      | sum ["NOT"i] ("LIKE"i | "SIMILAR"i "TO"i) sum ["ESCAPE"i sum]
      | sum
?sum: sum SIGN product | product
?product: product PRODUCT unary | product "*" unary | unary
?unary: SIGN unary | postfix
?postfix: postfix "[" expr "]" | atom
?atom: NUMBER | STRING | PREFIXED | "TRUE"i | "FALSE"i | "NULL"i | path | call
     | "(" exprs ")" | "(" query ")" | "EXISTS"i "(" query ")"
     | ("DATE"i | "TIME"i | "TIMESTAMP"i) STRING
     | "INTERVAL"i STRING unit ["TO"i unit]
     | "CASE"i [expr] ("WHEN"i expr "THEN"i expr)+ ["ELSE"i expr] "END"i
     | ("CAST"i | "TRY_CAST"i) "(" expr "AS"i type ")"
     | "EXTRACT"i "(" unit "FROM"i expr ")"
     | "ARRAY"i "[" [exprs] "]" | "MAP"i "[" [exprs] "]" | "ROW"i "(" exprs ")"
call: path "(" ("*" | [["DISTINCT"i] exprs]) ")" ["FILTER"i "(" "WHERE"i expr ")"] ["OVER"i (name | "(" window ")")]
window: ["PARTITION"i "BY"i exprs] ["ORDER"i "BY"i key ("," key)*] [("ROWS"i | "RANGE"i) (bound | "BETWEEN"i bound "AND"i bound)]
bound: "UNBOUNDED"i ("PRECEDING"i | "FOLLOWING"i) | "CURRENT"i "ROW"i | sum ("PRECEDING"i | "FOLLOWING"i)
unit: IDENT | "YEAR"i | "MONTH"i | "DAY"i | "HOUR"i | "MINUTE"i | "SECOND"i
type: TYPE ["(" NUMBER ["," NUMBER] ")"] | ("ARRAY"i | "MAP"i | "ROW"i) "<" name? type ("," name? type)* ">"
exprs: expr ("," expr)*
names: name ("," name)*
path: name ("." name)*
name: IDENT | QUOTED
TYPE.2: /(BOOLEAN|TINYINT|SMALLINT|INT|INTEGER|BIGINT|FLOAT|DOUBLE|DECIMAL|CHAR|VARCHAR|STRING|BINARY|VARBINARY|BYTES|DATE|TIME|TIMESTAMP|TIMESTAMP_LTZ)\b/i
COMPARE: /<=|>=|<>|=|<|>/
SIGN: /[+-]/
PRODUCT: /\/|%|\|\|/
IDENT: /[A-Za-z_$][\w$]*/
QUOTED: /`([^`]|``)+`/
NUMBER: /\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+/
STRING: /'([^']|'')*'/
PREFIXED.2: /([xXnN]|[uU]&|_\w+)'([^']|'')*'/
%ignore /\s+/
%ignore /--[^\n]*/
%ignore /\/\*([^*]|\*(?!\/))*\*\//
"""


def sqlglot_parse() -> Parse:
    import sqlglot
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.tokens import Tokenizer as AnyTokenizer
    from sqlglot.tokens import TokenType

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # suppresses its warning for each opaque command

    class FlinkLike(Dialect):
        """Back-ticks for names, no escapes in strings, Flink's extra words."""

        class Tokenizer(AnyTokenizer):
            IDENTIFIERS = ["`"]  # noqa: RUF012
            QUOTES = ["'"]  # noqa: RUF012
            STRING_ESCAPES = ["'"]  # noqa: RUF012
            KEYWORDS = {**AnyTokenizer.KEYWORDS, "MINUS": TokenType.EXCEPT, "STRING": TokenType.TEXT, "BYTES": TokenType.VARBINARY}  # noqa: RUF012

    def parse(text: str) -> object:
        trees = sqlglot.parse(text, dialect=FlinkLike)
        if len(trees) != 1 or trees[0] is None or isinstance(trees[0], exp.Command):
            raise ValueError("not understood")
        return trees[0]

    return parse


def lark_parse() -> Parse:
    from lark import Lark

    return Lark(QUERY_GRAMMAR, parser="lalr", maybe_placeholders=False).parse


def our_parse(text: str) -> object:
    try:
        return parse_statement(text)
    except SqlParserException:
        raise
    except ValidationException:
        return None  # part of the grammar


def statements(corpus: Path) -> Iterator[tuple[str, bool]]:
    """Yields every statement of the conformance cases once, and whether Flink parses it."""
    seen: set[str] = set()
    for file in sorted(corpus.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            case = json.loads(line)
            for text in [*case["setup"], case["sql"]]:
                if text not in seen:
                    seen.add(text)
                    yield text, not (text is case["sql"] and case["expect"].get("category") == "parse")


def tpcds_queries() -> list[str]:
    import duckdb

    extension = next(file for file in files("duckdb-extension-tpcds") or [] if file.name.endswith(".duckdb_extension"))
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{extension.locate()}'")
    return [row[1].replace('"', "`") for row in connection.execute("FROM tpcds_queries()").fetchall()]


def takes(parse: Parse, text: str) -> bool:
    try:
        parse(text)
    except Exception:
        return False
    return True


def outcome(parse: Parse, text: str) -> str:
    try:
        parse(text)
    except RecursionError:
        return "RecursionError"
    except Exception as error:
        return type(error).__name__
    return "parsed"


def median_milliseconds(parse: Parse, queries: list[str], rounds: int) -> float:
    times = []
    for query in queries:
        for _ in range(rounds):
            begin = time.process_time()
            parse(query)
            times.append((time.process_time() - begin) * 1e3)
    return statistics.median(times) if times else float("nan")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--corpus", type=Path, default=Path(os.environ.get("CONFORMANCE_CORPUS", "../shared/conformance")) / "cases")
    arguments.add_argument("--smoke", action="store_true", help="ours only, on two statements")
    options = arguments.parse_args()
    if options.smoke:
        print("ours", takes(our_parse, "SELECT a FROM t WHERE b IN (1, 2)"), takes(our_parse, "SELEC 1"))
        return
    corpus, tpcds = list(statements(options.corpus)), tpcds_queries()
    for name, parse in {"sqlglot": sqlglot_parse(), "lark": lark_parse(), "ours": our_parse}.items():
        judged = [case for case in corpus if name != "lark" or case[0].lstrip("( ").upper().startswith(("SELECT", "WITH", "VALUES"))]
        right = [text for text, valid in judged if valid]
        wrong = [text for text, valid in judged if not valid]
        taken = sum(takes(parse, text) for text in right)
        refused = sum(not takes(parse, text) for text in wrong)
        queries = [query for query in tpcds if takes(parse, query)]
        print(
            f"{name:8} takes {taken}/{len(right)}, refuses {refused}/{len(wrong)}, TPC-DS {len(queries)}/{len(tpcds)} "
            f"median {median_milliseconds(parse, queries, 3):.2f} ms, "
            + ", ".join(f"{depth} levels: {outcome(parse, 'SELECT ' + '(' * depth + '1' + ')' * depth)}" for depth in (500, 50_000))
        )


if __name__ == "__main__":
    main()
