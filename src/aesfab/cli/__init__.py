# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The command line: thin commands over the modules that do the work.

A module here holds a group of commands; ``options`` and ``output`` are what they share. This one
puts them in the order of ``aesfab --help``, imports the one that is asked for, and says what went
wrong in one line.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import importlib
import io
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn

import typer

from aesfab import __version__, extras
from aesfab.cli.options import Group
from aesfab.errors import AesfabError, ToolError
from aesfab.system import cache

# Typer exports only some of the exceptions with which it refuses a command line; this is the base
# of them all.
_ClickException: Any = typer.BadParameter.__mro__[2]

_COMMANDS = {
    "list": "designs.listing.list_",
    "show": "designs.listing.show",
    "choose": "choose.choose_",
    "generate": "designs.making.generate_",
    "verify": "designs.verification.verify_",
    "wave": "designs.making.wave_",
    "encrypt": "cipher.encrypt",
    "decrypt": "cipher.decrypt",
    "implement": "measure.implement_",
    "components": "measure.components_",
    "papers": "compare.papers_",
    "classes": "compare.classes_",
    "devices": "designs.listing.devices_",
    "explore": "explore.explore_",
    "results": "explore.results_",
    "report": "compare.report_",
    "demo": "cipher.demo",
    "host": "host.app",
    "board": "board.app",
}
"""Commands in the order of ``aesfab --help``, each with its module here and its name there."""


