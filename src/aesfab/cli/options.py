# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands take, and what is made of their words."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from aesfab import records
from aesfab.design import catalogue
from aesfab.design.axes import AXES
from aesfab.design.catalogue import Named
from aesfab.devices import DEVICES
from aesfab.engine import every as engines
from aesfab.errors import AesfabError
from aesfab.folder import generate, manifest
from aesfab.measure import plan, subjects
from aesfab.system import files
from aesfab.verify import oracle


def completed(known: Iterable[str] | Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What the shell offers for a word that has begun; a function is called when it asks."""
    listed = None if callable(known) else list(known)

    def offered(incomplete: str) -> list[str]:
        # What cannot be read is not offered; the command says why.
        with contextlib.suppress(AesfabError):
            names = known() if callable(known) else listed or ()
            return [name for name in names if name.startswith(incomplete)]
        return []

    return offered


CORES_COMPLETED = completed(catalogue.CATALOGUE)
DESIGNS_COMPLETED = completed((*catalogue.CATALOGUE, *engines.names()))


def _axes(incomplete: str) -> list[str]:
    """What the shell offers for an axis, or for its value once that has begun."""
    axis, equals, value = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name in AXES if name.startswith(axis)]
    values = (str(member.value) for member in AXES.get(axis, ()))
    return [f"{axis}={each}" for each in values if each.startswith(value)]


recipes_completed = completed(
    ["all", *dict.fromkeys(recipe for device in DEVICES.values() for recipe in device.recipes)]
)
"""What the shell offers for the name of a recipe, of any device."""


def words_completed(incomplete: str) -> list[str]:
    """What the shell offers for a name or an axis."""
    return [*DESIGNS_COMPLETED(incomplete), *_axes(incomplete)]


OptionalDesignArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[DESIGN]", help="name, see 'aesfab list'", autocompletion=DESIGNS_COMPLETED
    ),
]
DesignArgument = Annotated[
    str,
    typer.Argument(
        metavar="DESIGN", help="name, see 'aesfab list'", autocompletion=DESIGNS_COMPLETED
    ),
]
OverridesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[AXIS=VALUE]...", help="axes to change", autocompletion=_axes),
]
DesignsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DESIGN... [AXIS=VALUE]...",
        help="names, and axes to change in all",
        autocompletion=words_completed,
    ),
]
ListedArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DESIGN]...",
        help="names or patterns (quote them)",
        autocompletion=DESIGNS_COMPLETED,
    ),
]
AllOption = Annotated[bool, typer.Option("--all", help="every design of the catalogue")]
JsonOption = Annotated[bool, typer.Option("--json", help="print JSON for scripts")]
RecordsOption = Annotated[
    Path | None, typer.Option("--records", metavar="FILE", help="where records are kept")
]


class Group(typer.core.TyperGroup):
    """Commands whose help is never cut: what is longer than the line goes on in the next one."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, each with the first sentence of its help."""
        names = self.list_commands(ctx)
        commands = [(name, self.get_command(ctx, name)) for name in names]
        rows = [
            (name, command.get_short_help_str(limit=1000))
            for name, command in commands
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


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
        help="of the names inside, not the top module's, _inner_ and the version",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        help="systemverilog, or verilog: one Verilog-2005 file",
        autocompletion=completed(generate.FORMATS),
    ),
]
ManifestOption = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="FILE", help=f"as the {manifest.FILE} of a folder says, instead"
    ),
]
CheckOption = Annotated[
    Path | None,
    typer.Option(
        "--check", metavar="DIR", help="say what differs in a generated folder; writes nothing"
    ),
]
RandomOption = Annotated[int, typer.Option("--seed", help="of everything that is random")]

# Of one design, by options, where a command's arguments are files.
CipherDesignOption = Annotated[
    str,
    typer.Option(
        "--design",
        metavar="DESIGN",
        help="name, see 'aesfab list'",
        autocompletion=DESIGNS_COMPLETED,
    ),
]
AxisOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="AXIS=VALUE", help="axis to change", autocompletion=_axes),
]

# Of encryption.
MODES = (*oracle.MODES, *(mode for mode in sorted(engines.MODES) if mode not in oracle.MODES))
"""Of cores and of engines."""
ModeOption = Annotated[
    str | None,
    typer.Option(
        "--mode",
        help=f"{', '.join(MODES)}; without it cbc, or the only mode of an engine",
        autocompletion=completed(MODES),
    ),
]
KeyOption = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="HEX",
        help="32, 48 or 64 hex digits; every user of the machine sees them in the list of "
        "processes, so rather use one of the next two",
    ),
]
KeyFileOption = Annotated[
    Path | None,
    typer.Option(
        "--key-file",
        metavar="FILE",
        help="read the hex digits from a file, from - (standard input) or from a descriptor: "
        "--key-file /dev/fd/3 3<FILE",
    ),
]
KeyEnvOption = Annotated[
    str | None,
    typer.Option("--key-env", metavar="NAME", help="take the hex digits from a variable"),
]
IvOption = Annotated[
    str | None,
    typer.Option(
        "--iv",
        metavar="HEX",
        help="32 hex digits; all modes but ecb; 2 to 256 of them for gcm, 14 to 26 for ccm",
    ),
]
AadOption = Annotated[
    Path | None, typer.Option("--aad", metavar="FILE", help="gcm, ccm: additional data")
]
TagOption = Annotated[
    Path | None,
    typer.Option(
        "--tag", metavar="FILE", help="gcm, ccm: the tag as raw bytes, written or compared"
    ),
]
FileArgument = Annotated[
    Path, typer.Argument(metavar="IN", help="file to read; - for standard input")
]
ResultArgument = Annotated[
    Path,
    typer.Argument(metavar="OUT", help="file to write, when all is well; - for standard output"),
]

