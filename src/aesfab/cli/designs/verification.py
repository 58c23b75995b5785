# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The command verify: designs and engines, some at a time, and the records of what was found."""

from __future__ import annotations

import abc
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from aesfab import extras, records
from aesfab.cli.options import (
    JOBS,
    AllOption,
    DesignsArgument,
    JobsOption,
    JsonOption,
    RandomOption,
    RecordsOption,
    chosen_designs,
    chosen_engines,
    completed,
    one,
)
from aesfab.cli.output import Bars, print_json_of
from aesfab.engine import every as engines
from aesfab.errors import unknown
from aesfab.folder import generate
from aesfab.records import Record
from aesfab.system import several
from aesfab.verify import verify

if TYPE_CHECKING:
    from aesfab.design.catalogue import Named
    from aesfab.eda.simulate import Progress

Level = Literal["quick", "full"]
_LEVELS: tuple[Level, ...] = ("quick", "full")


@dataclasses.dataclass(frozen=True)
class _Wanted(abc.ABC):
    """A verification that is asked for.

    Attributes:
        named: of what.
        level: how much of it.
        seed: of what is random.
    """

    named: Any
    level: Level
    seed: int

    @property
    @abc.abstractmethod
    def kind(self) -> str:
        """Of its record."""

    @abc.abstractmethod
    def identity(self) -> dict[str, Any]:
        """The part of its record that is known beforehand."""

    @abc.abstractmethod
    def run(self, waves: Path, progress: Progress) -> tuple[Record, list[str]]:
        """Its record, made now, and what it says for people; ``waves`` is for waveforms."""

    def speaks(self, record: Record) -> bool:
        """Whether a record of this identity says that it passed."""
        return bool(record.get("passed"))


class _OfCore(_Wanted):
    """Of a design."""

    named: Named
    kind = "verify"

    def identity(self) -> dict[str, Any]:
        """See ``_Wanted``."""
        hashed = generate.netlist_hash(self.named)
        return verify.identity(self.named, hashed, self.level, self.seed)

    def speaks(self, record: Record) -> bool:
        """One without the pass of the translated Verilog says too little."""
        return super().speaks(record) and "four_state" in record

    def run(self, waves: Path, progress: Progress) -> tuple[Record, list[str]]:
        """See ``_Wanted``."""
        evidence = verify.verify(
            self.named,
            generate.sources(self.named),
            level=self.level,
            seed=self.seed,
            waves=waves,
            progress=progress,
        )
        four_state = evidence.four_state
        said = [
            f"{evidence.vectors} NIST vectors, {evidence.monte_carlo} Monte Carlo chains, "
            f"{evidence.random_blocks} random blocks ({evidence.blocks_per_second:,.0f} blocks/s)",
            f"  as plain Verilog, four values: {four_state['blocks']} of {four_state['wanted']} "
            f"blocks, {four_state['simulator']}"
            if four_state["run"]
            else f"  as plain Verilog, four values: not run, {four_state['why']}",
        ]
        # The others follow from the first one.
        return evidence.to_json(), [*said, *map(str, evidence.failures[:1])]


class _OfEngine(_Wanted):
    """Of an engine."""

    named: engines.AnyNamed
    kind = "engines"

    def identity(self) -> dict[str, Any]:
        """See ``_Wanted``."""
        return engines.identity(self.named, self.level, self.seed)

    def run(self, waves: Path, progress: Progress) -> tuple[Record, list[str]]:
        """See ``_Wanted``; an engine leaves no waveform."""
        del waves
        record = engines.verify(self.named, level=self.level, seed=self.seed, progress=progress)
        said = (
            f"{record['answers']} known answers, {record['random']} random "
            f"{self.named.engine.UNIT}s, {record['wrong']} wrong ones, clocks of {record['clocks']}"
        )
        return record, [said, *record["failures"][:5]]


def _wanted(designs: list[str] | None, every: bool, level: Level, seed: int) -> list[_Wanted]:
    """What is asked for; AesfabError for names of both kinds, for none and for unknown ones."""
    if mine := chosen_engines(designs, every):
        return [_OfEngine(each, level, seed) for each in mine]
    chosen: list[_Wanted] = [_OfCore(each, level, seed) for each in chosen_designs(designs, every)]
    if every:
        chosen += [_OfEngine(engines.find(name), level, seed) for name in engines.names()]
    return chosen


def verify_(
    designs: DesignsArgument = None,
    every: AllOption = False,
    level: Annotated[
        str, typer.Option(help="quick (seconds) or full", autocompletion=completed(_LEVELS))
    ] = "full",
    seed: RandomOption = 1,
    waves: Annotated[
        Path, typer.Option(metavar="DIR", help="where a failure leaves its waveform")
    ] = Path("build/waves"),
    resume: Annotated[
        bool, typer.Option("--resume", help="leave out what is recorded as passed for this RTL")
    ] = False,
    jobs: JobsOption = JOBS,
    records_file: RecordsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run NIST vectors, Monte Carlo chains, random traffic and the cycle contract on the RTL.

    A short pass runs the plain Verilog of it with unknown values: in Icarus Verilog where that is
    installed, else in native Yosys (AESFAB_FOUR_STATE: icarus, yosys, none). Engines get known
    answers, random packets and wrong ones through their pins, and their clocks are counted.
    """
    if level not in _LEVELS:
        raise unknown("level", level, _LEVELS)
    chosen = _wanted(designs, every, "quick" if level == "quick" else "full", seed)
    places = {each.kind: records.places(each.kind, one(records_file)) for each in chosen}
    for files in places.values():
        records.require_place(files[-1])
    extras.require("verify")
    said: dict[int, Record] = {}

    with Bars() as bars:

        def tell(number: int, record: Record, *lines: str) -> None:
            """Print what a record says, as soon as it is there."""
            said[number] = record
            if as_json:
                return
            with bars.away():
                print(
                    "\n".join([f"{chosen[number].named.name}: {lines[0]}", *lines[1:]]), flush=True
                )

        def run(number: int) -> tuple[Record, list[str] | None]:
            """The record of one, and what it says; None of one that was there."""
            each = chosen[number]

            def progress(step: str, done: int, total: int) -> None:
                # Several are under way at a time.
                name = each.named.name
                bars.step(step if step.startswith(name) else f"{name}: {step}", done, total)

            if resume:
                known = records.find(records.every(places[each.kind]), each.identity())
                if known is not None and each.speaks(known):
                    return known, None
            return each.run(waves, progress)

        for number, (record, lines) in several.at_once(run, range(len(chosen)), jobs):
            if lines is None:
                tell(number, record, "passed, as recorded")
                continue
            records.put(places[chosen[number].kind][-1], record)
            word = "passed" if record["passed"] else "FAILED"
            tell(number, record, f"{word}: {lines[0]}", *lines[1:])
    if as_json:
        print_json_of(chosen, [said[number] for number in range(len(chosen))])
    if not all(record["passed"] for record in said.values()):
        raise SystemExit(1)
