# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Loading a bitstream into a board: openFPGALoader, where it is installed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from aesfab.errors import AesfabError
from aesfab.system import files, process

PROGRAM = "openFPGALoader"

_LIMIT = 600.0  # seconds


def command(folder: Path, *, flash: bool = False) -> list[str]:
    """The command that loads what ``board build`` wrote into a folder.

    Args:
        folder: with ``timing.json`` and the bitstream that it names.
        flash: into the flash memory.

    Raises:
        AesfabError: there is no such folder, or openFPGALoader is not installed.
    """
    report = folder / "timing.json"
    try:
        said = json.loads(files.small_text(report, "the report"))
        name, bitstream = str(said["loader"]), folder / str(said["bitstream"])
    except (ValueError, KeyError, TypeError) as error:
        raise AesfabError(f"{report} is not of 'aesfab board build'") from error
    if not bitstream.is_file():
        raise AesfabError(f"there is no bitstream {bitstream}")
    if shutil.which(PROGRAM) is None:
        raise AesfabError(
            f"{PROGRAM} is not installed; on Debian or Ubuntu: sudo apt install openfpgaloader; "
            "elsewhere see https://trabucayre.github.io/openFPGALoader/guide/install.html"
        )
    return [PROGRAM, "-b", name, *(["-f"] if flash else []), str(bitstream)]


def run(words: Sequence[str]) -> None:
    """Run it; ToolError with the end of what it says where it fails."""
    process.run(words, what="loading the board", timeout=_LIMIT)
