# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a flip does: every bit of control of a core inverted in every clock of a block.

The bits are those of the netlist that neither data nor keys reach (``dependence``). In the netlist
each of them gets a gate that inverts it where ``flip_i`` has its number; the result, as Verilog,
runs in the bench. A flipped register keeps what it holds until it is loaded, as hardware does.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import random
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aesfab.design.axes import Hardened
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.design.ports import Port
from aesfab.eda import simulate, yosys
from aesfab.hdl import dependence
from aesfab.system import cache, process
from aesfab.verify import expansion, oracle
from aesfab.verify.bench import script

FLIP = Port("flip_i", 16, True, "number of the bit of control that is inverted, 0: none")
"""The port that the netlist has beside those of its core."""

THROW = 1 << FLIP.width - 1
"""From this number on, about half of all bits are inverted: others with each number."""

_HEAD = struct.Struct("<9I32s48s")
_RESULT = struct.Struct("<" + 3 * "4I16s16s")
_NEVER = 0xFFFFFFFF
_KEY_LEN = {128: 0, 192: 1, 256: 2}


@dataclasses.dataclass
class Outcome:
    """What the flips of a core did, in numbers of flips.

    Attributes:
        bits: bits of control.
        clocks: clocks in which each was inverted.
        right: the result was right and in its clock.
        zero: it was zero, with ``fault_o``, in its clock.
        reduced: it was a state of an inner round, or what the last round makes of one: fewer rounds
            than there must be.
        wrong: it was something else, or in another clock.
        missing: no result came.
        unasked: a result came that belongs to no block; also counted in one of the above.
        recovered: the next block was accepted in time and its result right.
        next_key: blocks are wrong, or not accepted, until a key is loaded.
        hung: blocks are wrong, or not accepted, until the next reset.
        longest: clocks that the next block waited at most, where it was accepted.
        hanging: names of the bits with a flip that hangs the core, up to eight.
    """

    bits: int = 0
    clocks: int = 0
    right: int = 0
    zero: int = 0
    reduced: int = 0
    wrong: int = 0
    missing: int = 0
    unasked: int = 0
    recovered: int = 0
    next_key: int = 0
    hung: int = 0
    longest: int = 0
    hanging: list[str] = dataclasses.field(default_factory=list)

    @property
    def flips(self) -> int:
        """How many were tried."""
        return self.bits * self.clocks

    @property
    def harmless(self) -> bool:
        """Whether every result was right or zero in its clock, and every next one right."""
        kept = self.right + self.zero == self.recovered == self.flips
        return kept and not self.unasked

    def to_json(self) -> dict[str, Any]:
        """As a record."""
        return dataclasses.asdict(self)


def _with_flips(module: Mapping[str, Any], bits: Sequence[int]) -> dict[str, Any]:
    """The module with a gate behind each register bit, and the port that says which inverts."""
    changed: dict[str, Any] = copy.deepcopy(dict(module))
    numbers = [
        bit
        for cell in changed["cells"].values()
        for wires in cell["connections"].values()
        for bit in wires
        if isinstance(bit, int)
    ]
    numbers += [b for port in changed["ports"].values() for b in port["bits"] if isinstance(b, int)]
    numbers += [
        b for net in changed["netnames"].values() for b in net["bits"] if isinstance(b, int)
    ]
    free = max(numbers) + 1
    port = list(range(free, free + FLIP.width))
    free += FLIP.width
    changed["ports"][FLIP.name] = {"direction": "input", "bits": port}
    changed["netnames"][FLIP.name] = {"hide_name": 0, "bits": port, "attributes": {}}
    raw = {bit: free + 2 * at for at, bit in enumerate(bits)}
    for at, (name, cell) in enumerate(list(changed["cells"].items())):
        if cell["type"].startswith(dependence.REGISTERS):
            wires = cell["connections"]["Q"]
            cell["connections"]["Q"] = [raw.get(bit, bit) for bit in wires]
        # A name of its own keeps hidden names of Yosys out of Verilog.
        del changed["cells"][name]
        changed["cells"][f"cell{at}"] = cell
    free += 2 * len(bits)
    rng = random.Random(1)
    for at, bit in enumerate(bits):
        number = _bits(at + 1)
        # Of a throw, those for which a sum of bits that are drawn for each is odd.
        drawn = _bits(rng.randrange(1, THROW))
        hit = raw[bit] + 1
        odd, thrown, any_hit = range(free, free + 3)
        masks = list(range(free + 3, free + 3 + FLIP.width))
        free += 3 + FLIP.width
        gates = changed["cells"]
        gates[f"flip{at}_eq"] = _gate("$eq", port, number, [hit])
        gates[f"flip{at}_and"] = _gate("$and", port, drawn, masks)
        gates[f"flip{at}_sum"] = _parity(masks, odd)
        gates[f"flip{at}_throw"] = _gate("$and", [odd], [port[-1]], [thrown])
        gates[f"flip{at}_or"] = _gate("$or", [hit], [thrown], [any_hit])
        gates[f"flip{at}_xor"] = _gate("$xor", [raw[bit]], [any_hit], [bit])
    return changed


