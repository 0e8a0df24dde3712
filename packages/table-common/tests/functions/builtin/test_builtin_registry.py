from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from table_common.functions.builtin import (
    BUILT_INS,
    BUILT_INS_BY_NAME,
    FAMILIES,
    NILADIC,
    family_of,
    lookup_built_in,
    math,
    strings,
)
from table_common.functions.definition import FunctionKind


def test_every_definition_has_its_own_name():
    assert len(BUILT_INS_BY_NAME) == len(BUILT_INS)


def test_the_constant_of_a_definition_is_its_name():
    wrong = [(name, value.name) for family in FAMILIES for name, value in vars(family).items() if value in BUILT_INS and name != value.name]
    assert wrong == []


def test_lookup_ignores_case():
    assert lookup_built_in("uPPer") is strings.UPPER


def test_lookup_knows_aliases():
    assert lookup_built_in("ceiling") is math.CEIL


@pytest.mark.parametrize("name", ["PLUS", "EQUALS", "CASE", "CAST", "ROW", "nope"])
def test_lookup_does_not_find_operators_or_unknown_names(name):
    assert lookup_built_in(name) is None


@pytest.mark.parametrize("name", ["LENGTH", "NVL", "DATE_ADD", "ANY_VALUE", "OCTET_LENGTH", "MEDIAN"])
def test_functions_of_other_systems_are_not_there(name):
    assert lookup_built_in(name) is None


def test_aliases_do_not_hide_another_function():
    names = [name.upper() for d in BUILT_INS if not d.is_operator for name in (d.name, *d.aliases)]
    assert len(names) == len(set(names))


def test_a_function_of_another_module_with_the_name_of_a_built_in_one_is_of_no_family():
    assert family_of(type(strings.UPPER)("UPPER")) is None


@pytest.mark.parametrize("definition", BUILT_INS, ids=str)
def test_unpickling_returns_the_same_definition(definition):
    assert pickle.loads(pickle.dumps(definition)) is definition


@pytest.mark.parametrize("definition", BUILT_INS, ids=str)
def test_every_definition_describes_its_arguments(definition):
    assert all(isinstance(text, str) for text in definition.get_type_inference().input.signatures())


def test_what_reads_the_clock_or_dice_is_not_deterministic():
    random = {d.name for d in BUILT_INS if not d.is_deterministic}
    assert random == {
        "RAND",
        "RAND_INTEGER",
        "UUID",
        "CURRENT_DATE",
        "CURRENT_TIME",
        "CURRENT_TIMESTAMP",
        "NOW",
        "CURRENT_ROW_TIMESTAMP",
        "LOCALTIME",
        "LOCALTIMESTAMP",
        "PROCTIME",
        "SOURCE_WATERMARK",
        "CURRENT_WATERMARK",
        "UNIX_TIMESTAMP",
    }


def test_functions_called_without_parentheses_have_no_parameters():
    assert all(BUILT_INS_BY_NAME[name].get_type_inference().input.argument_count.maximum == 0 for name in NILADIC)


def test_aggregates_are_of_the_aggregate_kind():
    assert {BUILT_INS_BY_NAME[name].kind for name in ("COUNT", "SUM", "LAG", "GROUPING")} == {FunctionKind.AGGREGATE}


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("PLUS", ["a", "b"], "(a + b)"),
        ("AND", ["a", "b", "c"], "(a AND b AND c)"),
        ("NOT", ["a"], "(NOT a)"),
        ("NEGATE", ["(- a)"], "(- (- a))"),
        ("IS_NULL", ["a"], "(a IS NULL)"),
        ("IS_NOT_DISTINCT_FROM", ["a", "b"], "(a IS NOT DISTINCT FROM b)"),
        ("BETWEEN", ["a", "b", "c"], "(a BETWEEN b AND c)"),
        ("NOT_IN", ["a", "b", "c"], "(a NOT IN (b, c))"),
        ("LIKE", ["a", "b"], "(a LIKE b)"),
        ("SIMILAR", ["a", "b", "'#'"], "(a SIMILAR TO b ESCAPE '#')"),
        ("CONCAT_OP", ["a", "b"], "(a || b)"),
        ("CASE", ["a", "1", "b", "2", "3"], "(CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END)"),
        ("CAST", ["a", "INT"], "CAST(a AS INT)"),
        ("MINUS_DATETIME", ["a", "b", "DAY"], "((a - b) DAY)"),
        ("OVERLAPS", ["a", "b", "c", "d"], "((a, b) OVERLAPS (c, d))"),
        ("AT", ["a", "1"], "a[1]"),
        ("GET", ["a", "'it''s'"], "a.`it's`"),
        ("ROW", ["a", "b"], "ROW(a, b)"),
        ("ARRAY", ["a", "b"], "ARRAY[a, b]"),
        ("MAP", ["a", "b"], "MAP[a, b]"),
        ("CEIL", ["a", "DAY"], "CEIL(a TO DAY)"),
        ("FLOOR", ["a"], "FLOOR(a)"),
        ("EXTRACT", ["YEAR", "a"], "EXTRACT(YEAR FROM a)"),
        ("TRIM", ["BOTH", "' '", "a"], "TRIM(BOTH ' ' FROM a)"),
        ("POSITION", ["a", "b", "2"], "POSITION(a IN b FROM 2)"),
        ("OVERLAY", ["a", "b", "2", "3"], "OVERLAY(a PLACING b FROM 2 FOR 3)"),
        ("TIMESTAMPADD", ["DAY", "1", "a"], "TIMESTAMPADD(DAY, 1, a)"),
        ("IS_JSON", ["a", "OBJECT"], "(a IS JSON OBJECT)"),
        ("JSON_EXISTS", ["a", "'$'", "ERROR"], "JSON_EXISTS(a, '$' ERROR ON ERROR)"),
        (
            "JSON_VALUE",
            ["a", "'$'", "INT", "DEFAULT", "1", "NULL", "NULL"],
            "JSON_VALUE(a, '$' RETURNING INT DEFAULT 1 ON EMPTY NULL ON ERROR)",
        ),
        (
            "JSON_QUERY",
            ["a", "'$'", "STRING", "WITHOUT ARRAY WRAPPER", "NULL", "EMPTY ARRAY"],
            "JSON_QUERY(a, '$' RETURNING STRING WITHOUT ARRAY WRAPPER NULL ON EMPTY EMPTY ARRAY ON ERROR)",
        ),
        ("JSON_OBJECT", ["NULL ON NULL", "'k'", "a"], "JSON_OBJECT(KEY 'k' VALUE a NULL ON NULL)"),
        ("JSON_ARRAY", ["ABSENT ON NULL", "a", "b"], "JSON_ARRAY(a, b ABSENT ON NULL)"),
        ("JSON_ARRAYAGG_ABSENT_ON_NULL", ["a"], "JSON_ARRAYAGG(a ABSENT ON NULL)"),
        ("COUNT", [], "COUNT(*)"),
        ("UPPER", ["a"], "UPPER(a)"),
    ],
)
def test_a_call_is_written_as_sql(name, args, text):
    assert BUILT_INS_BY_NAME[name].render_sql(args) == text


def test_each_family_has_a_test_of_its_result_types():
    families = {family.__name__.rpartition(".")[2] for family in FAMILIES}
    tests = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    assert families - tests == set()
