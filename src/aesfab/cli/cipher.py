# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands that send a file through the simulated RTL: encrypt, decrypt, demo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from aesfab import extras
from aesfab.cli.options import (
    MODES,
    AadOption,
    AxisOption,
    CipherDesignOption,
    FileArgument,
    FolderOption,
    IvOption,
    JsonOption,
    KeyEnvOption,
    KeyFileOption,
    KeyOption,
    ModeOption,
    OverridesArgument,
    ResultArgument,
    TagOption,
    chosen_key,
    find_core,
)
from aesfab.cli.output import (
    Bars,
    as_line,
    figures_table,
    many,
    print_beside,
    print_json,
    print_table,
)
from aesfab.eda import simulate
from aesfab.engine import bench
from aesfab.engine import every as engines
from aesfab.engine.crypt import GMAC, AnyJob
from aesfab.engine.modes import MODES as ENGINE_MODES
from aesfab.engine.modes import example
from aesfab.errors import AesfabError, unknown
from aesfab.folder import generate
from aesfab.verify import cipher, oracle


def _direction(decrypts: bool) -> Callable[..., None]:
    """The command of a direction; both take the same."""

    def crypt(
        data_in: FileArgument,
        data_out: ResultArgument,
        design: CipherDesignOption,
        given_key: KeyOption = None,
        key_file: KeyFileOption = None,
        key_env: KeyEnvOption = None,
        overrides: OverridesArgument = None,
        mode: ModeOption = None,
        iv: IvOption = None,
        aad: AadOption = None,
        tag: TagOption = None,
        axes: AxisOption = None,
        as_json: JsonOption = False,
    ) -> None:
        words = [*(overrides or []), *(axes or [])]
        if engines.is_engine(design):
            key = chosen_key(given_key, key_file, key_env, data_in)
            job = engines.kind(design).job(
                mode or "", key, iv, data_in, data_out, aad, tag, decrypts
            )
            _through_engine(engines.find(design, words), job, as_json)
            return
        named = find_core(design, words)
        mode = mode or "cbc"
        if mode == "gmac":
            raise AesfabError(GMAC)
        if mode in ENGINE_MODES and mode not in oracle.MODES:
            engine = example(mode, decrypt=decrypts)
            raise AesfabError(f"{mode} mode needs an engine, for example {engine}")
        if mode not in MODES:
            raise unknown("mode", mode, MODES)
        if aad or tag:
            raise AesfabError("--aad and --tag go with --mode gcm or ccm")
        key = chosen_key(given_key, key_file, key_env, data_in)
        # Refuse what can be refused before a model is built.
        cipher.check(named.design, mode, key, iv, data_in, data_out, decrypt=decrypts)
        extras.require("verify")
        with Bars() as bars:
            model = simulate.build(
                generate.sources(named), named.module, named.design.ports(), progress=bars.step
            )
            stats = cipher.crypt(
                model,
                named.design,
                mode,
                key,
                iv,
                data_in,
                data_out,
                decrypt=decrypts,
                progress=bars.step,
            )
        said = (
            f"{data_out}: {many(stats.blocks, 'block')} in {stats.cycles} cycles, "
            f"{stats.cycles_per_block:.2f} cycles per block"
        )
        if as_json:
            facts = {
                "design": named.name,
                "mode": mode,
                "blocks": stats.blocks,
                "cycles": stats.cycles,
                "cycles_per_block": round(stats.cycles_per_block, 3),
            }
            said = as_line(facts)
        print_beside(data_out, said)

    verb = "Decrypt" if decrypts else "Encrypt"
    crypt.__doc__ = (
        f"{verb} a file through the simulated RTL (PKCS#7 padding in ecb and cbc).\n\n"
        "With - as OUT the bytes go to standard output, once all of them are there, and the line "
        "about them to standard error."
    )
    return crypt


def _through_engine(named: engines.AnyNamed, job: AnyJob, as_json: bool) -> None:
    """Send a file through an engine."""
    job = job.resolved(named.engine)
    job.check(named.engine)
    extras.require("verify")
    with Bars() as bars:
        outcome = job.run(bench.build(named, progress=bars.step))
    said = f"{job.data_out}: {outcome.text}"
    if as_json:
        said = as_line({"design": named.name, "mode": job.mode, **outcome.facts})
    print_beside(job.data_out, said)


encrypt, decrypt = _direction(False), _direction(True)


def demo(
    data: Annotated[Path, typer.Argument(metavar="FILE", help="file to encrypt")],
    output: FolderOption = Path("build/demo"),
    design: CipherDesignOption = "kakarlapudi-sbox-both-128",
    axes: AxisOption = None,
    seeds: Annotated[int, typer.Option(min=1, help="place-and-route seeds a device")] = 3,
    as_json: JsonOption = False,
) -> None:
    """The main job on a real file: generate, verify, encrypt, decrypt, compare, implement."""
    from aesfab.cli import demo as job

    named = find_core(design, axes or [])
    job.check(named, data, output)
    extras.require("verify", "measure")
    with Bars() as bars:
        measured = job.run(
            named,
            data,
            output,
            seeds=seeds,
            step=bars.step,
            line=bars.line,
        )
    if as_json:
        print_json(measured)
    else:
        print_table(figures_table(measured))