def _bits(number: int) -> list[str]:
    """A constant as wide as the port, from the lowest bit on."""
    return [str(number >> index & 1) for index in range(FLIP.width)]


def _parity(a: Sequence[int], y: int) -> dict[str, Any]:
    """The sum of all bits but the last one, which says that it is a throw."""
    gate = _gate("$reduce_xor", a[:-1], (), [y])
    for part in (gate["parameters"], gate["connections"], gate["port_directions"]):
        for name in [name for name in part if name.startswith("B")]:
            del part[name]
    return gate


def _gate(kind: str, a: Sequence[Any], b: Sequence[Any], y: Sequence[Any]) -> dict[str, Any]:
    widths = {"A_WIDTH": len(a), "B_WIDTH": len(b), "Y_WIDTH": len(y)}
    parameters = {name: f"{width:032b}" for name, width in widths.items()}
    return {
        "hide_name": 0,
        "type": kind,
        "parameters": {"A_SIGNED": "0" * 32, "B_SIGNED": "0" * 32, **parameters},
        "attributes": {},
        "port_directions": {"A": "input", "B": "input", "Y": "output"},
        "connections": {"A": list(a), "B": list(b), "Y": list(y)},
    }


def _netlist(sources: Sequence[Path], top: str) -> tuple[Path, list[str]]:
    """The netlist with flips as a Verilog file in the cache, and the names of its bits in order."""
    module = yosys.elaborated(sources, top)
    bits = dependence.control_registers(module)
    if len(bits) >= THROW:
        raise AssertionError(f"{len(bits)} bits of control are too many for {FLIP.name}")
    text = json.dumps(
        {"creator": "AESFab", "modules": {top: _with_flips(module, [*bits.values()])}}
    )

    def make() -> str:
        with process.temporary_folder() as folder:
            (folder / "flips.json").write_text(text)
            commands = ["read_json flips.json", "rename -wire", "write_verilog -noattr flips.v"]
            yosys.run_script(commands, what=f"netlist of {top}", cwd=folder, outputs=["flips.v"])
            return (folder / "flips.v").read_text()

    key = process.content_key(yosys.version(), "write_verilog", text)
    return cache.source(cache.text("flips", key, make), "flips.v"), list(bits)