def _load(name: str) -> Any:
    """A command, or a group of them; its module is imported here, and no other one."""
    module, _, attribute = _COMMANDS[name].rpartition(".")
    found = getattr(importlib.import_module(f"aesfab.cli.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name)(found)
        found = alone
    command = typer.main.get_command(found)
    command.name = name
    return command


class _Commands(dict[str, Any]):
    """Commands by name, each loaded when it is looked at: a module takes a tenth of a second."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(_COMMANDS))

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            self[name] = _load(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """As of any dictionary."""
        return self[name] if name in self else default  # noqa: SIM401 - this is it

    def values(self) -> Any:
        """As of any dictionary, and all of them are loaded."""
        return [self[name] for name in self]

    def items(self) -> Any:
        """As of any dictionary, and all of them are loaded."""
        return [(name, self[name]) for name in self]


class _Root(Group):
    """The commands of ``aesfab``."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.commands = _Commands()


app = typer.Typer(
    cls=_Root,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="AES cores for FPGAs: generated, verified and measured in one open flow.",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"aesfab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """AES cores for FPGAs: generated, verified and measured in one open flow."""


_LONGEST = 2000  # letters of a message; names in it may be of any length

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


class _Ended(BaseException):
    """A signal ends the command: what it has begun is cleaned up on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


def _on_signal(number: int, _frame: object) -> NoReturn:
    # A second one would break into the cleaning up.
    for name in (*_ENDING, "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    raise _Ended(number)


def _on_broken_pipe(number: int, _frame: object) -> None:
    """Somebody has left: who reads our output, who sent this signal, or a worker of Dask.

    The last may happen, and Dask hears of it in another way.
    """
    watched = select.poll()
    for descriptor in (1, 2):
        watched.register(descriptor, 0)
    gone = any(event & select.POLLERR for _, event in watched.poll(0))
    if gone or "distributed" not in sys.modules:
        _on_signal(number, _frame)


def _listen() -> None:
    """Handle the signals that end a command, but for those that whoever started us has ignored."""
    for name in _ENDING:
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)
    # Python itself ignores this one.
    signal.signal(signal.SIGPIPE, _on_broken_pipe)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What cannot be written in the encoding of the terminal, as JSON and Python write it."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = zip(units[::2], units[1::2], strict=True)
    return "".join(f"\\u{256 * high + low:04x}" for high, low in pairs), error.end


def _speak() -> None:
    """Let no letter stop the output, whatever the encoding of the terminal is."""
    codecs.register_error("aesfab", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="aesfab")


def _leave_output() -> None:
    """Write to nowhere from here on, so that the interpreter does not complain at its end."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _stop(message: str, status: int) -> NoReturn:
    """End with a line on standard error and this status."""
    line = " ".join(message.split())
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST]} ..."
    with contextlib.suppress(OSError):  # nobody may read it
        print(f"aesfab: {line}", file=sys.stderr)
        sys.stderr.flush()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _leave_output()
    raise SystemExit(status)


_WRONG = {
    "int_parsing": "no whole number",
    "float_parsing": "no number",
    "greater_than_equal": "less than {ge:g}",
    "less_than_equal": "more than {le:g}",
}
"""What is wrong with a number, by the kind of the error, with the fields of its limit."""


def _refused(error: Any) -> str:
    """What Typer refuses a command line by: of a number the option, the value and what it is."""
    cause, option = error.__cause__, getattr(error, "param", None)
    first = cause.errors()[0] if hasattr(cause, "errors") else {}
    wrong = _WRONG.get(first.get("type", ""))
    if wrong is None or option is None:
        said = str(error.format_message())
        context = getattr(error, "ctx", None)
        if context is not None and "extra argument" in said:
            said += f"; '{context.command_path} --help' says what it takes"
        return said
    meaning = f"; it is: {option.help}" if getattr(option, "help", None) else ""
    said = wrong.format(**first.get("ctx", {}))
    return f"{option.opts[0]}: '{first['input']}' is {said}{meaning}"


@contextlib.contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what went wrong into one line on standard error and an exit status."""
    try:
        yield
    except AesfabError as error:
        if isinstance(error, ToolError) and error.log_tail:
            print(error.log_tail, file=sys.stderr)
        _stop(str(error), error.exit_status)
    except ModuleNotFoundError as error:
        missing = extras.of_module(error.name)
        if missing is None:
            raise
        _stop(str(missing), missing.exit_status)
    except _ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help
            print(error.format_message(), file=sys.stderr)
            raise SystemExit(2) from None
        _stop(_refused(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        _stop("interrupted", 130)
    except BrokenPipeError:
        _leave_output()
        raise SystemExit(141) from None
    except RecursionError:
        _stop("an input is nested too deeply", 2)
    except MemoryError:
        _stop("no memory left", 1)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        # These come from a name that a user gave, others from a disk or a system.
        named = error.errno in (errno.ENAMETOOLONG, errno.ELOOP)
        _stop(f"cannot go on:{where} {error.strerror or error}", 2 if named else 1)


class _Patience:
    """Says on standard error what takes so long where RTL is not the one that records came with.

    Nothing in the first seconds, then a line now and then.
    """

    def __init__(self) -> None:
        self._number = 0
        self._begun = self._told = 0.0

    def __call__(self, kind: str) -> None:
        if kind not in _ELABORATED:
            return
        now = time.monotonic()
        if not self._number:
            self._begun = self._told = now
        self._number += kind == "netlists"
        if now - self._begun < _PATIENCE or now - self._told < _PATIENCE:
            return
        self._told = now
        print(
            "aesfab: elaborating designs whose RTL has not been met before, "
            f"{self._number} so far; what is found is kept",
            file=sys.stderr,
            flush=True,
        )


_ELABORATED = ("needed", "netlists")
_PATIENCE = 3.0  # seconds without a line


def command() -> None:
    """Do what the command line says; ends with SystemExit where the status is not 0."""
    cache.listeners[:] = [_Patience()]
    with _one_line_errors():
        try:
            status = typer.main.get_command(app).main(standalone_mode=False)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
        if isinstance(status, int) and status:
            raise SystemExit(status)


def main() -> None:
    """Entry point of the ``aesfab`` program."""
    try:
        _listen()
        _speak()
        command()
    except _Ended as error:  # from anywhere, also while another end was on its way
        if error.signal is signal.SIGPIPE:
            _leave_output()
            raise SystemExit(141) from None
        interrupted = error.signal is signal.SIGINT
        _stop("interrupted" if interrupted else f"ended by {error.signal.name}", 128 + error.signal)
