# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The errors that a user sees, and the exit status that each one ends the command with."""

from __future__ import annotations

import difflib
import fnmatch
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

    Near are those that begin with it or differ by a letter or two, whether letters are large or
    small. A long list is left out for ``see``, which says where it is.
    """
    known = list(known)
    near = _near_names(name, known)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    every = see if see and len(known) > _MANY else f"known: {', '.join(known)}"
    return AesfabError(f"unknown {kind} '{name}'; {hint}{every}")


def _near_names(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names that are near one that does not exist, see ``unknown``."""
    folded = {each.lower(): each for each in known}
    wanted = name.lower()
    if wanted in folded:
        return [folded[wanted]]
    begin = [each for each in folded if wanted and each.startswith(wanted)]
    near = difflib.get_close_matches(wanted, folded, n=3, cutoff=0.75) + begin
    return [folded[each] for each in dict.fromkeys(near)][:3]


_LONGEST_PATTERN = 256


def require_pattern(pattern: str) -> None:
    """AesfabError for a pattern of names that is longer than any name.

    To match one takes time with the square of the brackets that it opens and does not close.
    """
    if len(pattern) > _LONGEST_PATTERN:
        raise AesfabError(f"a pattern of names has {_LONGEST_PATTERN} characters at most")


def like(kind: str, pattern: str, known: Iterable[str], see: str = "") -> list[str]:
    """The names that are like a pattern; AesfabError where none is. For ``see`` see ``unknown``."""
    known = list(known)
    require_pattern(pattern)
    found = fnmatch.filter(known, pattern)
    if not found:
        raise unknown(kind, pattern, known, see)
    return found
