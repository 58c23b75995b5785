# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The command line: thin commands over the modules that do the work.

A module here holds a group of commands; ``options`` and ``output`` are what they share. This one
puts them in the order of ``aesfab --help``, and says what went wrong in one line.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn

import typer

from aesfab import __version__, extras
from aesfab.cli import cipher, compare, designs, explore, host, measure
from aesfab.cli.options import needs
from aesfab.errors import AesfabError, ToolError

# Typer exports only some of the exceptions with which it refuses a command line; this is the base
# of them all.
_ClickException: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="AES cores for FPGAs: generated, verified and measured in one open flow.",
)

for _name, _command, *_extras in (
    ("list", designs.list_),
    ("show", designs.show),
    ("generate", designs.generate_),
    ("verify", designs.verify_, "verify"),
    ("encrypt", cipher.encrypt, "verify"),
    ("decrypt", cipher.decrypt, "verify"),
    ("implement", measure.implement_, "measure"),
    ("components", measure.components_, "measure"),
    ("papers", compare.papers_),
    ("classes", compare.classes_),
    ("devices", designs.devices_),
    ("explore", explore.explore_, "measure"),
    ("results", explore.results_),
    ("report", compare.report_, "report"),
    ("demo", cipher.demo, "verify", "measure"),
):
    app.command(_name)(needs(*_extras)(_command))
app.add_typer(host.app, name="host")


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


def _terminated(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(143)


@contextlib.contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what went wrong into one line on standard error and an exit status."""

    def stop(message: str, status: int) -> NoReturn:
        line = " ".join(message.split())
        print(f"aesfab: {line}", file=sys.stderr)
        raise SystemExit(status)

    try:
        yield
    except AesfabError as error:
        if isinstance(error, ToolError) and error.log_tail:
            print(error.log_tail, file=sys.stderr)
        stop(str(error), error.exit_status)
    except ModuleNotFoundError as error:
        missing = extras.of_module(error.name)
        if missing is None:
            raise
        stop(str(missing), missing.exit_status)
    except _ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help
            print(error.format_message(), file=sys.stderr)
            raise SystemExit(2) from None
        stop(error.format_message(), 2)
    except (typer.Abort, KeyboardInterrupt):
        stop("interrupted", 130)
    except BrokenPipeError:
        # Whoever read our output has left; the interpreter must not complain about that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        stop(f"cannot go on:{where} {error.strerror or error}", 1)


def main() -> None:
    """Entry point of the ``aesfab`` program."""
    signal.signal(signal.SIGTERM, _terminated)
    with _one_line_errors():
        status = typer.main.get_command(app).main(standalone_mode=False)
        if isinstance(status, int) and status:
            raise SystemExit(status)
