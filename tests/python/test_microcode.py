# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The program of the microcoded core, run by an interpreter of its own."""

from __future__ import annotations

import dataclasses
import functools
import random
import re
from collections.abc import Iterator

from aesfab.design import catalogue, schedule
from aesfab.hdl import rtl
from aesfab.verify import oracle
from book import rounds

_TOP = """\
module top;
  import aes_microcode_pkg::*;
  typedef logic [255:0][15:0] packed_t;
  function automatic packed_t packed_words();
    program_t words;
    packed_t found;
    words = make_words();
    for (int i = 0; i < 256; i++) found[i] = words[i];
    return found;
  endfunction
  function automatic packed_t packed_sbox();
    packed_t found;
    for (int i = 0; i < 256; i++) found[i] = {8'd0, aes_pkg::SboxFwdTable[i]};
    return found;
  endfunction
  localparam packed_t Words = packed_words();
  localparam packed_t Sbox = packed_sbox();
  localparam int unsigned Places[4] = '{int'(AtState), int'(AtZero), int'(AtRcon), int'(AtOne)};
  localparam int unsigned Writes[3] = '{int'(WriteKey), int'(WriteNothing), int'(WriteResult)};
  localparam int unsigned Targets[3] = '{NumWords, Mix, Entry};
endmodule
"""

_LOAD, _ADD, _DOUBLE, _TAKE = range(4)


@dataclasses.dataclass(frozen=True)
class Word:
    """An instruction, as ``instruction_t`` has it."""

    sbox: bool
    key: bool
    read: int
    write: int
    op: int


class _Program:
    """The words, and the numbers of the package."""

    def __init__(self) -> None:
        compilation = rtl.elaborate(_TOP, "top")
        assert not [d for d in compilation.getAllDiagnostics() if d.isError()]
        (top,) = (t for t in compilation.getRoot().topInstances if t.name == "top")

        def numbers(name: str) -> list[int]:
            return [int(each.value) for each in top.body.find(name).value.value]

        def table(name: str) -> list[int]:
            whole = int(top.body.find(name).value.value)
            return [whole >> 16 * at & 0xFFFF for at in range(256)]

        self.sbox = table("Sbox")
        self.words = [
            Word(bool(w >> 15), bool(w >> 14 & 1), w >> 8 & 63, w >> 2 & 63, w & 3)
            for w in table("Words")
        ]
        self.at_state, self.at_zero, self.at_rcon, self.at_one = numbers("Places")
        self.write_key, self.write_nothing, self.write_result = numbers("Writes")
        self.num_words, self.mix, self.entry = numbers("Targets")


@functools.cache
def _program() -> _Program:
    return _Program()


class _Machine:
    """What ``aes_core_microcoded.sv`` does with a word, in Python; bytes are unknown at first."""

    def __init__(self) -> None:
        self.program = _program()
        self.data: dict[int, int] = dict.fromkeys(
            range(self.program.at_zero, self.program.at_zero + 16), 0
        )
        self.data[self.program.at_one] = 1
        self.key: dict[int, int] = {}
        self.acc: int | None = None
        self.read: int | None = None  # what the word before has read
        self.at = 0
        self.next = 1
        self.jumps = 0

    def step(self, byte: tuple[int, int]) -> tuple[bool, int | None]:
        """A word: whether it takes the byte of block and key, and the byte of the result."""
        program = self.program
        word = program.words[self.at]
        takes = word.op == _TAKE
        if word.sbox and not takes:
            assert self.acc is not None, self.at
            read: int | None = program.sbox[self.acc]
        else:
            read = self.data.get(word.read)
        if word.key:
            # A byte of the key memory is added, in the same word.
            assert read is not None, self.at
            read ^= self.key[word.read % 16]
        out = None
        target = (self.next + 1) % program.num_words
        if takes:
            self.data[word.write], self.key[word.write % 16] = byte
        elif word.write >= program.write_nothing:
            if word.write == program.write_result:
                out = self.acc
            elif word.write & 4:
                target = self._jump(word, target)
        elif program.write_key <= word.write < program.write_key + 16:
            assert self.acc is not None
            self.key[word.write % 16] = self.acc
        else:
            assert self.acc is not None, self.at
            self.data[word.write] = self.acc
        kept = {_LOAD: 0, _ADD: self.acc, _DOUBLE: _times_x(self.acc), _TAKE: 0}[word.op]
        self.acc = None if kept is None or self.read is None else kept ^ self.read
        self.read = read
        self.at, self.next = self.next, target
        return takes, out

    def _jump(self, word: Word, otherwise: int) -> int:
        if word.write & 2:
            self.jumps = 0
            return self.program.entry
        self.jumps += 1
        return self.program.mix if self.jumps < 10 else otherwise


def _times_x(byte: int | None) -> int | None:
    return None if byte is None else byte << 1 & 0xFF ^ (0x1B if byte & 0x80 else 0)


