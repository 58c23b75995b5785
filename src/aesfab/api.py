# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""AESFab for programs: cores, their folders and their evidence, records as tables.

``import aesfab`` gives all of it; ``docs/api.md`` shows how. Whatever a user can mend is an
AesfabError whose text is one line.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aesfab import records as _records
from aesfab.design import catalogue
from aesfab.design.catalogue import Named
from aesfab.errors import AesfabError
from aesfab.system import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow

    from aesfab.choosing.answer import Answer
    from aesfab.choosing.need import Need
    from aesfab.engine.every import AnyNamed


def names() -> list[str]:
    """The names of the cores in the catalogue, in its order."""
    return list(catalogue.CATALOGUE)


def core(name: str, **axes: object) -> Core:
    """A core by name, with axes that are to be others: ``core("fab-tiny", key_bits=256)``.

    AesfabError for an unknown name, axis or value, for an illegal combination, and for an engine.
    """
    if name not in catalogue.CATALOGUE:
        from aesfab.engine import every

        if every.is_engine(name):
            raise AesfabError(f"'{name}' is an engine and no core; aesfab.find_engine takes it")
    return Core(catalogue.find(name, _overrides(axes)))


def find_engine(name: str, **axes: object) -> Engine:
    """An engine by name, with axes that are to be others: ``find_engine("gcm-tiny", slots=4)``.

    AesfabError as ``core``, and for a core.
    """
    from aesfab.engine import every

    if name in catalogue.CATALOGUE:
        raise AesfabError(f"'{name}' is a core and no engine; aesfab.core takes it")
    return Engine(every.find(name, _overrides(axes)))


def library() -> Path:
    """The folder with ``aesfab.core``, the FuseSoC core of the whole RTL, for ``--cores-root``."""
    return shipped.require("aesfab.core").parent


def _overrides(axes: Mapping[str, object]) -> list[str]:
    return [f"{axis}={value}" for axis, value in axes.items()]


@dataclasses.dataclass(frozen=True)
class Core:
    """A core that can be generated and verified.

    Attributes:
        named: the design and its name.
    """

    named: Named

    @property
    def name(self) -> str:
        """Its name in the catalogue."""
        return self.named.name

    @property
    def module(self) -> str:
        """Its top module."""
        return self.named.module

    @property
    def axes(self) -> dict[str, Any]:
        """Axis to value, as the command line writes it."""
        return self.named.design.axes()

    @property
    def moves(self) -> dict[str, list[Any]]:
        """The axes that can be moved alone, each with its legal values."""
        return self.named.design.moves()

    @property
    def facts(self) -> dict[str, Any]:
        """What ``aesfab list --json`` says of a design: axes, latency and interval in clocks."""
        return facts(self.named)

    def generate(
        self,
        folder: str | Path,
        *,
        output_format: str = "systemverilog",
        syn: bool | None = None,
        force: bool = False,
    ) -> list[Path]:
        """Write the folder of the core; see ``aesfab generate``.

        Args:
            folder: made if missing; refused when it has files in it, unless ``force``.
            output_format: ``systemverilog``, or ``verilog`` (extra ``verilog``).
            syn: whether with the scripts that take its figures again (extra ``verilog``); None:
                where that is installed.
            force: write into a folder that is not empty.

        Returns:
            The files, relative to the folder.
        """
        from aesfab.folder import generate

        return generate.generate(
            self.named, Path(folder), output_format=output_format, syn=syn, force=force
        )

    def verify(self, *, level: Literal["quick", "full"] = "full", seed: int = 1) -> dict[str, Any]:
        """Run the vectors, chains, random traffic and cycle contract on the RTL (extra ``verify``).

        It takes seconds (``quick``) or minutes and a C++ compiler, and records nothing.

        Returns:
            What ``aesfab verify --json`` prints: ``passed``, ``failures``, what was run.
        """
        from aesfab import extras
        from aesfab.folder import generate
        from aesfab.verify import verify

        extras.require("verify")
        sources = generate.sources(self.named)
        return verify.verify(self.named, sources, level=level, seed=seed).to_json()

    def evidence(self) -> dict[str, Any] | None:
        """The record that speaks for this RTL, of those of ``aesfab verify``; None without one."""
        from aesfab.study import study

        return study.evidence_of(self.named, _records.known("verify"))

    def figures(self) -> list[dict[str, Any]]:
        """Area and clocks of this RTL, as its data sheet quotes them (``records.quoted``).

        On each device a row of the plain flow and one of the best recipe: ``device``, ``recipe``,
        ``lut``, ``ff``, ``ram``, ``fmax_mhz`` (MHz: ``median``, ``min``, ``max``, ``seeds``) ...
        """
        from aesfab.folder import datasheet, generate

        return datasheet.quoted(generate.Present(self.named).has)


