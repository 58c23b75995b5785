# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""AESFab: a family of AES cores for FPGAs, generated, verified and measured.

For programs: ``aesfab.choose``, ``aesfab.core``, ``aesfab.find_engine``, ``aesfab.library``,
``aesfab.names``, ``aesfab.rows``, ``aesfab.table`` and ``aesfab.AesfabError``; see ``aesfab.api``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aesfab.api import Core, Engine, choose, core, find_engine, library, names, rows, table
    from aesfab.errors import AesfabError

__version__ = "0.1.0"

__all__ = [
    "AesfabError", "Core", "Engine", "__version__",
    "choose", "core", "find_engine", "library", "names", "rows", "table",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What is for programs, imported when it is asked for: the command line starts without it."""
    if name not in __all__:
        raise AttributeError(f"module 'aesfab' has no attribute '{name}'")
    from aesfab import api, errors

    return getattr(errors if name == "AesfabError" else api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
