# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a board must do, asked of a simulated one by the host code.

Each key size with the vector of FIPS 197, then random blocks in a row as OpenSSL gives them, what
a board must refuse, a byte that gets lost and one that is damaged.
"""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

from aesfab.board import build, top
from aesfab.board.boards import Board
from aesfab.board.line import Line
from aesfab.board.protocol import Hello
from aesfab.board.session import BoardError, Session
from aesfab.board.simulation import simulate
from aesfab.design.catalogue import Named
from aesfab.eda.simulate import Progress, silent
from aesfab.errors import AesfabError
from aesfab.verify import oracle
from aesfab.verify.oracle import BLOCK_BYTES

BLOCKS = 100
"""Random blocks in a row, in each direction that the design has."""

# FIPS 197, appendix C: key size to ciphertext of the plaintext under the key 00 01 02 ...
_PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
_CIPHER = {
    128: bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"),
    192: bytes.fromhex("dda97ca4864cdfe06eaf70a0ec0d7191"),
    256: bytes.fromhex("8ea2b7ca516745bfeafc49904b496089"),
}
# What happens to which byte from the host; both are in the middle of the first blocks.
_DISTURBED = {"drop": 90, "spoil": 99}
# A simulated second may take some seconds; a board answers within one.
_PATIENCE, _SILENCE = 30.0, 0.5


class WrongAnswerError(AesfabError):
    """What was built does not do what a board must."""

    exit_status = 1


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a simulated board did.

    Attributes:
        level: what was simulated.
        blocks: random blocks that were as OpenSSL gives them.
        clocks_per_block: clocks of the board for one of many blocks in a row; a host that has other
            work makes it more.
        blocks_per_second: the same at the clock of the board.
    """

    level: str
    blocks: int
    clocks_per_block: float
    blocks_per_second: int

    def to_json(self) -> dict[str, Any]:
        """For a record."""
        return {**dataclasses.asdict(self), "clocks_per_block": round(self.clocks_per_block, 1)}


def of_build(built: build.Built, progress: Progress = silent) -> Outcome:
    """Simulate what comes nearest to the FPGA that a tool makes of a build, and exercise it.

    That is the bitstream of an iCE40 or Gowin FPGA. No tool makes Verilog of one for ECP5: there it
    is the netlist as it was routed, and the bitstream must be the same when it is unpacked and
    packed again.

    Raises:
        AesfabError: a tool is missing.
        ToolError: a tool fails.
        WrongAnswerError: it does not do what it must.
    """
    board = built.board
    if board.packer == "ecppack":
        level = "routed netlist"
        if simulate.packed_again(built.bitstream) != built.bitstream:
            raise WrongAnswerError(f"{built.file}: unpacked and packed again, it is another one")
        model = simulate.routed_model(board, built.routed, progress)
    else:
        level = "bitstream"
        model = simulate.bitstream_model(board, built.bitstream, progress)
    return of_model(board, built.choice.named, model, level)


def of_model(board: Board, named: Named, model: Path, level: str = "RTL") -> Outcome:
    """Ask a model all that a board with a design must do.

    Args:
        board: the board.
        named: the design.
        model: of ``simulate``.
        level: what was simulated, for the outcome.

    Raises:
        WrongAnswerError: it does not do what it must.
    """
    design = named.design
    expected = Hello(
        *(design.can_encrypt, design.can_decrypt, design.key_lengths, board.hz, board.baud),
        top.identity(named),
    )
    directions = [d for d, can in ((False, design.can_encrypt), (True, design.can_decrypt)) if can]
    key = random.Random(2).randbytes(design.key_lengths[-1] // 8)
    data = random.Random(3).randbytes(BLOCK_BYTES * BLOCKS)
    clocks = 0
    with simulate.Simulated(model, board) as simulated, Line(simulated.port, board.baud) as opened:
        host = Session(opened, str(simulated.port), _PATIENCE, _SILENCE)
        _require(host.hello == expected, f"its greeting is {host.hello}")
        _refuses(host, directions[0], "has lost its key", "without a key")
        for bits in design.key_lengths:
            host.set_key(bytes(range(bits // 8)))
            pair = (_PLAIN, _CIPHER[bits])
            for decrypt in directions:
                got = list(host.blocks([pair[decrypt]], decrypt=decrypt))
                _require(got == [pair[not decrypt]], f"the vector of FIPS 197, {bits}-bit key")
        host.set_key(key)
        for decrypt in directions:
            begun = simulated.clocks
            _encrypts(host, key, data, decrypt=decrypt, said="in a row")
            clocks = max(clocks, simulated.clocks - begun)
        _require(host.retries == 0, f"something was sent again {host.retries} times")
        for decrypt in {False, True} - set(directions):
            _refuses(host, decrypt, "its core cannot do it", "in a direction that it has not")
        host.reset()
        _refuses(host, directions[0], "reset in the middle", "after a reset")
    for how, number in _DISTURBED.items():
        with (
            simulate.Simulated(model, board, **{how: number}) as simulated,
            Line(simulated.port, board.baud) as opened,
        ):
            host = Session(opened, str(simulated.port), _PATIENCE, _SILENCE)
            host.set_key(key)
            said = f"byte {number} on the line is hit ({how})"
            _encrypts(host, key, data, decrypt=directions[0], said=said)
            _require(host.retries >= 1, f"{said}: nothing was sent again")
    per_block = clocks / BLOCKS
    return Outcome(level, BLOCKS * len(directions), per_block, round(board.hz / per_block))


def _require(holds: bool, said: str) -> None:
    if not holds:
        raise WrongAnswerError(f"the simulated board does not answer as it must: {said}")


def _encrypts(host: Session, key: bytes, data: bytes, *, decrypt: bool, said: str) -> None:
    """Random blocks are to come as OpenSSL gives them."""
    blocks = [data[at : at + BLOCK_BYTES] for at in range(0, len(data), BLOCK_BYTES)]
    result = b"".join(host.blocks(blocks, decrypt=decrypt))
    right = result == oracle.ecb(key, data, decrypt=decrypt)
    _require(right, f"{len(blocks)} random blocks, {said}")


def _refuses(host: Session, decrypt: bool, words: str, when: str) -> None:
    """A block is to be refused, in such words."""
    try:
        list(host.blocks([_PLAIN], decrypt=decrypt))
    except BoardError as error:
        _require(words in str(error), f"a block {when}: {error}")
    else:
        _require(False, f"a block {when} got an answer")
