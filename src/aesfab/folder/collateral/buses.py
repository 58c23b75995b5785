# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The standard buses among the ports of a top module, found by the names of the ports."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from aesfab.design.ports import Port

STREAM, LITE, FULL = "AXI4-Stream", "AXI4-Lite", "AXI4"
WISHBONE, SLOT = "Wishbone", "memory slot"

_NAMES = (
    (STREAM, r"([sm]_\w+?)_(t(?:valid|ready|data|keep|last|user|id))(?:_[io])?"),
    (LITE, r"(s_axi)_((?:aw|w|b|ar|r)[a-z]+)"),
    (WISHBONE, r"(wb)_(\w+_[io])"),
    (SLOT, r"(slot)_(\w+_[io])"),
)


@dataclasses.dataclass(frozen=True)
class Bus:
    """A bus of a top module.

    Attributes:
        kind: ``STREAM``, ``LITE``, ``FULL``, ``WISHBONE`` or ``SLOT``.
        name: what the names of its ports begin with.
        signals: signal of the standard, in small letters, to port; of Wishbone and slot with
            ``_i`` or ``_o``, as seen from the top module.
    """

    kind: str
    name: str
    signals: dict[str, Port]

    @property
    def is_slave(self) -> bool:
        """Whether others offer on it, and the top module takes or answers."""
        return not self.name.startswith("m_")


def of(ports: Iterable[Port]) -> list[Bus]:
    """The buses of these ports, in their order."""
    found: dict[tuple[str, str], dict[str, Port]] = {}
    for port in ports:
        for kind, names in _NAMES:
            if match := re.fullmatch(names, port.name):
                found.setdefault((kind, match[1]), {})[match[2]] = port
                break
    return [
        Bus(FULL if kind == LITE and "awlen" in signals else kind, name, signals)
        for (kind, name), signals in found.items()
    ]
