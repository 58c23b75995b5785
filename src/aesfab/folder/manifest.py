# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The manifest of a generated folder: what it is of, and the hash of each of its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aesfab import __version__
from aesfab.errors import AesfabError

FILE = "aesfab.json"
"""Its name in the folder."""

_SCHEMA = 1


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
    return found


def require(
    path: Path, found: Mapping[str, Any], facts: Mapping[str, type | tuple[type, ...]]
) -> None:
    """AesfabError unless the manifest has these facts, name to type."""
    for name, kind in facts.items():
        if not isinstance(found.get(name), kind):
            raise AesfabError(f"{path} does not say '{name}' as a manifest does")


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
        try:
            here = _hash((folder / name).read_bytes())
        except OSError as error:
            result[name] = "missing" if isinstance(error, FileNotFoundError) else "unreadable"
            continue
        ours = _hash(files[name].encode()) if name in files else None
        if here == ours:
            continue
        if here != said.get(name):
            result[name] = "changed since it was generated"
        elif ours is None:
            result[name] = f"AESFab {__version__} does not write it"
        else:
            result[name] = f"AESFab {__version__} writes another text"
    return result


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