def prove_control(named: Named, sources: Sequence[Path]) -> None:
    """Prove that no flip of one bit of control does anything to control, for ever, by induction.

    Two copies of the netlist get the same inputs; in one of them any single bit of control, or
    none, is inverted in every clock, another one each time. Where all registers of control hold
    the same in both, and the copies of each are equal, they are so in the next clock, and the
    handshakes are the same in both clocks. What only reports a fault (``u_fault`` and ``u_wait`` of
    the guard) is left out: it is to differ.

    Args:
        named: a hardened design.
        sources: its RTL.

    Raises:
        ToolError: the proof fails.
    """
    top = named.module
    module = yosys.elaborated(sources, top)
    bits = dependence.control_registers(module)
    changed = _with_flips(module, [*bits.values()])
    # Only single flips: the bit of the port that makes it a throw is 0.
    reports = [name for name in bits if ".u_fault." in name or ".u_wait." in name]
    raws = {
        name: changed["cells"][f"flip{at}_xor"]["connections"]["A"][0]
        for at, name in enumerate(bits)
    }
    # The copies of a register, in the same order each.
    copies = [
        [raw for name, raw in raws.items() if f".gen_copy[{k}]" in name and name not in reports]
        for k in range(3)
    ]
    alone = [raw for name, raw in raws.items() if ".gen_copy[" not in name]
    kept_ports = {
        name: port
        for name, port in changed["ports"].items()
        if port["direction"] != "output" or name in dependence.CONTROL_OUTPUTS
    }
    changed["ports"] = dict(kept_ports)
    for at, part in enumerate([*copies, alone]):
        if part:
            changed["ports"][f"control_{at}_o"] = {"direction": "output", "bits": part}
            net = {"hide_name": 0, "bits": part, "attributes": {}}
            changed["netnames"][f"control_{at}_o"] = net
    flat = json.dumps({"creator": "AESFab", "modules": {top: changed}})
    inputs = [n for n, p in kept_ports.items() if p["direction"] != "output" and n != FLIP.name]
    outputs = [n for n, p in changed["ports"].items() if p["direction"] == "output"]
    widths = {name: len(changed["ports"][name]["bits"]) for name in (*inputs, *outputs)}
    with process.temporary_folder() as folder:
        (folder / "flips.json").write_text(flat)
        (folder / "miter.v").write_text(_miter(top, inputs, outputs, widths))
        commands = [
            *("read_json flips.json", "read_verilog miter.v", "hierarchy -top flips_miter"),
            *("flatten", "opt_clean -purge", "memory_map", "opt -full", "async2sync"),
            "sat -verify -seq 2 -prove-skip 1 -set-at 1 same_o 1 -prove same_o 1",
        ]
        yosys.run_script(commands, what=f"control of {named.name}", cwd=folder, timeout=1200.0)


def _miter(top: str, inputs: Sequence[str], outputs: Sequence[str], widths: dict[str, int]) -> str:
    """Two copies of a netlist with the same inputs, one without flips, and whether they agree."""
    ports = "".join(f"  input [{widths[name] - 1}:0] {name},\n" for name in inputs)
    wires = "".join(
        f"  wire [{widths[name] - 1}:0] sound_{name}, flipped_{name};\n" for name in outputs
    )
    equal = [f"sound_{name} == flipped_{name}" for name in outputs]
    # From a reset on, the copies of a register are loaded with the same.
    equal += [f"sound_control_0_o == sound_control_{k}_o" for k in (1, 2)]
    same = " && ".join(equal)
    instances = ""
    for copy_name, flip in (("sound", "16'd0"), ("flipped", "{1'b0, which_i}")):
        given = [f".{name}({name})" for name in inputs]
        given += [f".{name}({copy_name}_{name})" for name in outputs]
        given.append(f".{FLIP.name}({flip})")
        instances += f"  {top} u_{copy_name} ({', '.join(given)});\n"
    return (
        f"module flips_miter (\n{ports}  input [14:0] which_i,\n  output same_o\n);\n"
        f"{wires}{instances}  assign same_o = {same};\nendmodule\n"
    )


