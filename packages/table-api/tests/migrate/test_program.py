"""The tool rewrites imports and the paths that they bind, and nothing else."""

from __future__ import annotations

import pytest

from table_api.migrate import migrate


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from pyflink.table import TableEnvironment\n", "from table_api import TableEnvironment\n"),
        ("from pyflink.table.expressions import col, lit  # kept\n", "from table_api.expressions import col, lit  # kept\n"),
        (
            "from pyflink.table import (\n    Row,  # one\n    DataTypes as D,\n)\n",
            "from table_api import (\n    Row,  # one\n    DataTypes as D,\n)\n",
        ),
        ("from  pyflink . table  import *\n", "from  table_api  import *\n"),
        ("from \\\n  pyflink.table import Row\n", "from \\\n  table_api import Row\n"),
        ("from pyflink.common.typeinfo import Types\n", "from table_api.common import Types\n"),
        ("from pyflink.datastream import StreamExecutionEnvironment\n", "from table_api.datastream import StreamExecutionEnvironment\n"),
        ("import pyflink.table.expressions as e, os\n", "import table_api.expressions as e, os\n"),
        ("import pyflink.table\nt = pyflink.table.DataTypes\n", "import table_api\nt = table_api.DataTypes\n"),
        (
            "import pyflink.table.expressions\nx = 'é', pyflink.table.expressions.col\n",
            "import table_api.expressions\nx = 'é', table_api.expressions.col\n",
        ),
        ("from pyflink import table\n", "import table_api as table\n"),
        ("if True:\n    from pyflink.table import Row\r\n", "if True:\n    from table_api import Row\r\n"),
        ("import pyflinkish\nfrom .pyflink import x\n", "import pyflinkish\nfrom .pyflink import x\n"),
        ('"""About pyflink.table.udf."""\n', '"""About pyflink.table.udf."""\n'),
    ],
)
def test_imports_are_rewritten(old: str, new: str) -> None:
    migration = migrate(old)
    assert (migration.text, migration.findings) == (new, ())


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        (
            "from pyflink.common import Row, WatermarkStrategy as W\n",
            "from table_api.common import Row\nfrom pyflink.common import WatermarkStrategy as W\n",
            "line 1: pyflink.common.WatermarkStrategy: a WATERMARK in the schema of the table",
        ),
        (
            "if x:\n    from pyflink.common import Row, Encoder\n",
            "if x:\n    from table_api.common import Row\n    from pyflink.common import Encoder\n",
            "line 2: pyflink.common.Encoder: the option 'format'",
        ),
        (
            "x = 1; from pyflink.common import Row, Encoder\n",
            "x = 1; from table_api.common import Row; from pyflink.common import Encoder\n",
            "line 1: pyflink.common.Encoder",
        ),
        (
            "import pyflink.java_gateway\n",
            "import pyflink.java_gateway\n",
            "line 1: pyflink.java_gateway: there is no Java virtual machine",
        ),
        (
            "from pyflink.table import Nothing\n",
            "from pyflink.table import Nothing\n",
            "line 1: pyflink.table.Nothing: 'table_api' has no such name",
        ),
        (
            "from pyflink.nothing import x\n",
            "from pyflink.nothing import x\n",
            "line 1: pyflink.nothing.x: PyFlink's module 'pyflink.nothing' has no",
        ),
        ("m = 'pyflink.table.udf'\n", "m = 'pyflink.table.udf'\n", "line 1: the text 'pyflink.table.udf': texts are not rewritten"),
        (
            "from pyflink.table import Row\n(env\n .add_jars('x'))\n",
            "from table_api import Row\n(env\n .add_jars('x'))\n",
            "line 3: add_jars: jars are not loaded",
        ),
    ],
)
def test_what_has_no_counterpart_is_listed(old: str, new: str, finding: str) -> None:
    migration = migrate(old)
    assert migration.text == new
    assert [str(found)[: len(finding)] for found in migration.findings] == [finding]


def test_programs_that_do_not_use_pyflink_are_left_alone() -> None:
    text = "import spark\nspark.add_jars('x')\n"
    assert (migrate(text).text, migrate(text).findings) == (text, ())


def test_a_rewritten_program_is_rewritten_no_more() -> None:
    text = migrate("from pyflink.table import TableEnvironment\nimport pyflink.table.udf as udf\n").text
    assert migrate(text).text == text


def test_names_of_one_statement_can_have_several_modules() -> None:
    assert migrate("from pyflink import table, common as c\n").text == "import table_api as table\nimport table_api.common as c\n"


DIVIDING = """from pyflink.table import TableEnvironment
from pyflink.table.udf import udf

half = udf(lambda n: n / 2, result_type="INT")
"""


def test_a_program_whose_functions_divide_cuts_fractions_as_pyflink_does() -> None:
    migration = migrate(DIVIDING + "if True:\n    env = TableEnvironment.create(settings)  # one\n")
    created = (
        "    env = TableEnvironment.create(settings)\n    env.get_config().set('python.functions.truncate-fractions', 'true')  # one\n"
    )
    assert migration.text.endswith(created)
    assert not migration.findings


def test_a_division_without_an_environment_is_found() -> None:
    (finding,) = migrate(DIVIDING).findings
    assert str(finding).startswith("line 4: /: PyFlink cuts a fraction")


@pytest.mark.parametrize("type_", ['"DOUBLE"', "DataTypes.FLOAT()", "DataTypes.ROW([DataTypes.FIELD('a', DataTypes.DOUBLE())])"])
def test_fractions_of_functions_without_integer_results_are_not_cut(type_: str) -> None:
    program = DIVIDING.replace('"INT"', type_)
    assert not migrate(program).findings
    assert "truncate-fractions" not in migrate(program + "env = TableEnvironment.create(settings)\n").text


@pytest.mark.parametrize("type_", ["DataTypes.BIGINT()", "RESULT", "DataTypes.ARRAY(DataTypes.INT())", "lambda types: types[0]"])
def test_fractions_of_functions_that_may_return_integers_are_cut(type_: str) -> None:
    assert "truncate-fractions" in migrate(DIVIDING.replace('"INT"', type_) + "env = TableEnvironment.create(settings)\n").text
    positional = DIVIDING.replace('result_type="INT"', f"DataTypes.DOUBLE(), {type_}")
    assert "truncate-fractions" in migrate(positional + "env = TableEnvironment.create(settings)\n").text


def test_a_program_without_functions_or_divisions_sets_no_option() -> None:
    text = "from pyflink.table import TableEnvironment\nenv = TableEnvironment.create(settings)\nx = 1 / 2\n"
    assert migrate(text).text == text.replace("pyflink.table", "table_api")
