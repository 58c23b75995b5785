# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The schedules that users see are those of the papers, register by register.

A row says what is done in a clock; its register holds the value behind the edge that ends it, so
what the papers' tables give as edge n stands in row n - 1.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from aesfab.design import catalogue
from aesfab.design.architectures.contract import Acceptance
from aesfab.design.architectures.keys import substituted_words
from aesfab.design.axes import (
    ROUNDS_OF_KEY,
    Architecture,
    Interface,
    KeyBits,
    KeySchedule,
    MixLevels,
    Restart,
)
from aesfab.design.combinations import combinations
from aesfab.design.design import Design
from aesfab.design.schedule import diagram, schedule
from aesfab.eda import simulate
from aesfab.folder import generate
from aesfab.verify import expansion
from aesfab.verify.bench import script
from aesfab.verify.bench.script import Kind

# standaert2003, sections 6.1 and 6.2: levels a round of the loop or pipeline, edge of the last
# level of SubBytes, of Mixadd and of the round key as (factor of r, constant), latency.
STANDAERT = {
    "standaert-pipeline-42": ((4, 0), (4, 2), (4, 1), 42),
    "standaert-ram-pipeline-42": ((4, 0), (4, 2), (4, 1), 42),
    "standaert-ram-pipeline-32": ((3, 0), (3, 2), (3, 1), 32),
    "standaert-ram-pipeline-21": ((2, 0), (2, 1), (2, 0), 21),
    "standaert-sequential-52": ((5, 0), (5, 2), (5, 1), 52),
    "standaert-ram-sequential-52": ((5, 0), (5, 2), (5, 1), 52),
    "standaert-ram-sequential-42": ((4, 0), (4, 2), (4, 1), 42),
    "standaert-ram-sequential-31": ((3, 0), (3, 1), (3, 0), 31),
    "standaert-ram-sequential-21": ((2, 0), (2, 1), (2, 0), 21),
    "standaert-ram-compact-21": ((2, 0), (2, 1), (2, 0), 21),
}


def _last_edge(rows: list[tuple[str, str]], text: str, *, key: bool) -> int:
    """The edge behind which the last level of ``text`` stands."""
    found = []
    for clock, row in rows:
        state, _, key_side = row.partition("|")
        if re.search(rf"{re.escape(text)}\b", key_side if key else state):
            found.append(int(clock) + 1)
    assert found, text
    return found[-1]


@pytest.mark.parametrize("name", STANDAERT)
def test_standaert_schedule_is_the_papers(name: str) -> None:
    sub_bytes, mixadd, round_key, latency = STANDAERT[name]
    design = catalogue.CATALOGUE[name].design
    rows = schedule(design)

    def edge(of: tuple[int, int], r: int) -> int:
        return of[0] * r + of[1]

    for r in range(1, 11):
        assert _last_edge(rows, f"SubBytes of round {r}", key=False) == edge(sub_bytes, r)
        assert _last_edge(rows, f"K{r}", key=True) == edge(round_key, r)
        if r < 10:
            assert _last_edge(rows, f"MixColumns, + K{r}", key=False) == edge(mixadd, r)
    assert _last_edge(rows, "+ K10", key=False) == latency
    assert rows[-1][0] == str(latency) == str(design.latency())
    assert rows[-1][1].startswith("out_valid_o")
    assert [clock for clock, _ in rows] == [str(n) for n in range(latency + 1)]


def test_standaert_names_are_what_they_say() -> None:
    """Latency, blocks in flight, interval; in_ready_o follows from the same rule."""
    for name, (levels, _, _, latency) in STANDAERT.items():
        design = catalogue.CATALOGUE[name].design
        assert design.latency() == latency
        if design.architecture is Architecture.PIPELINED:
            assert design.interval() == 1
            assert design.acceptance() == Acceptance()
            continue
        blocks = levels[0]
        assert design.blocks_in_flight == blocks
        if name == "standaert-ram-compact-21":
            assert 2 * design.interval() == 22
            assert design.acceptance().conflicts == set(range(2, 21, 2))
        else:
            assert blocks * design.interval() == latency
            assert design.acceptance().limit == blocks
            assert design.acceptance().conflicts == set(range(blocks, 10 * blocks, blocks))


@pytest.mark.parametrize(
    "name",
    [n for n in STANDAERT if catalogue.CATALOGUE[n].design.restart is Restart.LATENCY],
)
def test_standaert_early_restart_is_ten_clocks_a_block(name: str) -> None:
    early = catalogue.find(name, ["restart=early"]).design
    assert early.interval() == 10
    assert early.latency() == catalogue.CATALOGUE[name].design.latency()


