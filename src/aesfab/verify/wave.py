# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The waveform of a short run of a core with known answers of NIST."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import simulate
from aesfab.errors import AesfabError
from aesfab.system import files
from aesfab.verify import vectors
from aesfab.verify.bench import contract, script
from aesfab.verify.bench.contract import Failure

_MESSAGES = 4  # of each key size and direction: of 1 to 4 blocks


@dataclasses.dataclass(frozen=True)
class Wave:
    """What a waveform shows.

    Attributes:
        blocks: how many come out right in it.
        clocks: that it lasts.
        failures: what is wrong in it; empty for a core that does its work.
    """

    blocks: int
    clocks: int
    failures: tuple[Failure, ...]


def answers(design: Design) -> list[vectors.Vector]:
    """The known answers of the run: short messages of each key size and direction of a design."""
    messages: dict[tuple[int, bool], list[vectors.Vector]] = collections.defaultdict(list)
    for vector in vectors.of(design):
        if vector.kind == "MMT":
            messages[vector.key_bits, vector.decrypt].append(vector)
    return [vector for kind in sorted(messages) for vector in messages[kind][:_MESSAGES]]


def wave(
    named: Named,
    sources: Sequence[Path],
    path: Path,
    *,
    progress: simulate.Progress = simulate.silent,
) -> Wave:
    """Write the waveform (VCD) of a run with ``answers``, from the reset on.

    Args:
        named: the design.
        sources: its RTL in compilation order.
        path: the file to write; what was there before stays where this fails.
        progress: told of each step.

    Raises:
        AesfabError: no compiler, or the file cannot be written.
        ToolError: the RTL does not compile, or the simulation ends too early.
    """
    model = simulate.build(
        sources, named.module, named.design.ports(), trace=True, progress=progress
    )
    played = script.from_vectors(named.design, answers(named.design))
    try:
        with files.written_whole(path) as temporary, files.through_pipe(temporary) as pipe:
            run = model.run("script", arguments={"vcd": pipe}, given=played.encode())
    except OSError as error:
        raise AesfabError(f"cannot write {path}: {error.strerror}") from error
    judgement = contract.judge(named.design, played, run.output, "waveform")
    return Wave(len(judgement.right), judgement.clocks, tuple(judgement.failures))
