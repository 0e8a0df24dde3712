from __future__ import annotations

from pathlib import Path

from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.stored_jobs import stored_jobs


def test_jobs_whose_names_begin_with_a_dot_are_listed_and_other_files_are_not(tmp_path: Path) -> None:
    for name in (".hidden", "../up", "plain"):
        JobFolder.open(str(tmp_path), name, "arrow")
    (tmp_path / "README").write_text("checkpoints of the night jobs")
    (tmp_path / "other").mkdir()
    assert sorted(job["name"] for job in stored_jobs(str(tmp_path))) == ["../up", ".hidden", "plain"]