def _waves(name: str, signal: str, folder: Path, item: script.BlockItem) -> tuple[int, list[int]]:
    """A block through a core: the clock of its first byte, and what a signal has in each clock."""
    named = catalogue.CATALOGUE[name]
    model = simulate.build(generate.sources(named), named.module, named.design.ports(), trace=True)
    played = script.Script([script.Segment([], [item])], 1000, 30, False, False)
    run = model.run(
        "script", arguments={"vcd": folder / "waves.vcd"}, given=played.encode()
    )  # fmt: skip
    began = next(
        clock for kind, _, clock, _ in script.decode_events(run.output) if kind == Kind.ACCEPT
    )
    text = (folder / "waves.vcd").read_text()
    found = re.search(rf"\$var \w+ +8 (\S+) {signal} \[7:0\] \$end", text)
    assert found
    values, value, time = [0], 0, 0
    for line in text[text.index("$enddefinitions") :].splitlines():
        if line.startswith("#"):
            time = int(line[1:])
            # Clock n ends with the edge at n x 10 ns, whose changes are those of the next one.
            values += [value] * (time // 10 + 1 - len(values))
        elif re.fullmatch(rf"b[01]+ {re.escape(found[1])}", line):
            value = int(line[1:].split()[0], 2)
    return began, values


@pytest.mark.parametrize(
    "name", ["fab-byte", "fab-byte-ram", "fab-byte-min", "fab-small", "fab-small-ram"]
)
def test_schedule_behind_8_bit_ports_is_that_of_the_core(name: str, tmp_path: Path) -> None:
    """In the clock of its row each byte is at the S-box: of the state, or of the round key."""
    key, plain = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
    keys, states = expansion.round_keys(key), list(expansion.rounds(key, plain))
    began, values = _waves(name, "state_d", tmp_path, script.BlockItem(plain, key=key))
    rows = schedule(catalogue.CATALOGUE[name].design)
    seen = 0
    for clock, text in rows:
        for event in text.split("; "):
            if found := re.fullmatch(r"byte (\d+) of .* \+ K(\d+) -> .*", event):
                expected = states[int(found[2])].added
            elif found := re.fullmatch(r"byte (\d+) of K(\d+) -> S-box", event):
                expected = keys[int(found[2])]
            else:
                continue
            seen += 1
            assert values[began + int(clock)] == expected[int(found[1])], (clock, event)
    assert seen == 16 * 11 + 4 * 10
    if catalogue.CATALOGUE[name].design.interface is Interface.BLOCK:
        assert rows[0] == ("0", "block, key -> shift registers")
        assert rows[-1] == ("220", "out_valid_o, out_block_o")
        assert [text.split("; ")[0] for _, text in rows[1:17]] == [
            f"to the core: byte {n}" for n in range(16)
        ]
        assert [text.split("; ")[-1] for _, text in rows[-17:-1]] == [
            f"byte {n} -> block register" for n in range(16)
        ]
        return
    arrive = [text.split("; ")[0] for _, text in rows[:16]]
    assert arrive == [f"in_byte_i, in_key_byte_i: byte {n}" for n in range(16)]
    leave = [text.split("; ")[-1] for _, text in rows[-16:]]
    assert leave == [f"out_valid_o, out_byte_o: byte {n}" for n in range(16)]


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_schedule_over_32_bit_ports(bits: int) -> None:
    """Four clocks to load, Nr + 2, four to unload; the core's rows in the middle."""
    design = catalogue.CATALOGUE["kakarlapudi-sbox-enc-any-io32"].design
    rows = [text for _, text in schedule(design, bits)]
    rounds = ROUNDS_OF_KEY[bits]
    assert len(rows) == rounds + 10 == design.latency(bits)
    assert rows[:4] == [f"in_word_i: word {n} -> block register" for n in range(4)]
    core = [text for _, text in schedule(design.core, bits)]
    assert rows[4 : rounds + 5] == [f"core: {text}" for text in core[:-1]]
    assert rows[-4:] == [f"out_valid_o, out_word_o: word {n}" for n in range(4)]


@pytest.mark.parametrize("name", catalogue.CATALOGUE)
def test_diagram_shows_both_ends(name: str) -> None:
    design = catalogue.CATALOGUE[name].design
    text = diagram(design)
    piece = "byte" if design.interface is Interface.BYTES else "block"
    assert f"in_{piece}_i" in text
    assert f"out_{piece}_o" in text
    assert max(len(line) for line in text.splitlines()) <= 110


def test_every_key_size_and_direction_has_its_schedule() -> None:
    """Every round key is added once, in the clock that follows from the levels."""
    legal = [c.design for c in combinations() if not c.reasons]
    staged = [
        dataclasses.replace(design, mix_levels=mix)
        for design in legal
        for mix in (MixLevels.ONE, MixLevels.TWO)
        if design.architecture in (Architecture.PIPELINED, Architecture.INTERLEAVED)
    ]
    assert len(staged) > 50
    for design in {*legal, *staged}:
        assert diagram(design)
        for bits in design.key_lengths:
            assert len(schedule(design, bits)) == design.latency(bits) + 1
    for design in staged:
        for bits in design.key_lengths:
            rounds = ROUNDS_OF_KEY[bits]
            added = [
                (int(clock), row)
                for clock, row in schedule(design, bits)
                if re.match(r"\+ K|.*ShiftRows, .*\+ .*K\d+", row) and "level 1" not in row
            ]
            front = design.mix_levels.value - 1
            steps = [front + r * design.round_levels for r in range(rounds + 1)]
            assert [clock for clock, _ in added] == steps
            for r, (_, row) in enumerate(added):
                inner = 0 < r < rounds
                if design.can_encrypt:
                    assert f"+ K{r}" in row
                if design.can_decrypt:
                    key = f"K{rounds - r}"
                    assert f"InvMixColumns({key})" in row if inner else f"K{rounds - r}" in row


@pytest.mark.parametrize("name", ["fab-tiny", "fab-tiny-192", "fab-tiny-256", "fab-tiny-dec"])
def test_bytes_are_added_in_order(name: str) -> None:
    """Sixteen in a row each round, one of the state with one of its round key."""
    design = catalogue.CATALOGUE[name].design
    rounds = ROUNDS_OF_KEY[design.key_width]
    found = []
    for clock, row in schedule(design):
        if match := re.match(r"byte (\d+) of (?:the block|round (\d+)) \+ K(\d+)", row):
            found.append((int(clock), int(match[1]), int(match[2] or 0), int(match[3])))
    length = 24 if design.can_encrypt else 28
    first = found[0][0]
    assert found == [
        (first + length * r + n, n, r, r if design.can_encrypt else rounds - r)
        for r in range(rounds + 1)
        for n in range(16)
    ]
    assert found[-1][0] + 1 == design.latency()


@pytest.mark.parametrize("bits", [192, 256])
def test_words_of_a_byte_wide_core_go_to_the_s_box_before_those_with_sub_word(bits: int) -> None:
    text = "\n".join(row for _, row in schedule(catalogue.CATALOGUE[f"fab-tiny-{bits}"].design))
    found = [int(i) for i in re.findall(r"byte 0 of W\[(\d+)\].* to the S-box", text)]
    # The word before the first of a key is not used; the last may have no word behind it.
    last = 4 * (ROUNDS_OF_KEY[bits] + 1)
    wanted = [i - 1 for i in substituted_words(bits)]
    assert [i for i in found if bits // 32 <= i + 1 < last] == wanted


def test_longer_keys_on_the_fly_have_the_words_of_key_expansion() -> None:
    """FIPS 197, section 5.2: SubWord at i mod Nk = 0, for Nk = 8 at i mod 8 = 4 as well."""
    for bits, numbers in ((192, range(6, 52, 6)), (256, range(8, 60, 4))):
        design = Design(
            architecture=Architecture.PIPELINED,
            mix_levels=MixLevels.ONE,
            key_schedule=KeySchedule.ON_THE_FLY,
            key_bits=KeyBits(bits),
        )
        text = "\n".join(row for _, row in schedule(design))
        found = [int(i) for i in re.findall(r"SubWord for W\[(\d+)\]", text)]
        assert [i for i in found if i < 4 * (ROUNDS_OF_KEY[bits] + 1)] == list(numbers)


@pytest.mark.parametrize("tbox", ["pair", "packed"])
@pytest.mark.parametrize(("levels", "overlap"), [("1", "no"), ("2", "no"), ("2", "yes")])
@pytest.mark.parametrize("bits", ["128", "192", "256"])
def test_one_addition_takes_all_keys_in_order(
    bits: str, levels: str, overlap: str, tbox: str
) -> None:
    """One each round, so many clocks apart, and the last one a clock before the result leaves."""
    words = [f"key_bits={bits}", f"sbox_levels={levels}", f"overlap={overlap}", f"tbox={tbox}"]
    design = catalogue.find("fab-iterative-ram", words).design
    rows = schedule(design)
    rounds = ROUNDS_OF_KEY[int(bits)]
    added = [
        (int(clock), int(match[1]))
        for clock, row in rows
        if (match := re.search(r"\+ K(\d+)(?:, ShiftRows| -> output register)", row))
    ]
    last = design.latency() - 1
    assert added == [(last - int(levels) * (rounds - r), r) for r in range(rounds + 1)]
    assert rows[-1][0] == str(design.latency())
