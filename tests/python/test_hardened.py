# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Hardened cores: on their netlists, every flip of control in every clock of a block.

``results/flips.jsonl`` (``make flips``) has what the flips of every named design did; a sample is
measured again here, and whatever of the hardened ones has changed.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import kept
import passed
from aesfab import records
from aesfab.design import catalogue, security
from aesfab.design.axes import AXES, Hardened
from aesfab.design.catalogue import Named
from aesfab.design.design import Design
from aesfab.eda import yosys
from aesfab.errors import ToolError
from aesfab.folder import generate
from aesfab.hdl import dependence
from aesfab.verify import flips

pytestmark = pytest.mark.kept(*passed.EDA, "src/aesfab/verify", "results/flips.jsonl", passed.cores)

HARDENED = {
    name: named
    for name, named in catalogue.CATALOGUE.items()
    if named.design.hardened is Hardened.YES
}
_SHIPPED = {record["netlist_hash"]: record for record in records.shipped("flips")}
_FLIPS, _DEPENDENCE = (Path(str(module.__file__)) for module in (flips, dependence))


def _legal(count: int) -> list[Named]:
    """Hardened points of all architectures, drawn from the neighbours of all named designs."""
    rng = random.Random(3)
    found: dict[Design, Named] = {}
    points = [
        dataclasses.replace(named.design, hardened=Hardened.YES)
        for named in catalogue.CATALOGUE.values()
    ]
    while len(found) < count:
        change: dict[str, Any] = {
            axis: rng.choice(list(AXES[axis]))
            for axis in rng.sample(list(AXES), rng.randint(0, 2))
            if axis != "hardened"
        }
        design = dataclasses.replace(rng.choice(points), **change)
        if not design.reasons():
            found[design] = Named(f"point-{len(found)}", "", "", design)
    return list(found.values())


def _single(sources: list[Path], module: str) -> list[str]:
    """Bits of control that are in no copy."""
    control = dependence.control_registers(yosys.elaborated(sources, module))
    assert control
    return [name for name in control if ".gen_copy[" not in name]


def in_copies(named: Named) -> None:
    """Every register that neither data nor keys reach is one of three copies."""
    assert not _single(generate.sources(named), named.module)


@pytest.mark.parametrize("named", [*HARDENED.values(), *_legal(40)], ids=lambda named: named.name)
def test_every_register_of_control_is_in_three_copies(named: Named) -> None:
    identity = passed.of_netlist(named, in_copies, _single, _DEPENDENCE, simulated=False)
    passed.once(f"{named.module}, copies", identity, lambda: in_copies(named))


def test_a_register_without_copies_is_found(tmp_path: Path) -> None:
    named = HARDENED["fab-tiny-hardened"]
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    path = tmp_path / "aes_core_narrow_bytes.sv"
    path.write_text(path.read_text().replace(".Hardened(Cfg.hardened)", ".Hardened(1'b0)", 1))
    assert _single(sources, named.module)


def harmless(named: Named) -> None:
    """No flip gives fewer rounds or stops the core; what is thrown comes back."""
    outcome = flips.measure(named, generate.sources(named))
    assert outcome.harmless, outcome
    assert outcome.zero >= outcome.bits * (outcome.clocks - 1)
    thrown = flips.measure(named, generate.sources(named), throws=8)
    assert not thrown.hung, thrown


@pytest.mark.parametrize("name", HARDENED)
def test_no_flip_gives_fewer_rounds_or_stops_a_hardened_core(name: str) -> None:
    named = HARDENED[name]
    identity = passed.of_netlist(named, harmless, _FLIPS, _DEPENDENCE)
    passed.once(f"{name}, flips", identity, lambda: harmless(named))


def proved(named: Named) -> None:
    """No flip of one bit changes what control does, in any state and for ever."""
    flips.prove_control(named, generate.sources(named))


@pytest.mark.parametrize("name", HARDENED)
def test_control_is_proved_against_every_flip(name: str) -> None:
    named = HARDENED[name]
    identity = passed.of_netlist(named, proved, _FLIPS, _DEPENDENCE, simulated=False)
    passed.once(f"{name}, proof of control", identity, lambda: proved(named))


@pytest.mark.parametrize("name", ["fab-tiny-hardened", "fab-iterative-hardened"])
def test_a_vote_of_one_copy_is_refuted(name: str, tmp_path: Path) -> None:
    named = HARDENED[name]
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    path = tmp_path / "aes_control_register.sv"
    vote = "(copies[0] & copies[1]) |"
    assert vote in path.read_text()
    path.write_text(path.read_text().replace(vote, "copies[0] |"))
    with pytest.raises(ToolError, match="proof did fail"):
        flips.prove_control(named, sources)


