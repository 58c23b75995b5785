# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evidence that a core does AES and keeps its contract: vectors, Monte Carlo, random traffic.

Stimuli are written and results judged here, against NIST's files and OpenSSL; the RTL runs in the
compiled bench (``simulate``). That bench knows two values and reads the source; so the Verilog that
``generate`` writes of the same files runs as well, in a short pass with four values: what synthesis
reads in another way than a simulator does, and whatever leaves a core unknown, shows there.
"""

from __future__ import annotations

import collections
import dataclasses
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from aesfab import __version__
from aesfab.design.axes import Interface
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import simulate, yosys
from aesfab.eda.simulate import Model, Progress, silent
from aesfab.errors import AesfabError, ToolError
from aesfab.folder import generate
from aesfab.system import files
from aesfab.verify import oracle, vectors
from aesfab.verify.bench import contract, four_state, script
from aesfab.verify.bench.contract import Failure, Measured

Level = Literal["quick", "full"]
"""How much is run."""

_RANDOM_BLOCKS = {"quick": 500, "full": 10_000}
_OUTER = {"quick": 3, "full": vectors.MONTE_CARLO_OUTER}

# The structures of chain.cpp.
_CHAIN = struct.Struct("<6I32s16s")
_OUTER_RESULT = struct.Struct("<16sQ2I")
_INNER_RESULT = struct.Struct("<16s16s2Q")
_NO_DETAIL = 0xFFFFFFFF
_KEY_LEN = {128: 0, 192: 1, 256: 2}

_FOUR_STATE_VECTORS = 4  # multi-block messages of each key size and direction: of 1 to 4 blocks

# Clocks that a waveform shows before and after the failure.
_WAVE_BEFORE = 300
_WAVE_AFTER = 30


@dataclasses.dataclass
class Evidence:
    """What was run on a core, and what came out.

    Attributes:
        design: name.
        parameters: axis to value.
        level: how much was run.
        seed: of everything that is random; the same seed repeats a run.
        vectors: known answers of NIST that came out right.
        monte_carlo: chains that came out right to the end.
        random_blocks: random blocks that came out right.
        four_state: the pass of the translated Verilog in a four-state simulator: whether it was
            ``run``; then ``simulator``, ``passed``, blocks ``wanted``, ``blocks`` that came out
            right, and ``clocks``; else ``why`` not.
        failures: what went wrong, at most a few of each part, the first first.
        counts: more figures of the three parts.
        measured: latency, interval and key set-up in clocks, as observed.
        tools: versions.
        sources_hash: hash of the text of the RTL that was run.
        netlist_hash: hash of what it says, see ``yosys.netlist_hash``.
        blocks: blocks simulated in all.
        seconds: wall time of the simulations alone.
    """

    design: str
    parameters: dict[str, Any]
    level: Level
    seed: int
    vectors: int = 0
    monte_carlo: int = 0
    random_blocks: int = 0
    four_state: dict[str, Any] = dataclasses.field(default_factory=dict)
    failures: list[Failure] = dataclasses.field(default_factory=list)
    counts: dict[str, Any] = dataclasses.field(default_factory=dict)
    measured: Measured = dataclasses.field(default_factory=Measured)
    tools: dict[str, str] = dataclasses.field(default_factory=dict)
    sources_hash: str = ""
    netlist_hash: str = ""
    blocks: int = 0
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether nothing went wrong."""
        return not self.failures

    @property
    def blocks_per_second(self) -> float:
        """Blocks simulated a second of wall time: a measurement of this machine."""
        return self.blocks / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        """The record to keep: nothing in it depends on the machine or the time."""
        measured = {
            f"{field.name}_cycles": {
                str(bits): sorted(values)
                for bits, values in sorted(getattr(self.measured, field.name).items())
            }
            for field in dataclasses.fields(self.measured)
        }
        return {
            "design": self.design,
            "passed": self.passed,
            "level": self.level,
            "seed": self.seed,
            "vectors": self.vectors,
            "monte_carlo": self.monte_carlo,
            "random_blocks": self.random_blocks,
            "four_state": self.four_state,
            "failures": [failure.to_json() for failure in self.failures],
            "parameters": self.parameters,
            "counts": self.counts,
            **measured,
            "tools": self.tools,
            "rtl_hash": self.sources_hash,
            "netlist_hash": self.netlist_hash,
        }


def _tools() -> dict[str, str]:
    return {
        "aesfab": __version__,
        "verilator": simulate.verilator_version(),
        "cryptography_vectors": vectors.version(),
        **oracle.versions(),
    }


