# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which nextpnr places and routes: the pinned YoWASP package, or a native one of the same version.

``AESFAB_NEXTPNR`` names native programs: a folder that holds ``nextpnr-ecp5``, ``nextpnr-ice40``,
``nextpnr-nexus`` or ``nextpnr-himbaechel``, or a command that stands before such a name, for
example ``nice -n 19`` or ``docker run IMAGE``. A program that the folder does not hold is taken
from its YoWASP package. A native program takes less processor time; another build of one version
may give other clocks, so a record says which build it is of.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from aesfab.devices import Device
from aesfab.eda import yosys
from aesfab.errors import AesfabError, ToolError
from aesfab.system import process

VARIABLE = "AESFAB_NEXTPNR"

_START_LIMIT = 120.0  # seconds for a program to say its version
_BUILD_DIGITS = 8


@dataclasses.dataclass(frozen=True)
class _Native:
    """A native program: how it is started, and what records call it."""

    command: tuple[str, ...]
    name: str


def version(device: Device) -> str:
    """What places and routes a device, for records: its package or program, version and build.

    Raises:
        AesfabError: the package is missing; ``AESFAB_NEXTPNR`` names what is not there, or a
            program of another version.
    """
    found = _native(device)
    return found.name if found else f"{device.nextpnr_package} {_package_version(device)}"


def command(device: Device) -> list[str]:
    """How to start the nextpnr of a device; errors as ``version``."""
    found = _native(device)
    return list(found.command) if found else yosys.yowasp_command(f"nextpnr-{device.nextpnr}")


def prepare(device: Device, progress: Callable[[str], None], timeout: float | None = None) -> None:
    """As ``yosys.prepare_yowasp``, where it is the YoWASP package that runs."""
    if not _native(device):
        yosys.prepare_yowasp(f"nextpnr-{device.nextpnr}", progress, timeout)


def _package_version(device: Device) -> str:
    package = device.nextpnr_package
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise AesfabError(f"{device.name} needs the Python package {package}") from error


def _native(device: Device) -> _Native | None:
    """The native program for a device; None where its YoWASP package runs."""
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return None
    # One program serves all families of himbaechel.
    program = f"nextpnr-{device.nextpnr.partition('-')[0]}"
    return _checked(given, program, _package_version(device))


@functools.cache
def _checked(given: str, program: str, wanted: str) -> _Native | None:
    """The native program that ``AESFAB_NEXTPNR`` gives, of the version of a YoWASP package."""
    folder = Path(given).expanduser()
    if folder.is_dir():
        path = folder.resolve() / program
        if not path.exists():
            if not any(folder.glob("nextpnr-*")):
                raise AesfabError(f"{VARIABLE}: there is no nextpnr in the folder {given}")
            return None
        started = [str(path)]
        try:
            build = process.content_key(path)
        except OSError as error:
            raise AesfabError(f"{VARIABLE}: cannot read {path}: {error.strerror}") from error
    else:
        try:
            words = shlex.split(given)
        except ValueError:
            words = [given]
        if shutil.which(words[0]) is None:
            raise AesfabError(f"{VARIABLE} is '{given}', which is neither a folder nor a command")
        started = [*words, program]
        build = process.content_key("\n".join(words), *_contents(words[0], program))
    try:
        said = process.run([*started, "--version"], what=program, timeout=_START_LIMIT)
    except ToolError as error:
        raise AesfabError(f"{VARIABLE}: {error}") from error
    found = re.search(r"\(Version (?:nextpnr-)?([^()\s]+)\)", said)
    if not found:
        raise AesfabError(f"{VARIABLE}: {shlex.join(started)} does not say its version")
    if _numbers(found[1]) != _numbers(wanted.partition(".post")[0]):
        raise AesfabError(
            f"{VARIABLE}: {shlex.join(started)} is version {found[1]}, "
            f"and this takes that of the package, {wanted}"
        )
    return _Native(tuple(started), f"{program} {found[1]} native {build[:_BUILD_DIGITS]}")


def _contents(before: str, program: str) -> list[bytes]:
    """What tells builds of a program apart behind a command.

    That is a program of this name on PATH, which may be what runs, and the command where it is a
    script. Other commands (``nice``, ``docker``) say nothing of the build.
    """
    found = []
    for name, scripts_only in ((program, False), (before, True)):
        path = shutil.which(name)
        try:
            found.append(_content(Path(path), scripts_only) if path else b"")
        except OSError as error:
            raise AesfabError(f"{VARIABLE}: cannot read {path}: {error.strerror}") from error
    return found


def _content(path: Path, scripts_only: bool) -> bytes:
    with path.open("rb") as file:
        return file.read() if not scripts_only or file.peek(2).startswith(b"#!") else b""


def _numbers(text: str) -> tuple[int, ...] | str:
    """A release as numbers without zeros at its end; other versions as they are."""
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        return text
    return tuple(int(n) for n in re.sub(r"(\.0+)+$", "", text).split("."))
