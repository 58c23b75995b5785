# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The checks of legality in the RTL, printed from ``aesfab.design.rules``."""

from __future__ import annotations

from pathlib import Path

from aesfab.design import rules
from aesfab.hdl import rtl

_BEGIN = "  // Legality: "
_RULE = f"  {'/' * 75}\n"


def files() -> dict[Path, str]:
    """The modules that check, with their checks as the rules have them."""
    core = [
        *rules.declarations(),
        "",
        *rules.checks(rules.CORE),
        "",
        *rules.checks(rules.HARDENED),
    ]
    return {
        rtl.file("aes_core"): _with(rtl.file("aes_core"), core),
        rtl.file("aes_words"): _with(rtl.file("aes_words"), rules.checks(rules.WORDS)),
    }


def _with(path: Path, lines: list[str]) -> str:
    """The text of a module with these lines between the head of the section and the next one."""
    before, mark, rest = path.read_text().partition(_BEGIN)
    head, _, section = rest.partition(_RULE)
    behind = section[section.index(_RULE) :]
    return f"{before}{mark}{head}{_RULE}\n" + "\n".join(lines) + f"\n\n{behind}"
