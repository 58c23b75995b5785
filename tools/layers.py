# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The layers of the program, as ``tests/layers.toml`` has them."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "tests" / "layers.toml"


@dataclasses.dataclass(frozen=True)
class Layer:
    """Modules and packages directly below ``aesfab`` that may use each other and lower layers.

    Attributes:
        modules: their names.
        what: what they do.
    """

    modules: tuple[str, ...]
    what: str


def load() -> list[Layer]:
    """The layers from the ground up."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["layer"]
    return [Layer(tuple(table["modules"]), table["what"]) for table in tables]
