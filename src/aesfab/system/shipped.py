# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files that come with AESFab beside its Python code: RTL, C library, records, licence."""

from __future__ import annotations

from pathlib import Path

from aesfab.errors import AesfabError

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package ``aesfab``."""


def find(name: str, *, in_wheel: str | None = None, mark: str = "") -> Path | None:
    """A file or folder of the repository; None where it is missing.

    Args:
        name: its path in a checkout, from the root.
        in_wheel: its path inside the installed package, where that is another one.
        mark: a file that a folder must hold.
    """
    for path in (PACKAGE / (in_wheel or name), PACKAGE.parents[1] / name):
        if (path / mark).exists():
            return path
    return None


def require(name: str, *, in_wheel: str | None = None, mark: str = "") -> Path:
    """The same; AesfabError where it is missing."""
    path = find(name, in_wheel=in_wheel, mark=mark)
    if path is None:
        raise AesfabError(f"{name} of AESFab is missing from this installation")
    return path