def identity(named: Named, netlist_hash: str, level: Level, seed: int) -> dict[str, Any]:
    """The part of a record of evidence that is known beforehand: what ``records.find`` goes by."""
    return {
        "design": named.name,
        "netlist_hash": netlist_hash,
        "tools": _tools(),
        "level": level,
        "seed": seed,
    }


def verify(
    named: Named,
    sources: Sequence[Path],
    *,
    level: Level = "full",
    seed: int = 1,
    waves: Path | None = None,
    lint: bool = True,
    progress: Progress = silent,
) -> Evidence:
    """Run everything on a core.

    Args:
        named: the design, for its name, its top module and its contract.
        sources: its RTL in compilation order.
        level: ``full``: Monte Carlo chains of 100 x 1,000 blocks and 10,000 random blocks;
            ``quick``: 3 x 1,000 and 500. Known answers are always run all.
        seed: of all that is random.
        waves: folder for a waveform of each failure, made when there is one; None: no waveforms.
        lint: as for simulate.build(); False for Verilog that a tool wrote.
        progress: told of each step.

    Raises:
        AesfabError: no compiler, a level that does not exist, or an unknown four-state simulator.
        ToolError: the RTL does not compile.
    """
    if level not in _OUTER:
        raise AesfabError(f"unknown level '{level}'; known: {', '.join(_OUTER)}")
    design = named.design
    simulator: simulate.FourState | str
    try:
        simulator = simulate.four_state()
    except simulate.NotRunError as error:
        simulator = str(error)

    def build(trace: bool) -> Model:
        ports = design.ports()
        return simulate.build(
            sources, named.module, ports, trace=trace, lint=lint, progress=progress
        )

    model = build(False)
    evidence = Evidence(
        named.name,
        design.axes(),
        level,
        seed,
        tools=_tools(),
        sources_hash=model.sources_hash,
        netlist_hash=yosys.netlist_hash(sources, named.module),
    )

    bench = _Bench(named, model, lambda: build(True), evidence, waves, progress)
    bench.run_vectors()
    bench.run_monte_carlo(_OUTER[level])
    bench.run_random(_RANDOM_BLOCKS[level])
    bench.run_four_state(sources, simulator)
    return evidence


def chain(
    design: Design, key: bytes, block: bytes, decrypt: bool, outer: int, detail: int = _NO_DETAIL
) -> bytes:
    """The input of the bench's job ``chain``: a Monte Carlo chain.

    Args:
        design: the core.
        key: the first key, of a length that the design takes.
        block: the first block.
        decrypt: the direction.
        outer: steps of ``vectors.MONTE_CARLO_INNER`` blocks.
        detail: number of a step whose blocks are all written; none of them otherwise.
    """
    inner, length, patience = (
        vectors.MONTE_CARLO_INNER,
        _KEY_LEN[8 * len(key)],
        script.patience(design),
    )
    return _CHAIN.pack(outer, inner, length, decrypt, patience, detail, key, block)


def _translated(named: Named, sources: Sequence[Path]) -> str:
    """What is shipped as plain Verilog: made of the sources, or what they are already."""
    if all(path.suffix == ".v" for path in sources):
        return "\n".join(path.read_text() for path in sources)
    return generate.translation(named, sources)


