# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands that send a file through the simulated RTL: encrypt, decrypt, demo."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

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
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import simulate
from aesfab.engine import bench
from aesfab.engine import every as engines
from aesfab.engine.crypt import GMAC, AnyJob, Outcome
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
        name, subject, job_of, build = _way(design, [*(overrides or []), *(axes or [])])
        key = chosen_key(given_key, key_file, key_env, data_in)
        job = job_of(mode or "", key, iv, data_in, data_out, aad, tag, decrypts)
        job = job.resolved(subject)
        # Refuse what can be refused before a model is built.
        job.check(subject)
        extras.require("verify")
        with Bars() as bars:
            outcome = job.run(build(progress=bars.step))
        said = f"{data_out}: {outcome.text}"
        if as_json:
            said = as_line({"design": name, "mode": job.mode, **outcome.facts})
        print_beside(data_out, said)

    verb = "Decrypt" if decrypts else "Encrypt"
    crypt.__doc__ = (
        f"{verb} a file through the simulated RTL (PKCS#7 padding in ecb and cbc).\n\n"
        "With - as OUT the bytes go to standard output, once all of them are there, and the line "
        "about them to standard error."
    )
    return crypt


def _way(name: str, words: Sequence[str]) -> tuple[str, Any, type[AnyJob], Callable[..., Any]]:
    """Of an engine or core: its name, what a job is checked for, its jobs, and what builds it."""
    if engines.is_engine(name):
        engine = engines.find(name, words)
        return name, engine.engine, engines.kind(name).job, partial(bench.build, engine)
    core = find_core(name, words)
    return core.name, core.design, _CoreJob, partial(_core, core)


def _core(named: Named, progress: simulate.Progress) -> Callable[..., cipher.Stats]:
    """What sends files through a core (``cipher.crypt``)."""
    model = simulate.build(
        generate.sources(named), named.module, named.design.ports(), progress=progress
    )
    return partial(cipher.crypt, model, named.design, progress=progress)


class _CoreJob(AnyJob):
    """A file for a core, in a mode that software does around it: CBC where none is told."""

    @classmethod
    def modes(cls, engine: Design) -> tuple[str, ...]:
        """See ``AnyJob``: those of any core."""
        return oracle.MODES

    def resolved(self, engine: Design) -> Self:
        """See ``AnyJob``."""
        mode = self.mode or "cbc"
        if mode in oracle.MODES:
            return dataclasses.replace(self, mode=mode)
        if mode in engines.MODES:
            engine_of_it = engines.example(mode, decrypt=self.decrypt)
            raise AesfabError(f"{mode} mode needs an engine, for example {engine_of_it}")
        raise AesfabError(GMAC) if mode == "gmac" else unknown("mode", mode, MODES)

    def check(self, engine: Design) -> None:
        """See ``AnyJob``."""
        self.without_tag()
        cipher.check(
            engine, self.mode, self.key, self.iv, self.data_in, self.data_out, decrypt=self.decrypt
        )

    def run(self, model: Callable[..., cipher.Stats]) -> Outcome:
        """See ``AnyJob``; the model is what ``_core`` gives."""
        stats = model(
            self.mode, self.key, self.iv, self.data_in, self.data_out, decrypt=self.decrypt
        )
        facts: dict[str, Any] = {
            "blocks": stats.blocks,
            "cycles": stats.cycles,
            "cycles_per_block": round(stats.cycles_per_block, 3),
        }
        blocks = many(stats.blocks, "block")
        each = f"{stats.cycles_per_block:.2f} cycles per block"
        return Outcome(f"{blocks} in {stats.cycles} cycles, {each}", facts)


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
