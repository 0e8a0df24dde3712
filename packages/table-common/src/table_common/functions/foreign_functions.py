"""What to write instead of functions of other databases, for the errors of unknown functions; a test runs each."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["FOREIGN_FUNCTIONS"]

FOREIGN_FUNCTIONS: Mapping[str, str] = {
    "ANY_VALUE": "FIRST_VALUE(a)",
    "APPROX_DISTINCT": "COUNT(DISTINCT a)",
    "APPROX_QUANTILE": "PERCENTILE(a, 0.5)",
    "ARG_MAX": "SELECT … FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY a DESC) = 1",
    "ARG_MIN": "SELECT … FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY a) = 1",
    "ARRAY_LENGTH": "CARDINALITY(ARRAY[a, b])",
    "CHARINDEX": "POSITION('x' IN a)",
    "COLLECT_LIST": "ARRAY_AGG(a)",
    "COLLECT_SET": "ARRAY_AGG(DISTINCT a)",
    "CORR": "(AVG(a * b) - AVG(a) * AVG(b)) / (STDDEV_POP(a) * STDDEV_POP(b)), for columns of the type DOUBLE",
    "COUNTIF": "COUNT(*) FILTER (WHERE a > 1)",
    "COUNT_IF": "COUNT(*) FILTER (WHERE a > 1)",
    "COVAR_POP": "AVG(a * b) - AVG(a) * AVG(b), for columns of the type DOUBLE",
    "DATEADD": "a + INTERVAL '1' DAY, or TIMESTAMPADD(DAY, 1, a)",
    "DATEDIFF": "TIMESTAMPDIFF(DAY, a, b)",
    "DATE_ADD": "a + INTERVAL '1' DAY, or TIMESTAMPADD(DAY, 1, a)",
    "DATE_DIFF": "TIMESTAMPDIFF(DAY, a, b)",
    "DATE_PART": "EXTRACT(MONTH FROM a)",
    "DATE_TRUNC": "FLOOR(a TO MONTH)",
    "EXPLODE": "SELECT x FROM t CROSS JOIN UNNEST(ARRAY[a, b]) AS u (x)",
    "GETDATE": "CURRENT_TIMESTAMP",
    "GET_JSON_OBJECT": "JSON_VALUE(a, '$.b')",
    "GROUP_CONCAT": "LISTAGG(a, ',')",
    "IIF": "IF(a > 1, 'x', 'y')",
    "ISNULL": "a IS NULL, or IFNULL(a, 0)",
    "JSON_EXTRACT": "JSON_VALUE(a, '$.b')",
    "LEN": "CHAR_LENGTH(a)",
    "LENGTH": "CHAR_LENGTH(a)",
    "MEDIAN": "PERCENTILE(a, 0.5)",
    "MODE": "SELECT a FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 1",
    "NVL": "IFNULL(a, 0), or COALESCE(a, b)",
    "PERCENTILE_CONT": "PERCENTILE(a, 0.5)",
    "QUANTILE": "PERCENTILE(a, 0.5)",
    "QUANTILE_CONT": "PERCENTILE(a, 0.5)",
    "RANDOM": "RAND()",
    "REGEXP_MATCHES": "REGEXP(a, 'x+')",
    "SIZE": "CARDINALITY(ARRAY[a, b])",
    "SPLIT_PART": "SPLIT_INDEX(a, ',', 0)",
    "STRFTIME": "DATE_FORMAT(a, 'yyyy-MM-dd')",
    "STRING_AGG": "LISTAGG(a, ',')",
    "STRPOS": "POSITION('x' IN a)",
    "STRPTIME": "TO_TIMESTAMP(a, 'yyyy-MM-dd')",
    "TODAY": "CURRENT_DATE",
    "TO_CHAR": "DATE_FORMAT(a, 'yyyy-MM-dd')",
    "TO_JSON": "JSON_STRING(a)",
    "TRUNC": "TRUNCATE(a, 1) of a number, FLOOR(a TO MONTH) of a time",
}
"""The name of a function, in upper case, and the SQL that does the same."""
