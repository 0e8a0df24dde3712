"""Mutations of syntax trees that mostly keep statements valid, for ``proofs/mutate_sql.py``."""

from __future__ import annotations

import itertools
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from boundary_values import boundary_value
from sql_trees import Piece, Tree, family

__all__ = ["Mutator"]

_Edit = tuple[int, int, str]

JOINS = (
    "JOIN",
    "LEFT JOIN",
    "RIGHT JOIN",
    "FULL OUTER JOIN",
    "LEFT SEMI JOIN",
    "LEFT ANTI JOIN",
    "CROSS JOIN",
    "NATURAL JOIN",
    "NATURAL LEFT JOIN",
)
SETS = ("UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
BOUNDS = ("UNBOUNDED PRECEDING", "1 PRECEDING", "0 PRECEDING", "1000000 PRECEDING", "CURRENT ROW", "2 FOLLOWING", "UNBOUNDED FOLLOWING")
WRAPS: dict[str, tuple[str, ...]] = {
    "": (
        "CASE WHEN RAND() < 2 THEN {0} END",
        "CASE WHEN {0} IS NULL THEN {0} ELSE {0} END",
        "CASE {0} WHEN {0} THEN {0} ELSE NULL END",
        "COALESCE(NULL, {0})",
        "NULLIF({0}, {0})",
        "IF(1 = 2, NULL, {0})",
        "(SELECT {0})",
        "(SELECT MAX(q.x) FROM (VALUES (1)) AS q(x) WHERE 1 = 0 AND {0} IS NULL)",
        "ARRAY[{0}][1]",
        "ROW({0}, 1).f0",
        "(SELECT x FROM (VALUES ({0})) AS q(x))",
        "(SELECT x FROM UNNEST(ARRAY[{0}]) AS q(x))",
        "GREATEST({0}, {0})",
        "CAST(CAST({0} AS STRING) AS {1})",
        "TRY_CAST({0} AS {1})",
        "CAST({0} AS {2})",
    ),
    "BOOLEAN": (
        "NOT {0}",
        "{0} IS NOT TRUE",
        "{0} AND {0}",
        "({0} OR NULL)",
        "{0} IN (TRUE, NULL)",
        "EXISTS (SELECT 1 WHERE {0})",
        "{0} = ALL (SELECT {0})",
    ),
    "INT": (
        "- {0}",
        "{0} / 0",
        "{0} * {0}",
        "MOD({0}, {0})",
        "{0} + 9223372036854775807",
        "CAST({0} AS TINYINT)",
        "REPEAT('x', {0})",
        "POWER({0}, {0})",
    ),
    "DOUBLE": ("- {0}", "{0} / 0", "EXP({0} * 1000)", "CAST({0} AS INT)", "CAST({0} AS DECIMAL(38, 18))", "SQRT(- {0})"),
    "DECIMAL": ("{0} * {0} * {0}", "{0} / 0", "CAST({0} AS DECIMAL(38, 0)) + {0}", "ROUND({0}, -40)", "CAST({0} AS DECIMAL(2, 2))"),
    "STRING": (
        "{0} || {0}",
        "CAST({0} AS CHAR(1))",
        "REPEAT({0}, 100000)",
        "SUBSTRING({0} FROM -5)",
        "REGEXP_REPLACE({0}, {0}, {0})",
        "UPPER({0})",
        "{0} COLLATE x",
    ),
    "DATE": (
        "{0} + INTERVAL '99999' YEAR(5)",
        "CAST({0} AS TIMESTAMP(9))",
        "TIMESTAMPADD(DAY, 99999999, {0})",
        "FLOOR({0} TO YEAR)",
        "CEIL({0} TO MONTH)",
    ),
    "TIMESTAMP": (
        "{0} - INTERVAL '99999' YEAR(5)",
        "CAST({0} AS DATE)",
        "FLOOR({0} TO HOUR)",
        "CAST({0} AS TIMESTAMP(0))",
        "CAST({0} AS TIMESTAMP_LTZ(3))",
    ),
    "INTERVAL DAY": ("{0} * 1000000000", "- {0}", "{0} + {0}"),
    "INTERVAL MONTH": ("{0} * 1000000000", "- {0}", "{0} + {0}"),
}
TYPES = (
    "STRING",
    "INT",
    "BIGINT",
    "DOUBLE",
    "DECIMAL(38, 10)",
    "BOOLEAN",
    "TIMESTAMP(9)",
    "DATE",
    "BYTES",
    "TIME(3)",
    "ARRAY<STRING>",
    "CHAR(2)",
    "FLOAT",
)
AGGREGATES = (
    "COUNT({0})",
    "COUNT(DISTINCT {0})",
    "MAX({0})",
    "LAST_VALUE({0})",
    "COLLECT({0})",
    "ARRAY_AGG({0})",
    "LISTAGG(CAST({0} AS STRING))",
)
QUERIES = (
    "SELECT * FROM ({0}) AS q0",
    "({0}) UNION ALL ({0})",
    "({0}) EXCEPT ({0})",
    "({0}) INTERSECT ALL ({0})",
    "({0}) UNION ({0})",
    "SELECT DISTINCT * FROM ({0}) AS q0",
    "SELECT * FROM ({0}) AS q0 LIMIT 0",
    "SELECT * FROM ({0}) AS q0 ORDER BY 1 DESC OFFSET 1 ROW",
    "SELECT * FROM ({0}) AS q0 FETCH FIRST 1 ROW ONLY",
    "SELECT q1.* FROM ({0}) AS q0 CROSS JOIN ({0}) AS q1",
    "SELECT COUNT(*) FROM ({0}) AS q0",
    "SELECT * FROM ({0}) AS q0 WHERE EXISTS ({0})",
    "SELECT * FROM ({0}) AS q0 WHERE 1 = 0",
    "WITH q0 AS ({0}) SELECT * FROM q0 AS x, q0 AS y",
    "SELECT *, ROW_NUMBER() OVER (ORDER BY 1) AS rn0 FROM ({0}) AS q0",
    "SELECT * FROM ({0}) AS q0 TABLESAMPLE BERNOULLI (50)",
)


class Mutator:
    """Mutates statements with parts of others."""

    def __init__(self, trees: Sequence[Tree], generator: random.Random) -> None:
        self._random = generator
        self._donors: dict[str, list[tuple[Tree, Piece]]] = defaultdict(list)
        self._alike: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._worlds: dict[str, list[Tree]] = defaultdict(list)
        for tree in trees:
            self._worlds[tree.world].append(tree)
            for piece in tree.pieces:
                if piece.sort == "expression" and piece.type:
                    self._donors[family(piece.type)].append((tree, piece))
                elif piece.sort in ("name", "operator") and tree.of(piece) not in self._alike[piece.sort, piece.detail]:
                    self._alike[piece.sort, piece.detail].append(tree.of(piece))
        self._rules: tuple[tuple[int, Callable[[Tree], _Edit | None]], ...] = (
            (6, self._exchange),
            (5, self._boundary),
            (4, self._alike_name),
            (3, self._wrap),
            (2, self._nest),
            (2, self._item),
            (2, self._query),
            (1, self._relation),
            (2, self._other_words),
            (1, self._distinct),
            (1, self._aggregate),
        )

    def mutated(self, tree: Tree) -> str:
        """Returns a statement with one to three mutations that do not overlap."""
        edits: list[_Edit] = []
        wanted = self._random.choice((1, 1, 1, 2, 2, 3))
        for _ in range(30):
            (rule,) = self._random.choices([rule for _, rule in self._rules], [weight for weight, _ in self._rules])
            edit = rule(tree)
            if edit is None or tree.text[edit[0] : edit[1]] == edit[2]:
                continue
            if all(edit[1] <= start or end <= edit[0] for start, end, _ in edits):
                edits.append(edit)
            if len(edits) == wanted:
                break
        text = tree.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    # --- expressions ------------------------------------------------------------------------------------------------------------------

    def _exchange(self, tree: Tree) -> _Edit | None:
        """Replaces an expression by another one of the same type; its columns become columns of the same types."""
        target = self._expression(tree)
        if target is None:
            return None
        allowed = tree.has_aggregate(target)
        for _ in range(8):
            donors = (
                self._donors[family(target.type)] if self._random.random() < 0.95 else self._donors[self._random.choice([*self._donors])]
            )
            source, piece = self._random.choice(donors or [(tree, target)])
            if source.text == tree.text and piece == target:
                continue
            if source.has_aggregate(piece) and not allowed:
                continue
            if source.world != tree.world and source.inside(piece, "name of a table"):
                continue
            return target.start, target.end, self._transplanted(source, piece, tree, target)
        return None

    def _transplanted(self, source: Tree, piece: Piece, tree: Tree, target: Piece) -> str:
        text, offset = source.of(piece), piece.start
        if source.text != tree.text or source.world != tree.world or piece.scope != target.scope:
            inner = [one for one in source.references if piece.holds(one)]
            for reference in sorted(inner, key=lambda one: -one.start):
                new = self._column(tree, target, family(reference.type))
                text = text[: reference.start - offset] + new + text[reference.end - offset :]
        return _in_parentheses(text)

    def _column(self, tree: Tree, target: Piece, of: str) -> str:
        near = [one for one in tree.references if target.holds(one)]
        around = [] if target.scope in tree.grouped else [one for one in tree.references if one.scope == target.scope]
        found = [one for one in near if family(one.type) == of] or [one for one in around if family(one.type) == of]
        return tree.of(self._random.choice(found)) if found else boundary_value(of, self._random)

    def _boundary(self, tree: Tree) -> _Edit | None:
        literals = [piece for piece in tree.expressions if piece.kind == "Literal"]
        target = self._random.choice(literals) if literals and self._random.random() < 0.7 else self._expression(tree)
        return None if target is None else (target.start, target.end, boundary_value(target.type, self._random))

    def _alike_name(self, tree: Tree) -> _Edit | None:
        """Replaces a function or operator by another one that was seen with the same types."""
        found = [piece for piece in tree.pieces if piece.sort in ("name", "operator")]
        if not found:
            return None
        piece = self._random.choice(found)
        return piece.start, piece.end, self._random.choice(self._alike[piece.sort, piece.detail])

    def _wrap(self, tree: Tree) -> _Edit | None:
        target = self._expression(tree)
        if target is None:
            return None
        of = family(target.type)
        own = WRAPS.get(of, ())
        template = self._random.choice(own if own and self._random.random() < 0.5 else WRAPS[""])
        text = template.format(_in_parentheses(tree.of(target)), target.type.removesuffix(" NOT NULL"), self._random.choice(TYPES))
        return target.start, target.end, f"({text})"

    def _nest(self, tree: Tree) -> _Edit | None:
        """Replaces an argument by its call, or a call by its argument."""
        outer = self._expression(tree)
        if outer is None:
            return None
        inner = [piece for piece in tree.expressions if piece != outer and outer.holds(piece) and family(piece.type) == family(outer.type)]
        if not inner:
            return None
        argument = self._random.choice(inner)
        if self._random.random() < 0.4:
            return outer.start, outer.end, _in_parentheses(tree.of(argument))
        text, head, tail = tree.of(argument), tree.text[outer.start : argument.start], tree.text[argument.end : outer.end]
        for _ in range(self._random.choice((1, 1, 2, 5))):
            text = f"({head}{text}{tail})"
        return argument.start, argument.end, text

    def _aggregate(self, tree: Tree) -> _Edit | None:
        """Replaces an expression by an aggregate or a window function over it."""
        target = self._expression(tree)
        if target is None:
            return None
        call = self._random.choice(AGGREGATES).format(tree.of(target))
        match self._random.randrange(3):
            case 0:
                call += (
                    " OVER ("
                    + self._random.choice(("", "ORDER BY 1", f"ORDER BY {tree.of(target)}", f"PARTITION BY {tree.of(target)}"))
                    + ")"
                )
            case 1:
                call += (
                    " FILTER (WHERE "
                    + self._random.choice(("TRUE", "NULL", "1 = 0", f"{_in_parentheses(tree.of(target))} IS NOT NULL"))
                    + ")"
                )
        return target.start, target.end, call

    def _expression(self, tree: Tree) -> Piece | None:
        return self._random.choice(tree.expressions) if tree.expressions else None

    # --- lists, queries, relations ----------------------------------------------------------------------------------------------------

    def _item(self, tree: Tree) -> _Edit | None:
        """Duplicates or removes a list item, or changes the order."""
        if not tree.lists:
            return None
        places = self._random.choice(tree.lists)
        if not places:
            return None
        at = self._random.randrange(len(places))
        start, end = places[at]
        gaps = {tree.text[one[1] : two[0]] for one, two in itertools.pairwise(places)}
        if any(gap.strip() != "," for gap in gaps):
            return None
        match self._random.randrange(3):
            case 0:
                return start, end, ", ".join([tree.text[start:end]] * self._random.choice((2, 2, 3, 50)))
            case 1 if len(places) > 1:
                return (start, places[at + 1][0], "") if at + 1 < len(places) else (places[at - 1][1], end, "")
            case _:
                order = list(places)
                self._random.shuffle(order)
                return places[0][0], places[-1][1], ", ".join(tree.text[one[0] : one[1]] for one in order)

    def _query(self, tree: Tree) -> _Edit | None:
        queries = [piece for piece in tree.pieces if piece.sort == "query"]
        if not queries:
            return None
        target = self._random.choice(queries)
        if self._random.random() < 0.3:
            source = self._random.choice(self._worlds[tree.world])
            others = [piece for piece in source.pieces if piece.sort == "query"]
            if others:
                return target.start, target.end, source.of(self._random.choice(others))
        return target.start, target.end, self._random.choice(QUERIES).format(tree.of(target))

    def _relation(self, tree: Tree) -> _Edit | None:
        relations = [piece for piece in tree.pieces if piece.sort == "relation"]
        if not relations:
            return None
        target = self._random.choice(relations)
        if target.kind == "TableNameRef" and self._random.random() < 0.5:
            parts = re.split(r"\s+(?:AS\s+)?", tree.of(target), maxsplit=1, flags=re.IGNORECASE)
            alias = parts[1] if len(parts) > 1 else parts[0].rsplit(".", maxsplit=1)[-1]
            return target.start, target.end, f"(SELECT * FROM {parts[0]}) AS {alias}"
        source = self._random.choice(self._worlds[tree.world])
        others = [piece for piece in source.pieces if piece.sort == "relation"]
        return (target.start, target.end, source.of(self._random.choice(others))) if others else None

    def _other_words(self, tree: Tree) -> _Edit | None:
        """Changes the kind of a join or a set operation, a window, or a sort key."""
        found = [piece for piece in tree.pieces if piece.sort in ("join", "set", "over", "sort key")]
        if not found:
            return None
        piece = self._random.choice(found)
        text = tree.of(piece)
        match piece.sort:
            case "join":
                return piece.start, piece.end, f" {self._random.choice(JOINS)} "
            case "set":
                words = f" {self._random.choice(SETS)} "
                return piece.start, piece.end, ")" * text.count(")") + words + "(" * text.count("(")
            case "sort key":
                key = re.sub(r"\s+(ASC|DESC)\b|\s+NULLS\s+(FIRST|LAST)\b", "", text, flags=re.IGNORECASE)
                return (
                    piece.start,
                    piece.end,
                    key + self._random.choice((" DESC", " ASC", "")) + self._random.choice(("", " NULLS FIRST", " NULLS LAST")),
                )
        inner = re.sub(r"\s+(ROWS|RANGE)\b.*$", "", text[1:-1], flags=re.IGNORECASE | re.DOTALL)
        if self._random.random() < 0.3:
            inner = re.sub(r"PARTITION BY .*?(?=ORDER BY|$)", "", inner, flags=re.IGNORECASE | re.DOTALL)
        low, high = self._random.choice(BOUNDS), self._random.choice(BOUNDS)
        frame = self._random.choice(("", f" {self._random.choice(('ROWS', 'RANGE'))} BETWEEN {low} AND {high}", f" ROWS {low}"))
        return piece.start, piece.end, f"({inner}{frame})"

    def _distinct(self, tree: Tree) -> _Edit | None:
        """Adds or removes DISTINCT of a query or an aggregate."""
        found = [
            match.span()
            for match in re.finditer(r"\bSELECT\s+(DISTINCT\s+)?|\b(COUNT|SUM|AVG|LISTAGG)\s*\((DISTINCT\s+)?(?!\*)", tree.text)
        ]
        if not found:
            return None
        start, end = self._random.choice(found)
        text = tree.text[start:end]
        return (
            start,
            end,
            text.replace("DISTINCT ", "") if "DISTINCT" in text else text.rstrip() + (" DISTINCT " if text[0] == "S" else "DISTINCT "),
        )


def _in_parentheses(text: str) -> str:
    return text if re.fullmatch(r"[\w.`]+|'[^']*'|\w+\([^()]*\)", text) else f"({text})"
