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


_MANY = 40
"""A list of more names than this helps nobody who reads one line."""


def unknown(kind: str, name: str, known: Iterable[str], see: str = "") -> AesfabError:
    """The error for a name that does not exist: names that are near, and the list of all.

    Near are those that begin with it or differ by a letter or two. A long list is left out for
    ``see``, which says where it is.
    """
    known = list(known)
    begin = [each for each in known if name and each.startswith(name)]
    near = (difflib.get_close_matches(name, known, n=3, cutoff=0.75) + begin)[:3]
    hint = f"did you mean {' or '.join(dict.fromkeys(near))}? " if near else ""
    every = see if see and len(known) > _MANY else f"known: {', '.join(known)}"
    return AesfabError(f"unknown {kind} '{name}'; {hint}{every}")


_LONGEST_PATTERN = 256


def require_pattern(pattern: str) -> None:
    """AesfabError for a pattern of names that is longer than any name.

    To match one takes time with the square of the brackets that it opens and does not close.
    """
    if len(pattern) > _LONGEST_PATTERN:
        raise AesfabError(f"a pattern of names has {_LONGEST_PATTERN} characters at most")
