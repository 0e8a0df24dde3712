"""Functions whose parameters have default values of every kind, and the text of a schema; PyFlink runs the aggregate function in streaming mode only."""

from pyflink.table import AggregateFunction, DataTypes, Schema, TableDescriptor
from pyflink.table.expressions import col
from pyflink.table.udf import TableFunction, udaf, udf, udtf

STOPS = ("the", "a")


@udf(result_type=DataTypes.STRING())
def first_words(text, stops=STOPS, limit=2):
    return " ".join([word for word in text.split() if word not in stops][:limit])


class Words(TableFunction):
    def eval(self, text, separators=(" ",)):
        for word in text.split(separators[0]):
            yield word, len(word)


class CountWithout(AggregateFunction):
    def create_accumulator(self):
        return [0]

    def accumulate(self, accumulator, word, skipped=frozenset(STOPS)):
        accumulator[0] += word not in skipped

    def get_value(self, accumulator):
        return accumulator[0]


def run(t_env):
    table = t_env.from_elements([("the cat and the dog",), ("a bird",)], ["text"])
    words = udtf(Words(), result_types=[DataTypes.STRING(), DataTypes.INT()])
    count = udaf(CountWithout(), result_type=DataTypes.BIGINT(), accumulator_type=DataTypes.ARRAY(DataTypes.BIGINT()))
    split = table.join_lateral(words(col("text")).alias("word", "length"))
    answers = []
    for result in (
        table.select(first_words(col("text"))),
        split.select(col("word"), col("length")),
        split.group_by(col("text")).select(count(col("word"))),
    ):
        with result.execute().collect() as rows:
            answers.append(sorted(tuple(row) for row in rows))
    schema = Schema.new_builder().column("id", DataTypes.INT().not_null()).column_by_expression("next", "id + 1").primary_key("id").build()
    return answers, str(schema), str(TableDescriptor.for_connector("datagen").schema(schema).comment("ids").build())
