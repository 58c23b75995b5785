# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The program run inside the tests, which is much quicker than a process of its own."""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from dataclasses import dataclass
from unittest import mock

from aesfab import cli


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit status, its output, and the traceback that escaped, if any."""

    status: int
    out: str
    err: str
    traceback: str


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def run(*arguments: str) -> Ran:
    """A command of the program, as the shell would run it, without its signal handlers."""
    out, err = _stream(), _stream()
    status, escaped = 0, ""
    with (
        mock.patch.object(sys, "argv", ["aesfab", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            cli.command()
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else int(error.code is not None)
        except BaseException:
            status, escaped = 70, traceback.format_exc()
    return Ran(status, _text(out), _text(err), escaped)