@dataclasses.dataclass(frozen=True)
class Engine:
    """An engine of packets, streams or sectors that can be generated and verified.

    Attributes:
        named: the engine and its name.
    """

    named: AnyNamed

    @property
    def name(self) -> str:
        """Its name in the catalogue."""
        return self.named.name

    @property
    def module(self) -> str:
        """Its top module."""
        return self.named.module

    @property
    def axes(self) -> dict[str, Any]:
        """Axis to value, as the command line writes it."""
        return self.named.engine.axes()

    def verify(self, *, level: Literal["quick", "full"] = "full", seed: int = 1) -> dict[str, Any]:
        """Run known answers, random packets and wrong ones on the RTL (extra ``verify``).

        It takes minutes and a C++ compiler, and records nothing.

        Returns:
            What ``aesfab verify --json`` prints: ``passed``, ``failures``, what was run.
        """
        from aesfab import extras
        from aesfab.engine import every

        extras.require("verify")
        return every.verify(self.named, level=level, seed=seed)

    def evidence(self) -> dict[str, Any] | None:
        """The record that speaks for this RTL, of those of ``aesfab verify``; None without one."""
        from aesfab.engine import every

        return every.evidence_of(self.named)

    def figures(self) -> list[dict[str, Any]]:
        """Area and clocks of this RTL, see ``Core.figures``."""
        from aesfab.engine import hdl
        from aesfab.folder import datasheet

        return datasheet.quoted(hdl.Present(self.named).has)

    def generate(
        self,
        folder: str | Path,
        *,
        output_format: str = "systemverilog",
        syn: bool | None = None,
        force: bool = False,
    ) -> list[Path]:
        """Write the folder of the engine; see ``Core.generate``."""
        from aesfab.engine import every

        of = every.folder(self.named, output_format)
        if syn is not None:
            of = dataclasses.replace(of, syn=syn)
        return of.write(Path(folder), force)


def facts(named: Named) -> dict[str, Any]:
    """What ``aesfab list --json`` says of a design; latencies and intervals in clocks."""
    design = named.design
    return {
        "name": named.name,
        "paper": named.paper,
        "section": named.section,
        **design.axes(),
        "latency_cycles": design.latency(),
        "interval_cycles": design.interval_number(),
        "blocks_in_flight": design.blocks_in_flight,
        "latency_by_key_bits": {str(bits): design.latency(bits) for bits in design.key_lengths},
        "key_setup_cycles": design.key_setup(),
        "direction_change_cycles": design.direction_change,
        "sbox_count": design.sbox_count,
        "sbox_rom_bits": design.sbox_rom_bits,
        "key_memory_bits": design.key_memory_bits,
    }


def choose(need: Need | Mapping[str, object]) -> Answer:
    """The best core for a need, as ``aesfab choose`` answers (``choosing.answer.choose``).

    ``choose({"device": "ecp5-25k", "mbit": "500M", "key": 256}).to_json()`` is what the command
    prints with ``--json``; ``Core(answer.best.named)`` can be generated.
    """
    from aesfab.choosing import answer

    return answer.choose(need)


def rows(*words: str, current: bool = True, every: bool = False) -> list[dict[str, Any]]:
    """The records of measurements as rows, those of the program and the user's own.

    Args:
        words: names or patterns of designs, and conditions as ``aesfab results`` takes them:
            ``rows("fab-*", "device=ecp5-*", "lut<3000")``.
        current: only of the RTL as it is; without it those of older RTL too.
        every: all, of older RTL too, and older ones of the same measurement.

    Returns:
        Column to value (``results.SCHEMA``); None where a record has none.
    """
    from aesfab.measure import implement, query

    known = _records.known("implement", check=implement.require_records)
    found, _ = query.query(known, words, only_current=current and not every, every=every)
    return found


def table(*words: str, current: bool = True, every: bool = False) -> pyarrow.Table:
    """The same as an Arrow table (extra ``report``), for pandas, DuckDB and others."""
    from aesfab.measure import query

    return query.table(rows(*words, current=current, every=every), list(query.SCHEMA))
