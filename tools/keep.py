# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Take what a run of the tests kept (``AESFAB_KEEP``) into the files of the repository.

Of a whole test the line that was asked for stands alone: an older one is of an older tree. Other
lines stay, for nothing says of which check they are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from aesfab.system import files

TESTS = Path(__file__).parents[1] / "tests"
KEPT = ("passed.jsonl", "caught.jsonl", "folders.jsonl", "formal/proved.jsonl")
_OF_A_TEST = "tests/"
"""How the name of a whole test begins, as pytest has it."""


def merged(old: list[str], new: list[str]) -> list[str]:
    """The lines to keep, in their order."""
    asked = {_of(line) for line in new}
    stay = [line for line in old if not _of(line).startswith(_OF_A_TEST) or _of(line) not in asked]
    return sorted({*stay, *new})


def _of(line: str) -> str:
    return str(json.loads(line).get("of", ""))


def main(folder: Path, tests: Path = TESTS) -> None:
    """Take all from a folder, and empty it."""
    for name in KEPT:
        kept, given = tests / name, folder / Path(name).name
        if not given.exists():
            continue
        lines = merged(kept.read_text().splitlines(), given.read_text().splitlines())
        with files.whole_file(kept) as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
        given.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
