import subprocess
import sys
from pathlib import Path

from table_common.configuration import memory_budget
from table_runtime.formats.orc_process import LEAST_MEMORY, MEMORY_PER_BYTE


def test_the_memory_of_the_process_follows_the_size_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "f.orc"
    file.write_bytes(bytes(1_000))
    program = (
        "import resource; from pathlib import Path; from table_runtime.formats.orc_process import _limit_memory; "
        f"_limit_memory(Path({str(file)!r})); print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    )
    limit = int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout)
    assert limit == min(memory_budget(), LEAST_MEMORY + 1_000 * MEMORY_PER_BYTE)