# Of each architecture: without its check. (A vote of one copy; the result let through.)
_UNCHECKED = [
    ("aes_control_register.sv", "(copies[0] & copies[1]) | (copies[0] & copies[2]) | "
     "(copies[1] & copies[2])", "copies[0]"),
    ("aes_guard.sv", "assign any_fault = core_fault_i |", "assign any_fault ="),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new"), _UNCHECKED, ids=["vote", "fault"])
@pytest.mark.parametrize("name", ["fab-iterative-hardened", "fab-narrow-both-hardened"])
def test_flips_are_seen_without_the_checks(
    name: str, file: str, old: str, new: str, tmp_path: Path
) -> None:
    named = HARDENED[name]
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    outcome = flips.measure(named, sources, every=4)
    # Without the report of a fault results are still right, but none is zero.
    assert not outcome.harmless or outcome.zero < outcome.flips // 2


def test_a_round_constant_that_is_only_doubled_stops_a_core(tmp_path: Path) -> None:
    """Without copies a flip gives results of fewer rounds; it stops a core whose count is lost."""
    named = catalogue.find("pilchard-unrolled-1")
    outcome = flips.measure(named, generate.sources(named))
    assert (outcome.reduced, outcome.hung) == (9, 0)
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    path = tmp_path / "aes_key_pkg.sv"
    old = "(key_size == KeySize128) ? rcon_after(rcon) :"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, "(key_size == KeySize128) ? xtime(rcon) :"))
    doubled = flips.measure(named, sources)
    assert (doubled.reduced, doubled.hung) == (9, 72)
    assert all("rcon" in name for name in doubled.hanging)


# What a flip stops until the next reset: T-boxes that are refilled, and 32-bit ports.
_STOPPED = ("fischer-*-tbox-both", "kakarlapudi-*-io32")


def test_a_flip_stops_no_core_but_those_that_are_known_to() -> None:
    found = {record["design"]: record for record in _SHIPPED.values()}
    assert len(found) > 100
    for name, record in found.items():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in _STOPPED):
            continue
        assert not record["hung"], name
    stopped = [
        pattern
        for pattern in _STOPPED
        if not any(found[n]["hung"] for n in fnmatch.filter(found, pattern))
    ]
    assert stopped == []


def test_a_count_that_stands_still_stops_a_pipeline(tmp_path: Path) -> None:
    """Just after a reset a flip can throw the count of clocks to ones; it is led back."""
    named = catalogue.find("standaert-ram-pipeline-32")
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    assert not flips.measure(named, sources).hung
    path = tmp_path / "aes_core_pipelined.sv"
    old = "next_count(clocks_q) & ~{{4{&ones_q}}, 4'h0}"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, "next_count(clocks_q)"))
    stopped = flips.measure(named, sources)
    assert stopped.hung > 0
    assert all("clocks" in name for name in stopped.hanging)


# One of each kind of core.
_STREAMS = ("fab-iterative", "fab-iterative-small", "pilchard-unrolled-1", "fab-iterative-ram",
            "fab-iterative-ram-packed", "fab-iterative-both", "fab-compact", "fab-interleaved",
            "fab-rolling", "fab-narrow", "fab-narrow-both", "fab-tiny", "fab-small",
            "kakarlapudi-sbox-both-any", "standaert-ram-pipeline-21", "fab-byte",
            "fab-micro", "fab-micro-block")  # fmt: skip


def goes_on(named: Named) -> None:
    """Blocks that are offered all the time come out right again, whatever a flip or a throw did."""
    for throws in (0, 8):
        outcome = flips.measure(named, generate.sources(named), throws=throws, traffic=True)
        assert not outcome.hung, outcome


@pytest.mark.parametrize("name", _STREAMS)
def test_a_stream_of_blocks_comes_right_again(name: str) -> None:
    named = catalogue.find(name)
    identity = passed.of_netlist(named, goes_on, _FLIPS, _DEPENDENCE)
    passed.once(f"{name}, flips in a stream", identity, lambda: goes_on(named))


def test_blocks_that_go_wrong_in_a_stream_are_found(tmp_path: Path) -> None:
    """Two streams, each of which lets its own next block in: alone, no block is wrong for long."""
    named = catalogue.find("fab-iterative-ram")
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    path = tmp_path / "aes_core_iterative_shared.sv"
    old = "assign enter_d = ~(token[0] | busy_q);"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, f"{old[:-1]} | token[Last-1];"))
    assert not flips.measure(named, sources).hung
    assert flips.measure(named, sources, traffic=True).hung > 100


@pytest.mark.parametrize(
    ("name", "file", "old", "new"),
    [
        (
            "fab-byte",
            "aes_core_narrow_serial.sv",
            "in_valid_i & (in_block_i[0] | ~(column_q[4] & row_q[2]))",
            "in_valid_i",
        ),
        (
            "fab-micro",
            "aes_core_microcoded.sv",
            "(~in_valid_i | (instruction_q.sbox & ~first_byte))",
            "~in_valid_i",
        ),
    ],
    ids=["fab-byte", "fab-micro"],
)
def test_a_lost_byte_costs_two_blocks_and_no_more(
    name: str, file: str, old: str, new: str, tmp_path: Path
) -> None:
    """With 8-bit ports: the core drops what comes before the first byte of a block."""
    named = catalogue.find(name)
    sources = [Path(shutil.copy(path, tmp_path)) for path in generate.sources(named)]
    assert not flips.measure(named, sources).hung
    path = tmp_path / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert flips.measure(named, sources).hung > 100


def test_shipped_flips_are_of_the_designs_as_they_are() -> None:
    """Those of a netlist that is no more are of no use: `make flips`."""
    for name, named in catalogue.CATALOGUE.items():
        netlist_hash = generate.netlist_hash(named)
        record = _SHIPPED.get(netlist_hash)
        if record is None:
            continue
        assert "rounds" in security.flips_text(record) or "right" in security.flips_text(record)
        if kept.in_sample(netlist_hash) and record["bits"] * record["clocks"] < 5000:
            again = flips.measure(named, generate.sources(named)).to_json()
            assert again == {key: record[key] for key in again}, name
