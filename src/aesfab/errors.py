# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The errors that a user sees, and the exit status that each one ends the command with."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AesfabError(Exception):
    """Something the user can mend: printed as one line, without a traceback.

    Attributes:
        exit_status: what the command line ends with (2: the input is at fault).
    """

    exit_status = 2


class ToolError(AesfabError):
    """A tool that we call (Yosys, nextpnr, Verilator, the compiler) failed, hung or crashed.

    Attributes:
        log_tail: the last lines that the tool printed, for a record or a report.
    """

    exit_status = 1

    def __init__(self, message: str, log_tail: str = "") -> None:
        super().__init__(message)
        self.log_tail = log_tail


def unknown(kind: str, name: str, known: Iterable[str]) -> AesfabError:
    """The error for a name that does not exist, with the names that come nearest."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
    return AesfabError(f"unknown {kind} '{name}'; {hint}")