class _Bench:
    """The parts of a verification, which all write into one Evidence."""

    def __init__(
        self,
        named: Named,
        model: Model,
        traced: Callable[[], Model],
        evidence: Evidence,
        waves: Path | None,
        progress: Progress,
    ) -> None:
        self.named = named
        self.design = named.design
        self.model = model
        self.traced = traced
        self.evidence = evidence
        self.waves = waves
        self.progress = progress

    # ------------------------------------------------------------- the parts

    def run_vectors(self) -> None:
        """Every known answer that the design can take."""
        wanted = self._vectors()
        self.progress("NIST vectors", 0, len(wanted))
        judgement = self._play("vectors", script.from_vectors(self.design, wanted))
        by_kind: collections.Counter[str] = collections.Counter()
        block = 0
        for vector in wanted:
            if all((0, block + i) in judgement.right for i in range(vector.blocks)):
                by_kind[vector.kind] += 1
            block += vector.blocks
        self.evidence.vectors = by_kind.total()
        self.evidence.counts["vectors"] = {
            "wanted": len(wanted),
            "blocks": len(judgement.right),
            **{kind: by_kind[kind] for kind in vectors.KINDS},
        }
        self.progress("NIST vectors", len(wanted), len(wanted))

    def _vectors(self) -> list[vectors.Vector]:
        """The known answers that the design can take."""
        return vectors.of(self.design)

    def run_random(self, count: int) -> None:
        """Random blocks, gaps, keys, directions and resets."""
        self.progress("random traffic", 0, count)
        rng = random.Random(self.evidence.seed)
        judgement = self._play("random", script.random_traffic(self.design, rng, count))
        self.evidence.random_blocks = len(judgement.right)
        self.evidence.counts["random"] = {
            "wanted": count,
            "wrong": judgement.wrong,
            "decrypted": judgement.decrypted,
            "keys_loaded": judgement.keys,
            "resets": judgement.resets,
            "by_key_bits": {str(b): judgement.by_bits[b] for b in self.design.key_lengths},
        }
        self.progress("random traffic", count, count)

    def run_monte_carlo(self, outer: int) -> None:
        """A Monte Carlo chain for each key size and direction."""
        chains = [
            (bits, decrypt)
            for bits in self.design.key_lengths
            for decrypt, can in (
                (False, self.design.can_encrypt),
                (True, self.design.can_decrypt),
            )
            if can
        ]
        rng = random.Random(self.evidence.seed)
        total = outer * len(chains)
        for number, (bits, decrypt) in enumerate(chains):

            def report(done: int, base: int = number * outer) -> None:
                self.progress("Monte Carlo", base + done, total)

            report(0)
            key, block = rng.randbytes(bits // 8), rng.randbytes(16)
            if self._chain(key, block, decrypt, outer, report):
                self.evidence.monte_carlo += 1
        self.progress("Monte Carlo", total, total)
        self.evidence.counts["monte_carlo"] = {
            "wanted": len(chains),
            "outer": outer,
            "inner": vectors.MONTE_CARLO_INNER,
        }

    def run_four_state(self, sources: Sequence[Path], simulator: simulate.FourState | str) -> None:
        """The translated Verilog with four values: few blocks from a core of unknown registers.

        Not where the source fails: then nothing is to be said of its translation. The source plays
        the same script first, so it is known how many clocks that takes.

        Args:
            sources: of the core.
            simulator: or why there is none.
        """
        self.progress("four-state simulation", 0, 3)
        by_kind: dict[tuple[int, bool], list[vectors.Vector]] = collections.defaultdict(list)
        for vector in self._vectors():
            if vector.kind == "MMT":
                by_kind[vector.key_bits, vector.decrypt].append(vector)
        chosen = [v for found in by_kind.values() for v in found[:_FOUR_STATE_VECTORS]]
        played = script.short(self.design, random.Random(self.evidence.seed), chosen)
        try:
            if isinstance(simulator, str):
                raise simulate.NotRunError(simulator)
            if not self.evidence.failures:
                source = self._play(four_state.CHECK, played)
            if self.evidence.failures:
                raise simulate.NotRunError("the source fails")
            self.progress("four-state simulation", 1, 3)
            try:
                judgement = self._play_translated(simulator, played, sources, source.clocks)
            except ToolError as error:
                self._fail(_died(four_state.CHECK, error))
                judgement = contract.Judgement()
        except simulate.NotRunError as error:
            self.evidence.four_state = {"run": False, "why": str(error)}
            return
        self.evidence.blocks += len(judgement.right)
        self.evidence.four_state = {
            "run": True,
            "simulator": simulator.name,
            "passed": not self.evidence.failures,
            "wanted": len(source.right),
            "blocks": len(judgement.right),
            "clocks": judgement.clocks,
        }
        self.progress("four-state simulation", 3, 3)

    def _play_translated(
        self,
        simulator: simulate.FourState,
        played: script.Script,
        sources: Sequence[Path],
        clocks: int,
    ) -> contract.Judgement:
        """Run a script on the translated Verilog, which should take so many clocks; judge it."""
        texts = four_state.files(self.design, self.named.module, played)
        texts["core.v"] = _translated(self.named, sources)
        self.progress("four-state simulation", 2, 3)
        # One clock comes before the script; a core that is late is to be seen late.
        printed = simulator.run(
            texts, ["core.v", "player.v"], four_state.TOP, four_state.CLOCKED, clocks + 4
        )
        log, unknown = four_state.record(self.design, printed)
        judgement = contract.judge(self.design, played, log, four_state.CHECK)
        # Of a record that ends with an x the judge says that it ends.
        for failure in [unknown] if unknown else judgement.failures:
            self._fail(failure)
        return judgement

    # --------------------------------------------------------------- scripts

    def _play(self, check: str, played: script.Script) -> contract.Judgement:
        """Run a script, judge its record, keep failures with their waveforms."""
        given = played.encode()
        try:
            run = self.model.run("script", given=given, seed=self.evidence.seed)
        except ToolError as error:
            self._fail(_died(check, error))
            return contract.Judgement()
        judgement = contract.judge(self.design, played, run.output, check)
        self.evidence.blocks += len(judgement.right) + judgement.wrong
        self.evidence.seconds += run.seconds
        self.evidence.measured.add(judgement.measured)
        if judgement.failures:
            # One waveform, of what went wrong first.
            first = self._shown(judgement.failures[0], "script", given)
            for failure in judgement.failures:
                self._fail(
                    dataclasses.replace(failure, waveform=first.waveform, unshown=first.unshown)
                )
        return judgement

    # ---------------------------------------------------------------- chains

    def _chain(
        self,
        key: bytes,
        block: bytes,
        decrypt: bool,
        outer: int,
        report: Callable[[int], None],
    ) -> bool:
        """Run a chain and compare the result of each of its outer steps."""
        bits, inner = 8 * len(key), vectors.MONTE_CARLO_INNER
        check = f"monte-carlo {bits} {'decrypt' if decrypt else 'encrypt'}"
        expected = list(vectors.monte_carlo(key, block, decrypt=decrypt, outer=outer, inner=inner))

        def head(steps: int, detail: int) -> bytes:
            return chain(self.design, key, block, decrypt, steps, detail)

        given = head(outer, _NO_DETAIL)
        try:
            run = self.model.run("chain", given=given, seed=self.evidence.seed, on_progress=report)
        except ToolError as error:
            self._fail(_died(check, error))
            return False
        self.evidence.blocks += outer * inner
        self.evidence.seconds += run.seconds
        latency = self.design.latency(bits)
        results = list(_OUTER_RESULT.iter_unpack(run.output))
        for number, (step, (result, clock, least, most)) in enumerate(
            zip(expected, results, strict=True)
        ):
            # Behind 32-bit ports the wait for a change of direction comes after the words: the
            # first block, after a reset, meets it.
            waits = number == 0 and self.design.interface is Interface.WORDS
            longest = latency + (self.design.direction_change if waits else 0)
            if least != latency or most != longest:
                text = f"results come {least} to {most} clocks after blocks, not {latency}"
            elif result != step.result:
                text = f"outer step {number} of the chain ends with a wrong result"
            else:
                continue
            failure = self._first_wrong_inner(
                Failure(check, text, clock, step.key, step.given, step.result, result, decrypt),
                head(number + 1, number),
                step,
            )
            self._fail(self._shown(failure, "chain", head(number + 1, _NO_DETAIL)))
            return False
        return True

    def _first_wrong_inner(
        self, failure: Failure, given: bytes, step: vectors.OuterStep
    ) -> Failure:
        """The failure of an outer step, narrowed down to its first wrong block."""
        try:
            run = self.model.run("chain", given=given, seed=self.evidence.seed)
        except ToolError:
            return failure
        decrypt, latency = failure.decrypt, self.design.latency(8 * len(step.key))
        for block, got, accepted, left in _INNER_RESULT.iter_unpack(run.output):
            expected = oracle.ecb(step.key, block, decrypt=decrypt)
            if got == expected and left - accepted == latency:
                continue
            text = f"{failure.text}; first wrong block, accepted at clock {accepted}"
            return Failure(failure.check, text, left, step.key, block, expected, got, decrypt)
        return failure

    # -------------------------------------------------------------- failures

    def _fail(self, failure: Failure) -> None:
        self.evidence.failures.append(failure)

    def _shown(self, failure: Failure, job: str, given: bytes) -> Failure:
        """A failure with its waveform, where one is wanted: the job runs again.

        What keeps the waveform from being written, such as a full disk, is said in the failure, and
        leaves the verification as it is.
        """
        if self.waves is None:
            return failure
        path = self.waves / f"{self.named.module}-{failure.check.replace(' ', '-')}.vcd"
        window = {
            "from": max(1, failure.clock - _WAVE_BEFORE),
            "to": failure.clock + _WAVE_AFTER,
        }
        try:
            self.waves.mkdir(parents=True, exist_ok=True)
            with files.written_whole(path) as temporary, files.through_pipe(temporary) as pipe:
                self.traced().run(
                    job, arguments={"vcd": pipe, **window}, given=given, seed=self.evidence.seed
                )
        except OSError as error:
            unshown = f"cannot write {path}: {error.strerror}"
            return dataclasses.replace(failure, unshown=unshown)
        except AesfabError as error:
            return dataclasses.replace(failure, unshown=str(error))
        return dataclasses.replace(failure, waveform=path)


def _died(check: str, error: ToolError) -> Failure:
    """The failure of a run without an end: a core that hangs in a chain, a simulator that stops."""
    last = error.log_tail.strip().splitlines()
    return Failure(check, f"{error}{': ' + last[-1].strip() if last else ''}", 0)
