# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What long tests say is kept in files of the repository, by the identity of what it follows from.

Such a test need not run while nothing of that has changed, but for a sample, which always does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SAMPLE = 16
"""One of so many that are known runs all the same."""


def in_sample(identity: str) -> bool:
    """Whether what has this identity, a hash in hexadecimal, runs in any case."""
    return int(identity, 16) % SAMPLE == 0


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a file, none where there is no such file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def add(path: Path, record: Mapping[str, Any]) -> None:
    """Append a record, short enough to be written whole where several processes do the same."""
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")
