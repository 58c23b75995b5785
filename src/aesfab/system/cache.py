# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What takes time to make is kept in the user's cache folder, and believed only when it is whole.

An entry is a folder ``kept/KIND/KEY`` with one or more files, and beside them a manifest with a
digest of each. The key is a hash of everything that the entry follows from. On reading, the files
are compared with the manifest: an entry that was cut off, altered, emptied or replaced by something
else is made anew. An entry is on the disk before it takes its name, and takes it as a whole, so
several processes may share the cache and any of them may be killed.

Where nothing can be written there, what takes seconds (``file``, ``text``, ``source``) is made each
time, in a folder that goes at the end of the program: so commands that only read need no cache.

That guards against a disk or a crash, not against somebody who may write to the user's files.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from aesfab.errors import AesfabError
from aesfab.system import files, process

_MANIFEST = ".manifest.json"
_CONTENT = "content"
_AGE = 86400.0  # seconds without use after which an entry may be removed
_NUMBER = {"canonical": 128, "models": 256}  # entries of a kind that are kept however old they are
_USUAL_NUMBER = 8192


listeners: list[Callable[[str], None]] = []
"""They are told the kind of each entry that is about to be made."""


def place(kind: str) -> Path:
    """The folder of the entries of a kind, made if missing; AesfabError when it cannot be made."""
    return process.cache_dir("kept", kind)


def folder(kind: str, key: str, make: Callable[[Path], None]) -> Path:
    """The folder of an entry, from the cache or made now.

    Args:
        kind: what sort of thing it is, for the name of a folder.
        key: a hash of everything that it follows from.
        make: fills an empty folder with the files of the entry.

    Raises:
        AesfabError: an unwritable cache.
        ToolError: and others, as ``make``.
    """
    return _folder(place(kind), kind, key, make)


def _folder(here: Path, kind: str, key: str, make: Callable[[Path], None]) -> Path:
    """``folder`` in the folder of the entries of its kind."""
    entry = here / key
    try:
        if not _is_there(entry, kind, key):
            with _locked(here / f".{key}.lock"):
                if not _is_whole(entry, kind, key):
                    _make(entry, kind, key, make)
            _prune(here, kind)
    except OSError as error:
        raise AesfabError(f"cannot write to the cache {here}: {error.strerror}") from error
    return entry


def file(kind: str, key: str, name: str, make: Callable[[Path], None]) -> Path:
    """The only file of an entry; ``make`` writes it to the path that it is given. See ``folder``.

    Its name is ``name``, for tools that make something of it. Where the cache cannot be written it
    is made all the same, and stderr says so once.
    """
    try:
        here = place(kind)
        if _is_there(here / key, kind, key):
            return here / key / name
        # What a user may do does not say what a file system allows.
        with tempfile.TemporaryFile(dir=here):
            pass
    except (AesfabError, OSError):
        here = _instead(kind)
    return _folder(here, kind, key, lambda empty: make(empty / name)) / name


def _instead(kind: str) -> Path:
    """A folder for entries of a kind as long as the program runs."""
    here = _until_the_end() / kind
    here.mkdir(exist_ok=True)
    return here


@functools.cache
def _until_the_end() -> Path:
    """A folder that goes at the end of the program; said once, for what is made takes time."""
    print(
        f"aesfab: cannot write to the cache {process.cache_base()}, so what takes time is made "
        "each time; AESFAB_CACHE names another folder",
        file=sys.stderr,
    )
    kept = contextlib.ExitStack()
    atexit.register(kept.close)
    return kept.enter_context(process.temporary_folder())


def text(kind: str, key: str, make: Callable[[], str]) -> str:
    """A text, from the cache or made now. See ``folder``."""
    entry = file(kind, key, _CONTENT, lambda path: _write(path, make()))
    return entry.read_text(encoding="utf-8")


def source(content: str, name: str) -> Path:
    """A file of this name with this text, for tools that read files."""
    key = process.content_key(content)
    return file("wrappers", key, name, lambda path: _write(path, content))


def _write(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


# --------------------------------------------------------------------------- checking


def _digests(entry: Path) -> dict[str, list[str | bool]]:
    """The files of an entry: a digest of each, and whether it may be run."""
    found: dict[str, list[str | bool]] = {}
    for path in sorted(entry.rglob("*")):
        if path == entry / _MANIFEST or (path.is_dir() and not path.is_symlink()):
            continue
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
            runs = bool(os.fstat(content.fileno()).st_mode & 0o100)
        found[str(path.relative_to(entry))] = [digest, runs]
    return found


def _is_whole(entry: Path, kind: str, key: str) -> bool:
    """Whether an entry is there as it was made."""
    try:
        said = json.loads((entry / _MANIFEST).read_bytes())
        return bool(said == {"kind": kind, "key": key, "files": _digests(entry)} and said["files"])
    except (OSError, ValueError, RecursionError):
        return False


def _is_there(entry: Path, kind: str, key: str) -> bool:
    """Whether an entry is there as it was made; then it counts as used now, for ``_prune``."""
    whole = _is_whole(entry, kind, key)
    if whole:
        with contextlib.suppress(OSError):
            os.utime(entry)
    return whole


def sealed(content: bytes) -> bytes:
    """A content with its digest in front, for what is kept in single files."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def unsealed(content: bytes) -> bytes | None:
    """What ``sealed`` was given; None for what is not as it was made."""
    _, _, inner = content.partition(b"\n")
    return inner if sealed(inner) == content else None


# ----------------------------------------------------------------------------- making


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone among all processes that name this file; the system frees it when we are killed."""
    if path.is_dir():
        _remove(path)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _make(entry: Path, kind: str, key: str, make: Callable[[Path], None]) -> None:
    # Ours alone now: what is there was left by a process that was killed.
    partial = entry.with_name(f".{key}.partial")
    _remove(partial)
    for listener in listeners:
        listener(kind)
    partial.mkdir()
    try:
        make(partial)
        manifest = {"kind": kind, "key": key, "files": _digests(partial)}
        (partial / _MANIFEST).write_text(json.dumps(manifest))
        for path in (*partial.rglob("*"), partial):
            files.to_disk(path)
        _remove(entry)
        partial.rename(entry)
        files.to_disk(entry.parent)
    except BaseException:
        _remove(partial)
        raise


def _remove(path: Path) -> None:
    """Remove whatever is there, if anything is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _prune(here: Path, kind: str) -> None:
    """Remove the entries that were not used for longest, beyond the number that is kept."""
    with contextlib.suppress(OSError):
        entries = [path for path in here.iterdir() if not path.name.startswith(".")]
        if len(entries) <= (number := _NUMBER.get(kind, _USUAL_NUMBER)):
            return
        entries.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for entry in entries[number:]:
            if time.time() - entry.stat().st_mtime > _AGE:
                _remove(entry)
                _remove(entry.with_name(f".{entry.name}.lock"))
