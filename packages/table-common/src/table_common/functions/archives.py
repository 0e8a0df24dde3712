"""Archives that user functions read by paths in the working directory: unpacked once per process, and linked there until it ends."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from tarfile import TarInfo

_PREFIX = "table-python-archive-"
_lock = threading.Lock()
_unpacked: dict[tuple[str, int], Path] = {}


def unpacked_archive(path: str) -> str:
    """Returns a temporary folder with the contents of a zip or tar archive; for a folder, the folder itself.

    Raises:
        ValidationException: The file does not exist or is not an archive.

    Example:
        >>> import zipfile
        >>> with zipfile.ZipFile("model.zip", "w") as archive:
        ...     archive.writestr("weights.txt", "1 2 3")
        >>> (Path(unpacked_archive("model.zip")) / "weights.txt").read_text()
        '1 2 3'
    """
    file = Path(path.removeprefix("file://")).resolve()
    if file.is_dir():
        return str(file)
    if not file.exists():
        raise ValidationException(f"The archive '{path}' does not exist.")
    key = (str(file), file.stat().st_mtime_ns)
    with _lock:
        if key not in _unpacked:
            _unpacked[key] = _unpack(file)
        return str(_unpacked[key])


def link_archives(folders: Mapping[str, str], *, replace: bool = False) -> None:
    """Creates a link to each folder in the working directory, under its name; they are removed when the process ends.

    Links of an earlier process are replaced; with ``replace``, any link.

    Raises:
        ValidationException: Another file has the name, or the working directory is not writable.

    Example:
        >>> Path("folder").mkdir()
        >>> link_archives({"model": "folder"})
        >>> Path("model").is_symlink()
        True
    """
    with _lock:
        for name, folder in folders.items():
            _link(Path.cwd() / name, Path(folder), replace)


def _link(link: Path, folder: Path, replace: bool) -> None:
    if link.exists() and link.resolve() == folder.resolve():
        return
    if os.path.lexists(link) and not (link.is_symlink() and (replace or not link.exists() or _PREFIX in str(link.readlink()))):
        raise ValidationException(
            f"The archive cannot be unpacked as '{link.name}': the working directory {link.parent} has something of this name.",
            hint="Give it another name: add_python_archive(path, 'another'), and read 'another/…' in the function.",
        )
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        # Other processes may do the same now: the link is created under another name and renamed.
        made = link.with_name(f".{link.name}-{os.getpid()}")
        made.symlink_to(folder, target_is_directory=True)
        made.replace(link)
    except OSError as error:
        raise ValidationException(
            f"The archive cannot be unpacked as '{link.name}' in the working directory {link.parent}: {error.strerror}.",
            hint="Start the program in a folder that it may write to.",
        ) from error
    _at_exit(os.getpid(), link, folder)


def _at_exit(process: int, link: Path, folder: Path) -> None:
    import atexit

    def remove() -> None:
        # Only the process that created the links removes them, not its forks.
        if os.getpid() == process and link.is_symlink() and link.resolve() == folder.resolve():
            link.unlink()

    atexit.register(remove)


def _unpack(file: Path) -> Path:
    import atexit
    import shutil
    import tarfile
    import tempfile
    import zipfile

    target = Path(tempfile.mkdtemp(prefix=_PREFIX))
    process = os.getpid()
    atexit.register(lambda: shutil.rmtree(target, ignore_errors=True) if os.getpid() == process else None)
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as zipped:
            zipped.extractall(target)
    elif tarfile.is_tarfile(file):
        with tarfile.open(file) as tarred:
            _refuse_outside(tarred.getmembers(), target, file)
            if hasattr(tarfile, "tar_filter"):
                tarred.extractall(target, filter="tar")
            else:  # Python before 3.11.4
                tarred.extractall(target)
    else:
        raise ValidationException(
            f"'{file}' is not an archive.", hint="Accepted are zip files (.zip, .whl, .egg), tar files (.tar.gz, .tgz) and folders."
        )
    return target


def _refuse_outside(members: Iterable[TarInfo], target: Path, file: Path) -> None:
    """Raises a ``ValidationException`` if a member would be written outside of the folder."""
    whole = target.resolve()
    for member in members:
        links = (
            [whole / Path(member.name).parent / member.linkname] if member.issym() else [whole / member.linkname] if member.islnk() else []
        )
        for path in (whole / member.name, *links):
            if not path.resolve().is_relative_to(whole):
                raise ValidationException(f"The archive '{file}' has a file outside of its folder: '{member.name}'.")