def measure(
    named: Named,
    sources: Sequence[Path],
    *,
    every: int = 1,
    throws: int = 0,
    traffic: bool = False,
    seed: int = 1,
) -> Outcome:
    """Invert every bit of control in every clock from the acceptance of a block to its result.

    Or throw control into states that no input leads to, and see whether it comes back.

    Args:
        named: the design.
        sources: its RTL.
        every: take one bit in so many.
        throws: invert about half of all bits at once, in so many ways, instead of each alone.
        traffic: offer blocks behind the first one, for as long as a key and three blocks take, so
            that what is wrong may go on. The last of them must be right, where the key still is.
        seed: of key and blocks.

    Raises:
        AesfabError: no C++ compiler.
        ToolError: a tool fails, or the core does not work without a flip.
    """
    design = named.design
    netlist, names = _netlist(sources, named.module)
    model = simulate.build([netlist], named.module, [*design.ports(), FLIP], lint=False)
    rng = random.Random(seed)
    bits = design.key_width
    key, blocks = rng.randbytes(bits // 8), [rng.randbytes(16) for _ in range(3)]
    decrypt = not design.can_encrypt
    span = design.latency() + 1
    patience = script.patience(design)
    if design.hardened is Hardened.YES:
        patience = max(patience, design.watch_clocks)
    # What is thrown has the time that the design states, as have results that a flip swallows.
    offered = 3 * span + design.key_setup() + design.silent_clocks if traffic else 0
    settled = offered + span + 2
    settled += max(design.watch_clocks if throws else 0, design.silent_clocks)
    outcome = Outcome(clocks=span)
    expected = oracle.ecb(key, b"".join(blocks), decrypt=decrypt)
    results = [expected[at : at + 16] for at in range(0, 48, 16)]
    plain = results[0] if decrypt else blocks[0]
    fewer = expansion.inner_values(key, plain) | expansion.reduced_results(key, plain)
    numbers = range(1, len(names) + 1, every)
    if throws:
        numbers = range(THROW + 1, THROW + 1 + throws)
    for first in numbers:
        head = _HEAD.pack(
            *(first, first, span, offered, settled, patience, span + 2, _KEY_LEN[bits], decrypt),
            key.ljust(32, b"\0"),
            b"".join(blocks),
        )
        found = model.run("flips", given=head, seed=seed).output
        runs = list(_RESULT.iter_unpack(found))
        reference, *flipped = [_answers(run) for run in runs]
        if _kind(reference[0], design, results[0], fewer) != "right":
            raise AssertionError(f"{named.name} does not work without a flip: {reference[0]}")
        outcome.bits += 1
        for answers in flipped:
            _count(
                outcome,
                names[first - 1] if not throws else str(first),
                answers,
                design,
                results,
                fewer,
                traffic,
            )
    return outcome


@dataclasses.dataclass(frozen=True)
class _Answer:
    waited: int
    latency: int
    fault: bool
    more: int
    block: bytes
    last: bytes


def _answers(run: Sequence[Any]) -> list[_Answer]:
    parts = (run[at : at + 6] for at in range(0, 18, 6))
    return [_Answer(w, late, bool(f), more, *blocks) for w, late, f, more, *blocks in parts]


def _kind(answer: _Answer, design: Design, expected: bytes, fewer: set[bytes]) -> str:
    """Which of the attributes of ``Outcome`` a result counts for."""
    if answer.latency == _NEVER:
        return "missing"
    if answer.block in fewer and answer.block != expected:
        return "reduced"
    if answer.latency != design.latency():
        return "wrong"
    if answer.fault:
        return "zero" if not any(answer.block) else "wrong"
    return "right" if answer.block == expected else "wrong"


def _count(
    outcome: Outcome,
    name: str,
    answers: Sequence[_Answer],
    design: Design,
    results: Sequence[bytes],
    fewer: set[bytes],
    traffic: bool,
) -> None:
    kinds = [_kind(a, design, r, fewer) for a, r in zip(answers, results, strict=True)]
    setattr(outcome, kinds[0], getattr(outcome, kinds[0]) + 1)
    outcome.unasked += answers[0].more > 0
    # Blocks that went wrong one after the other until no more came: the same key would be right.
    stream = traffic and answers[0].last != results[0]
    if stream and (kinds[1] == "right" or not design.stored_keys):
        hung = True
    elif kinds[1] == "right" and not answers[1].more:
        hung = False
        outcome.recovered += 1
    elif kinds[2] == "right":
        hung = False
        # Without a key to load this is only a block later, or two.
        if design.stored_keys:
            outcome.next_key += 1
        else:
            outcome.recovered += 1
    else:
        hung = True
    if hung:
        outcome.hung += 1
        if name not in outcome.hanging and len(outcome.hanging) < 8:
            outcome.hanging.append(name)
    if answers[1].waited != _NEVER:
        outcome.longest = max(outcome.longest, answers[1].waited)


def register_of(name: str) -> str:
    """The name of a register in its module, of the name of a bit in the netlist."""
    return name.rpartition(".")[2]
