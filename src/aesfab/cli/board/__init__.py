# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands about a core on an FPGA board: board list, show, build, run, program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from aesfab import extras
from aesfab.board import boards, build, job, loader, top
from aesfab.board.simulation import exercise, simulate
from aesfab.cli.options import (
    CORES_COMPLETED,
    FileArgument,
    FolderOption,
    Group,
    IvOption,
    JsonOption,
    KeyEnvOption,
    KeyFileOption,
    KeyOption,
    OverridesArgument,
    ResultArgument,
    TimeoutOption,
    chosen_key,
    completed,
    find_core,
    recipes_completed,
)
from aesfab.cli.output import Bars, as_line, many, print_beside, print_json, print_rows
from aesfab.folder import generate

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="A core on an FPGA board, behind a UART.",
)

BoardArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOARD",
        help="name, see 'aesfab board list', or a .toml file",
        autocompletion=completed(boards.shipped),
    ),
]
BaudOption = Annotated[
    int | None, typer.Option("--baud", metavar="N", help="of the UART, instead of the board's own")
]


def _facts(board: boards.Board) -> dict[str, Any]:
    return {
        "name": board.name,
        "title": board.title,
        "device": board.device.name,
        "package": board.package,
        "clock_mhz": board.mhz,
        "baud": board.baud,
        "clocks_per_bit": round(board.clocks_per_bit, 4),
    }


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """The boards that come with AESFab."""
    rows = [_facts(board) for board in boards.shipped().values()]
    if as_json:
        print_json(rows)
    else:
        print_rows("", rows)


@app.command("show")
def show_(board_name: BoardArgument, baud: BaudOption = None, as_json: JsonOption = False) -> None:
    """A board: part, clock, pins, and what its UART carries."""
    board = _board(board_name, baud)
    facts = _facts(board)
    facts["edge_error_percent"] = round(100 * board.bit_error, 2)
    facts["blocks_per_second"] = round(1e6 * build.line_mbit(board) / 128)
    facts["packer"], facts["loader"] = board.packer, board.loader
    pins = [{"port": p.port, "pin": p.name, "standard": p.standard} for p in board.pins]
    if as_json:
        print_json({**facts, "pins": pins})
        return
    for name, value in facts.items():
        print(f"{name.replace('_', ' '):<20}{value}")
    print("")
    print_rows("", pins)


def _board(name: str, baud: int | None) -> boards.Board:
    board = boards.load(name)
    return board if baud is None else board.with_baud(baud)


@app.command("build")
def build_(
    board_name: BoardArgument,
    output: FolderOption,
    design: Annotated[
        str | None,
        typer.Argument(
            metavar="[DESIGN]",
            help="name, see 'aesfab list'; chosen, if not said",
            autocompletion=CORES_COMPLETED,
        ),
    ] = None,
    axes: OverridesArgument = None,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            help="how the core is mapped, see 'aesfab devices'",
            autocompletion=recipes_completed,
        ),
    ] = "",
    key: Annotated[str, typer.Option("--key", help="key size, where a design is chosen")] = "128",
    baud: BaudOption = None,
    timeout: TimeoutOption = build.TIMEOUT,
    simulates: Annotated[
        bool, typer.Option("--simulate", help="what was built, driven by the host over its UART")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="write into a folder with files")] = False,
    as_json: JsonOption = False,
) -> None:
    """A bitstream for a board, with sources and timing report; five place-and-route seeds.

    There is none where the slowest seed does not leave 5 % above the clock of the board. With
    --simulate it must also give the ciphertexts that OpenSSL gives, without the board: as bitstream
    (iCE40, Gowin), or as routed netlist (ECP5).
    """
    board = _board(board_name, baud)
    generate.require_free(output, force)
    if design is None:
        choice = build.choose(board, key)
    else:
        named = find_core(design, axes or [])
        top.require_legal(board, named)
        choice = build.best_recipe(board, named)
    if recipe:
        choice = build.with_recipe(board, choice, recipe)
    extras.require("measure")
    if simulates:
        simulate.require_tools(board)
    with Bars() as bars:
        bars.line(choice.why)
        built = build.build(board, choice, bars.line, timeout=timeout)
        outcome = None
        if simulates:
            bars.line(f"simulation of {built.file}: FIPS 197, then {exercise.BLOCKS} random blocks")
            outcome = exercise.of_build(built, bars.step)
    files = build.contents(built)
    generate.write_all(output, files)
    report = built.report()
    if outcome:
        report["simulated"] = outcome.to_json()
    if as_json:
        print_json({**report, "files": list(files)})
        return
    if outcome:
        print(
            f"simulated ({outcome.level}): {outcome.blocks} random blocks as OpenSSL has them, "
            f"{outcome.blocks_per_second:,} blocks a second"
        )
    print(
        f"{output / built.file}: {report['design']} on {board.title}, "
        f"{report['fmax_min_mhz']:.1f} MHz with the slowest of {len(built.fmax)} seeds, "
        f"{board.mhz:g} needed; load it with: aesfab board program {output}"
    )


@app.command("run")
def run_(
    data_in: FileArgument,
    data_out: ResultArgument,
    port: Annotated[
        Path, typer.Option("--port", metavar="PATH", help="serial line, such as /dev/ttyUSB1")
    ],
    given_key: KeyOption = None,
    key_file: KeyFileOption = None,
    key_env: KeyEnvOption = None,
    mode: Annotated[
        str,
        typer.Option("--mode", help=" or ".join(job.MODES), autocompletion=completed(job.MODES)),
    ] = "ctr",
    iv: IvOption = None,
    decrypts: Annotated[bool, typer.Option("--decrypt", help="instead of encrypt")] = False,
    baud: Annotated[int, typer.Option("--baud", metavar="N", help="of the UART")] = 1_000_000,
    as_json: JsonOption = False,
) -> None:
    """Encrypt or decrypt a file by the core on a board (PKCS#7 padding in ecb)."""
    key = chosen_key(given_key, key_file, key_env, data_in)
    todo = job.Job(mode, key, iv, data_in, data_out, decrypts)
    with Bars() as bars:
        stats = job.through(port, baud, todo, bars.step)
    said = (
        f"{data_out}: {many(stats.blocks, 'block')} in {stats.seconds:.2f} s, "
        f"{stats.blocks_per_second:.0f} blocks a second"
    )
    if stats.retries:
        said += f"; the line was disturbed, {stats.retries} times something was sent again"
    if as_json:
        said = as_line(
            {
                "mode": mode,
                "blocks": stats.blocks,
                "seconds": round(stats.seconds, 3),
                "blocks_per_second": round(stats.blocks_per_second, 1),
                "retries": stats.retries,
            }
        )
    print_beside(data_out, said)


@app.command("program")
def program_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="that 'aesfab board build' wrote")],
    flash: Annotated[
        bool, typer.Option("--flash", help="into the flash memory, so that it stays")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Load the bitstream of a folder into the board, by openFPGALoader."""
    command = loader.command(folder, flash=flash)
    with Bars() as bars:
        bars.line(" ".join(command))
        loader.run(command)
    if as_json:
        print_json({"folder": str(folder), "command": command})
    else:
        print(f"{folder}: loaded")
