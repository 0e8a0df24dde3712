"""What is offered at a place in a statement; the place is marked by |."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from table_api.sql.completion import complete
from table_api.sql.parser import expected_tokens


class Names:
    def catalogs(self) -> Iterable[str]:
        return ["main_catalog"]

    def databases(self, catalog: str | None) -> Iterable[str]:
        return ["sales", "stock"] if catalog in (None, "main_catalog") else []

    def tables(self, path: tuple[str, ...]) -> Iterable[str]:
        return {(): ["orders", "order items"], ("stock",): ["parts"], ("main_catalog", "stock"): ["parts"]}.get(path, [])

    def columns(self, path: tuple[str, ...]) -> Sequence[str]:
        return {"orders": ["id", "amount", "date", "year"], "order items": ["sku"]}.get(path[-1], [])

    def functions(self) -> Iterable[str]:
        return ["UPPER", "COUNT", "YEAR"]

    def modules(self) -> Iterable[str]:
        return ["core"]


def offered(marked: str) -> list[str]:
    return complete(marked.replace("|", ""), marked.index("|"), Names())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SEL|", ["SELECT"]),
        ("SELECT * FROM o|", ["`order items`", "orders"]),
        ("SELECT * FROM `or|", ["`order items`", "orders"]),
        ("SELECT * FROM `orders` WH|", ["WHERE"]),
        ("SELECT * FROM orders WHERE `id` = am|", ["amount"]),
        ("SELECT * FROM orders WHERE ye|", ["`year`", "YEAR"]),
        ("SELECT `am| FROM orders", ["amount"]),
        ("SELECT * FROM stock.|", ["parts"]),
        ("SELECT * FROM main_catalog.stock.|", ["parts"]),
        ("SELECT am| FROM orders", ["amount"]),
        ("SELECT o.| FROM orders AS o", ["`date`", "`year`", "amount", "id"]),
        ("SELECT * FROM orders WHERE up|", ["UPPER"]),
        ("SELECT * FROM orders GROUP |", ["BY"]),
        ("SELECT CAST(a AS DEC|", ["DEC", "DECIMAL"]),
        ("USE CATALOG |", ["main_catalog"]),
        ("USE s|", ["sales", "stock"]),
        ("UNLOAD MODULE |", ["core"]),
        ("SHOW CREATE V|", ["VIEW"]),
        ("INSERT INTO orders V|", ["VALUES"]),
        ("SELECT 1; SHOW TAB|", ["TABLES"]),
        ("DROP TABLE orders| x", ["orders"]),
        ("SELECT 'or|", []),
        ("SELECT -- or|", []),
        ("nonsense or|", []),
    ],
)
def test_completion_offers_what_the_grammar_and_the_catalogs_know(text: str, expected: list[str]) -> None:
    assert offered(text) == expected


def test_names_come_before_keywords() -> None:
    found = offered("SELECT | FROM orders")
    assert found.index("amount") < found.index("CASE")


def test_columns_of_joined_tables_are_offered() -> None:
    assert {"amount", "sku"} <= set(offered("SELECT | FROM orders JOIN `order items` ON TRUE"))


def test_expected_tokens_at_the_beginning_are_the_statements() -> None:
    assert {"SELECT", "CREATE", "SHOW", "EXPLAIN"} <= expected_tokens("", 0)


def test_expected_tokens_name_kinds_of_names() -> None:
    assert "table name" in expected_tokens("SELECT * FROM ", 14)


def test_expected_tokens_after_wrong_text_are_none() -> None:
    assert expected_tokens("SELECT FROM ", 12) == frozenset()