def _blocks(machine: _Machine, block: bytes, key: bytes) -> Iterator[tuple[int, bytes]]:
    """The clocks of blocks that come one right after the other, and their results."""
    clocks, taken, result = 0, 0, b""
    while True:
        takes, out = machine.step((block[taken % 16], key[taken % 16]))
        taken += takes
        clocks += 1
        if out is not None:
            result += bytes([out])
        if machine.at == 0:
            yield clocks, result
            clocks, result = 0, b""


def test_the_program_is_aes() -> None:
    """Blocks under random keys; the machine knows no byte that was not written before."""
    rng = random.Random(1)
    interval = catalogue.find("fab-micro").design.interval(128)
    machine = _Machine()
    for _ in range(5):
        block, key = rng.randbytes(16), rng.randbytes(16)
        clocks, result = next(_blocks(machine, block, key))
        assert clocks == interval
        assert result == oracle.ecb(key, block)


def test_no_word_reads_what_it_writes() -> None:
    """Memories need not say what a byte is in the clock in which it is written."""
    program = _program()
    for at, word in enumerate(program.words):
        of_key = program.write_key <= word.write < program.write_key + 16
        if word.op == _TAKE or of_key:
            assert not (word.key and word.read % 16 == word.write % 16), at
        reads = not (word.sbox or word.read in range(program.at_zero, program.at_zero + 16))
        assert not (reads and not of_key and word.read == word.write), at


def test_every_word_is_run_or_none() -> None:
    """Words that the program does not reach do nothing: no write, no jump, no byte of a result."""
    machine = _Machine()
    seen = set()
    for _ in range(2 * int(catalogue.find("fab-micro").design.interval(128))):
        seen.add(machine.at)
        machine.step((0, 0))
    idle = Word(False, False, machine.program.at_zero, machine.program.write_nothing, _LOAD)
    assert len(seen) == 184
    for at, word in enumerate(machine.program.words[: machine.program.num_words]):
        assert at in seen or word == idle, at


def _expected(text: str, trace: rounds.Trace) -> int | None:
    """The byte that a row says the accumulator takes; None where it says none, or a part of one."""
    keys = rounds.round_keys(trace.key)
    readers = (
        (r"byte (\d+) of the block \+ K(0) -> ", lambda n, r: trace.end(r)[n]),
        (r"byte (\d+) of round \d+ \+ K(\d+) -> ", lambda n, r: trace.end(r)[n]),
        (r"S-box -> accumulator: byte (\d+) of round (\d+) after ShiftRows$",
         lambda n, r: trace.rounds[r - 1].shift[n]),
        (r"S-box -> accumulator: byte (\d+) of SubWord for K(\d+)$",
         lambda n, r: rounds.SBOX[keys[r - 1][12 + (n + 1) % 4]]),
        (r"byte (\d+) of K(\d+) -> accumulator$", lambda n, r: keys[r][n]),
        (r"MixColumns: byte (\d+) of round (\d+) -> accumulator$",
         lambda n, r: trace.rounds[r - 1].mix[n]),
        (r"(\+) Rcon for K(\d+) -> accumulator$",
         lambda _, r: keys[r][0] ^ keys[r - 1][0]),
    )  # fmt: skip
    for pattern, read in readers:
        if match := re.match(pattern, text):
            byte, number = match.groups()
            return read(0 if byte == "+" else int(byte), int(number))
    return None


def test_the_clock_table_is_that_of_the_program() -> None:
    """Each row against the machine: bytes that are taken, the accumulator, bytes of the result."""
    trace, machine = rounds.trace(), _Machine()
    taken, out, rcon, seen = 0, None, 1, dict.fromkeys(("in", "out", "accumulator", "parts"), 0)
    for clock, text in schedule.schedule(catalogue.find("fab-micro").design, 128):
        # The port shows the result of the clock before.
        if match := re.search(r"out_byte_o: byte (\d+)$", text):
            assert out == trace.result[int(match[1])], clock
            seen["out"] += 1
        else:
            assert out is None, clock
        byte = trace.block[taken % 16], trace.key[taken % 16]
        takes, out = machine.step(byte)
        assert takes == text.startswith("in_byte_i"), clock
        taken += takes
        seen["in"] += takes
        if (wanted := _expected(text, trace)) is not None:
            assert machine.acc == wanted, (clock, text)
            seen["accumulator"] += 1
        elif text.startswith("Rcon for "):
            assert machine.acc == rcon, clock
        elif text.startswith("Rcon x "):
            rcon = rounds.double(rcon)
            assert machine.acc == rcon, clock
        elif "MixColumns, part" in text:
            seen["parts"] += 1
        else:
            assert takes or text == "-" or text.startswith("out_valid_o"), text
    # A round: key addition, ShiftRows, a key with its 16 bytes and what they are made of.
    assert seen == {
        "in": 16, "out": 16, "accumulator": 10 * (16 + 16 + 26) + 9 * 16 + 16, "parts": 9 * 64,
    }  # fmt: skip