_LONGEST_KEY_FILE = 4096  # bytes; a key and some white space


def chosen_key(key: str | None, key_file: Path | None, key_env: str | None, data_in: Path) -> str:
    """The key, in hexadecimal, that one of the three options gives.

    Raises:
        AesfabError: none or several are given, or what is named cannot be read or is no text. No
            message shows anything of a key.
    """
    given = {"--key": key, "--key-file": key_file, "--key-env": key_env}
    said = [name for name, value in given.items() if value is not None]
    if len(said) > 1:
        raise AesfabError(f"{' and '.join(said)} exclude each other")
    if key is not None:
        return key
    if key_env is not None:
        found = os.environ.get(key_env)
        if found is None:
            raise AesfabError(f"there is no variable '{key_env}' for --key-env")
        return found.strip()
    if key_file is None:
        raise AesfabError("give a key: --key-file FILE, --key-env NAME or --key HEX")
    if files.is_standard_input(key_file) and files.is_standard_input(data_in):
        raise AesfabError("key and data cannot both come from standard input")
    try:
        with files.open_input(key_file) as file:
            content = file.read(_LONGEST_KEY_FILE + 1)
        text = content.decode("ascii").strip()
    except OSError as error:
        raise AesfabError(f"cannot read the key in {key_file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise AesfabError(f"{key_file} holds no key in hexadecimal digits") from None
    if not text or len(content) > _LONGEST_KEY_FILE:
        raise AesfabError(f"{key_file} holds no key in hexadecimal digits")
    return text


# Of measurements.
DeviceOption = Annotated[
    str,
    typer.Option(
        "--device", metavar="DEV", help=", ".join(DEVICES), autocompletion=completed(DEVICES)
    ),
]
SeedsOption = Annotated[
    int,
    typer.Option("--seeds", min=1, max=plan.MOST_SEEDS, help="how many place-and-route seeds"),
]
SeedsOrAreaOption = Annotated[
    int,
    typer.Option(
        "--seeds",
        min=0,
        max=plan.MOST_SEEDS,
        help="how many place-and-route seeds; 0: the area alone",
    ),
]
MOST_JOBS = 4096
JobsOption = Annotated[int, typer.Option("--jobs", min=1, max=MOST_JOBS, help="runs at a time")]
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
    """AesfabError for ``--png`` without a folder, and for a bad folder."""
    if png and svg is None:
        raise AesfabError("--png goes with --svg DIR")
    if svg is not None:
        files.require_folder(svg)


def one(file: Path | None) -> list[Path] | None:
    """The file that ``--records`` names, as ``records.known`` takes it; None for the usual ones."""
    return None if file is None else [file]


def read(
    kind: str,
    files: Path | Sequence[Path] | None,
    check: Callable[[Path, list[records.Record]], None] = lambda _path, _records: None,
) -> list[records.Record]:
    """The records of a kind (``records.known``) of the files that the user names, or of all.

    Where there is none at all, a line on standard error says what was read.
    """
    named = one(files) if isinstance(files, Path) else files
    known = records.known(kind, named, check)
    if not known:
        print(f"aesfab: no records; {records.said(kind, named)}", file=sys.stderr)
    return known


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
        raise AesfabError(f"name a design, or give --all; {subjects.LISTED}")
    return [find_core(name, overrides) for name in names]


def find_core(name: str, overrides: Sequence[str] = ()) -> Named:
    """The core of a name, with ``axis=value`` overrides; AesfabError for an engine too."""
    if engines.is_engine(name):
        raise AesfabError(
            f"'{name}' is an engine, and this is for cores; 'aesfab show {name}' names its core"
        )
    subjects.require_name(name)
    return catalogue.find(name, overrides)


def chosen_engines(arguments: list[str] | None, every: bool) -> list[engines.AnyNamed]:
    """Engines out of names and ``axis=value`` words; none where no name is one of an engine.

    AesfabError for names of both kinds, which have no axes in common.
    """
    words = arguments or []
    names = [word for word in words if "=" not in word]
    mine = [name for name in names if engines.is_engine(name)]
    if every or not mine:
        return []
    if len(mine) < len(names):
        raise AesfabError("name engines or designs, not both at a time")
    return [engines.find(name, [word for word in words if "=" in word]) for name in mine]


def refuse_empty(context: typer.Context, *names: str) -> None:
    """AesfabError for an option of these parameters that is given without a text."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and not context.params[name]:
            said = next(p.opts[0] for p in context.command.params if p.name == name)
            raise AesfabError(f"{said} needs a text")


def refuse_given(context: typer.Context, option: str, *names: str) -> None:
    """AesfabError for an option of these parameters beside ``option``, which has no use for it."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            said = next(p.opts[0] for p in context.command.params if p.name == name)
            raise AesfabError(f"{option} goes without {said}")
