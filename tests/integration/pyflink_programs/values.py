"""Values of every type on their way into a table and out of it, and what rows are equal to."""

from datetime import date, datetime, time
from decimal import Decimal

from pyflink.common import Row, RowKind
from pyflink.table import DataTypes


def run(t_env):
    fields = [
        ("flag", DataTypes.BOOLEAN(), True),
        ("tiny", DataTypes.TINYINT(), -128),
        ("small", DataTypes.SMALLINT(), 32767),
        ("int", DataTypes.INT(), 1),
        ("big", DataTypes.BIGINT(), 2**62),
        ("float", DataTypes.FLOAT(), 1.23),
        ("double", DataTypes.DOUBLE(), 1.23),
        ("decimal", DataTypes.DECIMAL(10, 2), Decimal("1.245")),
        ("long_decimal", DataTypes.DECIMAL(38, 1), Decimal("1234567890123456789012345678901234567.8")),
        ("text", DataTypes.STRING(), "äöü"),
        ("bytes", DataTypes.BYTES(), bytearray(b"\x00\xff")),
        ("date", DataTypes.DATE(), date(2024, 5, 1)),
        ("time", DataTypes.TIME(3), time(1, 2, 3, 456789)),
        ("timestamp", DataTypes.TIMESTAMP(3), datetime(2024, 5, 1, 1, 2, 3, 456789)),
        ("list", DataTypes.ARRAY(DataTypes.INT()), [1, 2]),
        ("map", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()), {"a": 1}),
        ("row", DataTypes.ROW([DataTypes.FIELD("p", DataTypes.INT()), DataTypes.FIELD("q", DataTypes.STRING())]), Row(2, "b")),
    ]
    row_type = DataTypes.ROW([DataTypes.FIELD(name, type_) for name, type_, _ in fields])
    table = t_env.from_elements([tuple(value for _, _, value in fields), (None,) * len(fields)], row_type)
    with table.execute().collect() as iterator:
        first, second = iterator
    small = t_env.from_elements(
        [(1, Row(2, "b"))], DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("r", fields[-1][1])])
    )
    with small.execute().collect() as iterator:
        (row,) = iterator
    checks = [
        str(row),
        row == Row(1, Row(2, "b")),
        row[1] == Row(2, "b"),
        row[1][1],
        1 in row,
        len(row),
        row.get_row_kind() == RowKind.INSERT,
        Row(a=1, b=2) == Row(b=2, a=1),
        ("a" in Row(a=1), 1 in Row(a=1), 1 in Row(1)),
        Row("name", "age")("Ann", 3).as_dict(),
        hash(row) == hash((1, Row(2, "b"))),
    ]
    return list(first), list(second), checks, row_type.names, DataTypes.ROW().add("a", DataTypes.INT()).add("b", DataTypes.STRING()).names
