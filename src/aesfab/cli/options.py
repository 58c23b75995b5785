# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands take, and what is made of their words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from aesfab import catalogue, oracle
from aesfab.catalogue import Named
from aesfab.devices import DEVICES
from aesfab.errors import AesfabError

DesignArgument = Annotated[str, typer.Argument(metavar="DESIGN", help="name, see 'aesfab list'")]
OverridesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[AXIS=VALUE]...", help="axes to change")
]
DesignsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="DESIGN... [AXIS=VALUE]...", help="names, and axes to change in all"),
]
AllOption = Annotated[bool, typer.Option("--all", help="every design of the catalogue")]
JsonOption = Annotated[bool, typer.Option("--json", help="print JSON for scripts")]
RecordsOption = Annotated[
    Path | None, typer.Option("--records", metavar="FILE", help="where records are kept")
]
FolderOption = Annotated[
    Path, typer.Option("-o", "--output", metavar="DIR", help="folder to write")
]
NameOption = Annotated[
    str, typer.Option("--name", metavar="NAME", help="of the top module, instead of the usual one")
]
PrefixOption = Annotated[
    str,
    typer.Option(
        "--prefix",
        metavar="TEXT",
        help="of the names inside, not the top module's and _inner_",
    ),
]
RandomOption = Annotated[int, typer.Option("--seed", help="of everything that is random")]

# Of one design, by options, where a command's arguments are files.
CipherDesignOption = Annotated[
    str, typer.Option("--design", metavar="DESIGN", help="name, see 'aesfab list'")
]
AxisOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="AXIS=VALUE", help="axis to change")
]

# Of encryption.
ModeOption = Annotated[str, typer.Option("--mode", help=", ".join(oracle.MODES))]
KeyOption = Annotated[str, typer.Option("--key", metavar="HEX", help="32, 48 or 64 hex digits")]
IvOption = Annotated[
    str | None, typer.Option("--iv", metavar="HEX", help="32 hex digits; all modes but ecb")
]
FileArgument = Annotated[Path, typer.Argument(metavar="IN", help="file to read")]
ResultArgument = Annotated[Path, typer.Argument(metavar="OUT", help="file to write")]

# Of measurements.
DeviceOption = Annotated[str, typer.Option("--device", metavar="DEV", help=", ".join(DEVICES))]
SeedsOption = Annotated[int, typer.Option("--seeds", min=1, help="place-and-route seeds, from 1")]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="runs at a time")]
TimeoutOption = Annotated[
    float,
    typer.Option("--timeout", min=1, metavar="SECONDS", help="limit for each run of a tool"),
]
RemeasureOption = Annotated[
    bool, typer.Option("--force", help="measure again from the start what is recorded")
]
JOBS = os.cpu_count() or 1
"""Runs at a time, if not said."""

# Of graphs.
SvgOption = Annotated[
    Path | None, typer.Option("--svg", metavar="DIR", help="write the graphs as SVG files")
]
PngOption = Annotated[bool, typer.Option("--png", help="and as PNG files")]


def check_graphs(svg: Path | None, png: bool) -> None:
    """AesfabError for ``--png`` without a folder."""
    if png and svg is None:
        raise AesfabError("--png goes with --svg DIR")


def chosen_designs(arguments: list[str] | None, every: bool) -> list[Named]:
    """Designs out of names and ``axis=value`` words, or every design."""
    words = arguments or []
    names = [word for word in words if "=" not in word]
    overrides = [word for word in words if "=" in word]
    if every and words:
        raise AesfabError("--all goes without names and axes")
    if every:
        names = list(catalogue.CATALOGUE)
    if not names:
        raise AesfabError("name a design, or give --all; 'aesfab list' shows them")
    return [catalogue.find(name, overrides) for name in names]


def refuse_given(context: typer.Context, option: str, *names: str) -> None:
    """AesfabError for an option of these parameters beside ``option``, which has no use for it."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            said = next(p.opts[0] for p in context.command.params if p.name == name)
            raise AesfabError(f"{option} goes without {said}")
