"""The handle of a job: its id, its status and its result; what an insertion and a failed job say."""

from pyflink.common import JobStatus
from pyflink.table import DataTypes, ResultKind, Schema, TableDescriptor
from pyflink.table.udf import udf


@udf(result_type=DataTypes.INT())
def fail(i):
    raise ValueError("no such number")


def run(t_env):
    schema = Schema.new_builder().column("a", DataTypes.INT()).build()
    t_env.create_temporary_table("hole", TableDescriptor.for_connector("blackhole").schema(schema).build())
    result = t_env.execute_sql("INSERT INTO hole SELECT 1")
    result.wait()
    client = result.get_job_client()
    end = client.get_job_execution_result().result()
    said = [
        client.get_job_status().result() == JobStatus.FINISHED,
        str(end.get_job_id()) == str(client.get_job_id()),
        end.get_net_runtime() >= 0,
        JobStatus.FINISHED.is_globally_terminal_state(),
        t_env.execute_sql("CREATE TEMPORARY VIEW v AS SELECT 1 AS a").get_result_kind() == ResultKind.SUCCESS,
    ]
    rows = t_env.execute_sql("SELECT 1 AS a")
    with rows.collect() as iterator:
        said.append([row[0] for row in iterator])
    said.append(rows.get_result_kind() == ResultKind.SUCCESS_WITH_CONTENT)
    t_env.create_temporary_function("fail", fail)
    try:
        with t_env.sql_query("SELECT fail(a) FROM v").execute().collect() as iterator:
            list(iterator)
    except Exception as error:
        said.append("no such number" in str(error))
    t_env.execute_sql(
        "CREATE TEMPORARY TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1000000000', "
        "'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000000000')"
    )
    client = t_env.execute_sql("SELECT COUNT(*) FROM numbers WHERE MOD(n, 3) = 0").get_job_client()
    client.cancel().result()
    said.append(client.get_job_status().result() == JobStatus.CANCELED)
    return said
