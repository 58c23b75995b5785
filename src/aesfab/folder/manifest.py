# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The manifest of a generated folder: what it is of, and the hash of each of its files."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from aesfab import __version__
from aesfab.errors import AesfabError

FILE = "aesfab.json"
"""Its name in the folder."""

_SCHEMA = 1
_CHANGED = "changed since it was generated"


def text(facts: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """The manifest of files, name to text, as JSON; ``facts`` say what they are of."""
    hashes = {name: _hash(files[name].encode()) for name in sorted(files)}
    manifest = {"manifest": _SCHEMA, "aesfab": __version__, **facts, "files": hashes}
    return json.dumps(manifest, indent=2) + "\n"


def read(path: Path, facts: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
    """A manifest, with the facts that it must have, name to type.

    Raises AesfabError where it cannot be read or is none.
    """
    try:
        found = json.loads(path.read_text())
    except OSError as error:
        raise AesfabError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise AesfabError(f"{path} is not JSON: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("manifest"), int):
        raise AesfabError(f"{path} is no manifest of a generated folder")
    if found["manifest"] != _SCHEMA:
        raise AesfabError(
            f"{path} is manifest {found['manifest']}; this AESFab reads manifest {_SCHEMA}"
        )
    require(path, found, {**facts, "aesfab": str, "files": dict})
    for name, digest in found["files"].items():
        if not _is_inside(name) or not isinstance(digest, str):
            raise AesfabError(f"{path}: {name!r} is no file of a generated folder with its hash")
    return found


def require(
    path: Path, found: Mapping[str, Any], facts: Mapping[str, type | tuple[type, ...]]
) -> None:
    """AesfabError unless the manifest has these facts, name to type."""
    for name, kind in facts.items():
        if not isinstance(found.get(name), kind):
            raise AesfabError(f"{path} does not say '{name}' as a manifest does")


def changed(folder: Path, found: Mapping[str, Any]) -> dict[str, str]:
    """What differs in a folder from what its manifest says, by hashes alone: file to how."""
    said: Mapping[str, str] = found["files"]
    here = {name: _hash_of(folder, name) for name in sorted(said)}
    return {
        name: _CHANGED if digest else _absent(folder, name)
        for name, digest in here.items()
        if digest != said[name]
    }


def differences(folder: Path, found: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, str]:
    """What differs in a folder from what its manifest and this AESFab say, file to how.

    Args:
        folder: the folder.
        found: its manifest.
        files: what this AESFab writes for it, name to text, without the manifest.
    """
    said: Mapping[str, str] = found["files"]
    result = {}
    for name in sorted({*said, *files}):
        here = _hash_of(folder, name)
        if here is None:
            result[name] = _absent(folder, name)
            continue
        ours = _hash(files[name].encode()) if name in files else None
        if here == ours:
            continue
        if here != said.get(name):
            result[name] = _CHANGED
        elif ours is None:
            result[name] = f"AESFab {__version__} does not write it"
        else:
            result[name] = f"AESFab {__version__} writes another text"
    return result


def added(folder: Path, found: Mapping[str, Any]) -> list[str]:
    """What is in a folder beside the files that its manifest names, and beside the manifest.

    A folder with none of those files is one name, with ``/`` at its end. Names that begin with a
    dot are left out: they are of version control and of editors.
    """
    known = {FILE, *found["files"]}
    parents = {str(parent) for name in known for parent in PurePosixPath(name).parents}
    result: list[str] = []
    for here, folders, files in os.walk(folder):
        inside = PurePosixPath(Path(here).relative_to(folder).as_posix())
        for name in list(folders):
            path = str(inside / name)
            if path in parents and not (folder / path).is_symlink():
                continue
            folders.remove(name)
            result.append(path if (folder / path).is_symlink() else f"{path}/")
        result += (path for name in files if (path := str(inside / name)) not in known)
    return sorted(name for name in result if not PurePosixPath(name).name.startswith("."))


def left_over(folder: Path, files: Collection[str]) -> list[Path]:
    """Files that the manifest of a folder names, not in ``files``, and as they were written.

    An empty list where it has no manifest.
    """
    try:
        said: Mapping[str, str] = read(folder / FILE, {})["files"]
    except AesfabError:
        return []
    gone = (name for name in said if name not in files)
    return [folder / name for name in gone if _hash_of(folder, name) == said[name]]


def _absent(folder: Path, name: str) -> str:
    return "unreadable" if os.path.lexists(folder / name) else "missing"


def _is_inside(name: str) -> bool:
    """Whether a name is one of a file in a folder, as manifests have it."""
    parts = PurePosixPath(name).parts
    return name.isprintable() and "/" not in parts and ".." not in parts and bool(parts)


def _hash_of(folder: Path, name: str) -> str | None:
    """The hash of a file; None where there is no plain one that can be read, or behind a link."""
    if any((folder / parent).is_symlink() for parent in PurePosixPath(name).parents[:-1]):
        return None
    try:
        with open(folder / name, "rb", opener=_no_link) as file:
            return _hash(file.read()) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def _no_link(path: str, flags: int) -> int:
    # A pipe must not wait for who writes into it.
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
