# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands that make something of a design: generate, wave."""

from __future__ import annotations

import dataclasses
import errno
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aesfab import extras
from aesfab.cli.options import (
    AxisOption,
    CheckOption,
    DesignArgument,
    FormatOption,
    JsonOption,
    ManifestOption,
    NameOption,
    OptionalDesignArgument,
    OverridesArgument,
    PrefixOption,
    find_core,
    refuse_empty,
    refuse_given,
)
from aesfab.cli.output import (
    Bars,
    as_line,
    check_folder,
    print_beside,
    print_json,
)
from aesfab.engine import every as engines
from aesfab.errors import AesfabError
from aesfab.folder import generate
from aesfab.system import files
from aesfab.verify import wave

if TYPE_CHECKING:
    from aesfab.engine.folder import AnyFolder


def _folders() -> Sequence[type[generate.Folder | AnyFolder[Any]]]:
    """The kinds of folders that ``generate`` writes."""
    return (generate.Folder, *engines.folders())


def generate_(
    context: typer.Context,
    design: OptionalDesignArgument = None,
    overrides: OverridesArgument = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="folder to write")
    ] = None,
    output_format: FormatOption = "systemverilog",
    name: NameOption = "",
    prefix: PrefixOption = "",
    library: Annotated[
        bool,
        typer.Option(
            "--library", help="the top module alone, on the FuseSoC core of the whole RTL"
        ),
    ] = False,
    syn: Annotated[
        bool | None,
        typer.Option(
            "--syn/--no-syn",
            help="with the scripts that take its figures again (default: where Yosys is)",
        ),
    ] = None,
    source: ManifestOption = None,
    check: CheckOption = None,
    force: Annotated[bool, typer.Option("--force", help="write into a non-empty folder")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the self-contained folder of a core, or check one against its manifest."""
    refuse_empty(context, "name", "prefix")
    chosen = ("design", "overrides", "output_format", "name", "prefix", "library", "syn")
    if check is not None:
        refuse_given(context, "--check", *chosen, "output", "source", "force")
        check_folder(_folders(), check, as_json)
        return
    if output is None:
        raise AesfabError("say where to with -o DIR")
    folder: generate.Folder | AnyFolder[Any]
    if source is not None:
        refuse_given(context, "--from", *chosen)
        folder = generate.kind_of(source, _folders()).read(source)[0]
    elif design is None:
        raise AesfabError("name a design, see 'aesfab list', or give --from or --check")
    elif engines.is_engine(design):
        if library:
            raise AesfabError("--library is for cores; an engine's folder stands alone")
        engine = dataclasses.replace(engines.find(design, overrides or []), top=name)
        folder = engines.folder(engine, output_format, prefix)
        if syn is not None:
            folder = dataclasses.replace(folder, syn=syn)
    else:
        named = dataclasses.replace(find_core(design, overrides or []), top=name)
        if syn and library:
            raise AesfabError("--syn goes without --library, whose folder quotes no figure")
        folder = generate.Folder(named, output_format, prefix, library)
        if syn is not None:
            folder = dataclasses.replace(folder, syn=syn)
    folder.require_possible(output, force)
    with Bars() as bars:
        files = folder.write(output, force, bars.line)
    if as_json:
        print_json(
            {
                "design": folder.named.name,
                "module": folder.named.module,
                "prefix": folder.names().prefix,
                "files": [str(file) for file in files],
            }
        )
        return
    for file in files:
        print(str(output / file))


def wave_(
    design: DesignArgument,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="waveform to write, VCD")
    ],
    overrides: OverridesArgument = None,
    axes: AxisOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the waveform of a short run with NIST vectors: every signal of the core, as VCD."""
    words = [*(overrides or []), *(axes or [])]
    if engines.is_engine(design):
        mine = shlex.join([design, *words])
        raise AesfabError(
            f"'{design}' is an engine, and this is for cores; the testbench in the folder of "
            f"'aesfab generate {mine} -o DIR' writes a waveform with +vcd=FILE.vcd, as its "
            "README.md says"
        )
    named = find_core(design, words)
    named.design.require_legal()
    # Refuse what can be refused before a model is built.
    try:
        files.target(output)
        if not output.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    except OSError as error:
        raise AesfabError(f"cannot write {output}: {error.strerror}") from error
    extras.require("verify")
    with Bars() as bars:
        shown = wave.wave(named, generate.sources(named), output, progress=bars.step)
    if as_json:
        facts_ = {"design": named.name, "file": str(output), "blocks": shown.blocks}
        facts_ |= {"clocks": shown.clocks, "failures": [f.to_json() for f in shown.failures]}
        print_beside(output, as_line(facts_))
    else:
        print_beside(
            output,
            f"{output}: {shown.blocks} blocks in {shown.clocks} clocks; open it with: "
            f"gtkwave {shlex.quote(str(output))}",
        )
    for failure in shown.failures[:1]:
        print(str(failure), file=sys.stderr)
    if shown.failures:
        raise SystemExit(1)
