from __future__ import annotations

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import JoinQueryOperation, JoinType, ProjectQueryOperation, QueryOperation, ValuesQueryOperation
from table_api.operations.sql_text import query_text
from table_api.operations.sql_text.shared_parts import shared_parts
from table_common.catalog import ResolvedSchema
from table_common.expressions import FieldReferenceExpression, ValueLiteralExpression
from table_common.types import IntType

INT = IntType(nullable=False)


def doubled(count: int) -> QueryOperation:
    """Returns a query of which each part joins the one before with itself."""
    query: QueryOperation = ValuesQueryOperation(((ValueLiteralExpression(1, INT),),), ResolvedSchema.physical([("a", INT)]))
    for _ in range(count):
        join = JoinQueryOperation(query, query, JoinType.INNER, None)
        query = ProjectQueryOperation((FieldReferenceExpression("a", INT, 0, 0),), ("a",), join)
    return query


def doubling(count: int, part: str) -> str:
    return "WITH c0 AS (SELECT 1 AS a), " + ", ".join(f"c{i} AS ({part.replace('#', f'c{i - 1}')})" for i in range(1, count + 1))


def test_a_short_query_has_no_named_parts() -> None:
    assert shared_parts(doubled(3)) == frozenset()
    assert not query_text(doubled(3)).startswith("WITH")


def test_each_shared_part_of_a_long_query_is_written_once() -> None:
    text = query_text(doubled(40))
    assert text.startswith("WITH `shared`")
    assert text.count("CROSS JOIN") == 40


def test_a_query_with_outer_references_is_not_named() -> None:
    inner = "SELECT x.a FROM # AS x WHERE EXISTS (SELECT 1 FROM # AS y WHERE x.a = y.a)"
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        environment.execute_sql(f"CREATE VIEW v AS {doubling(30, inner)} SELECT a FROM c30")
        text = next(iter(environment.execute_sql("SHOW CREATE VIEW v").collect()))[0]
    assert text.count("EXISTS") == 30


def test_the_text_of_a_view_with_named_parts_means_the_same_view() -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        environment.execute_sql(f"CREATE VIEW v AS {doubling(30, 'SELECT x.a FROM # AS x JOIN # AS y ON x.a = y.a')} SELECT a FROM c30")
        text = next(iter(environment.execute_sql("SHOW CREATE VIEW v").collect()))[0]
        environment.execute_sql("DROP VIEW v")
        environment.execute_sql(text)
        assert next(iter(environment.execute_sql("SHOW CREATE VIEW v").collect()))[0] == text
