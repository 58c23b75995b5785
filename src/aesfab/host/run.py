# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through a device by the C library, as a program on a board would do it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from pathlib import Path
from typing import BinaryIO

from aesfab.design.design import Design
from aesfab.eda import simulate
from aesfab.errors import AesfabError, unknown
from aesfab.host.driver import Device
from aesfab.system import files
from aesfab.verify import cipher
from aesfab.verify.oracle import BLOCK_BYTES

MODES = ("ctr", "ecb")
"""Modes of operation that a device does without waiting for each block."""

_PIECE = 1 << 20  # bytes of the file in memory at a time


@dataclasses.dataclass(frozen=True)
class Stats:
    """What a file cost: blocks that the device processed, and wall time in seconds."""

    blocks: int
    seconds: float


def check(
    mode: str,
    key: str,
    iv: str | None,
    data_in: Path,
    data_out: Path,
    *,
    decrypt: bool,
    design: Design | None = None,
) -> tuple[bytes, bytes]:
    """Key and first counter block out of what the user gave.

    Args:
        mode: one of MODES.
        key: hexadecimal.
        iv: the same, for counter mode.
        data_in: see crypt().
        data_out: see crypt().
        decrypt: the direction.
        design: that of the device, where it is known before the device is opened.

    Raises:
        AesfabError: the reason why they do not fit.
    """
    if mode not in MODES:
        raise unknown("mode", mode, MODES)
    if design is not None:
        cipher.check(design, mode, key, iv, data_in, data_out, decrypt=decrypt)
    if len(key) not in (32, 48, 64):
        raise AesfabError(f"the key has {len(key)} hexadecimal digits; it must have 32, 48 or 64")
    if mode == "ecb" and iv is not None:
        raise AesfabError("ecb mode takes no iv")
    if mode == "ctr" and (iv is None or len(iv) != 2 * BLOCK_BYTES):
        raise AesfabError(f"ctr mode needs an iv of {2 * BLOCK_BYTES} hexadecimal digits")
    cipher.check_files(data_in, data_out, whole=mode == "ecb" and decrypt, decrypt=decrypt)
    return _hex("key", key), _hex("iv", iv or "")


def _hex(what: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise AesfabError(f"the {what} is not hexadecimal") from None


def crypt(
    device: Device,
    mode: str,
    key: bytes,
    counter: bytes,
    data_in: Path,
    data_out: Path,
    *,
    decrypt: bool,
    progress: simulate.Progress = simulate.silent,
) -> Stats:
    """Encrypt or decrypt a file with a device; PKCS#7 padding in ecb mode.

    The output is written whole or not at all, and memory does not grow with the file.

    Raises:
        AesfabError: a file cannot be read or written, or the input is not what the mode takes.
        DeviceError: with the words of the library.
    """
    start = time.monotonic()
    blocks = 0
    held = b""  # the last block of an ecb decryption carries the padding
    step = f"{'decrypt' if decrypt else 'encrypt'} {data_in.name}"
    try:
        with contextlib.ExitStack() as stack:
            given = stack.enter_context(files.open_input(data_in))
            status = os.fstat(given.fileno())
            output = stack.enter_context(files.whole_file(data_out, status if decrypt else None))
            total = -(-status.st_size // BLOCK_BYTES)
            device.set_key(key)
            while True:
                piece = _piece(given)
                last = len(piece) < _PIECE
                if mode == "ctr":
                    output.write(device.ctr(counter, piece))
                    count = -(-len(piece) // BLOCK_BYTES)
                    counter = _advanced(counter, count)
                elif decrypt:
                    if len(piece) % BLOCK_BYTES:
                        raise AesfabError(
                            f"{data_in} is not a whole number of {BLOCK_BYTES}-byte blocks"
                        )
                    plain = held + device.decrypt(piece)
                    held = plain[-BLOCK_BYTES:]
                    output.write(plain[:-BLOCK_BYTES])
                    count = len(piece) // BLOCK_BYTES
                else:
                    if last:
                        missing = BLOCK_BYTES - len(piece) % BLOCK_BYTES
                        piece += bytes([missing]) * missing
                    output.write(device.encrypt(piece))
                    count = len(piece) // BLOCK_BYTES
                blocks += count
                progress(step, min(blocks, total), total)
                if last:
                    break
            if mode == "ecb" and decrypt:
                output.write(_unpadded(held))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise AesfabError(f"{error.filename or data_out}: {error.strerror}") from error
    return Stats(blocks, time.monotonic() - start)


def _piece(given: BinaryIO) -> bytes:
    """The next piece of a file, short only at its end."""
    piece = b""
    while len(piece) < _PIECE:
        more = given.read(_PIECE - len(piece))
        if not more:
            break
        piece += more
    return piece


def _advanced(counter: bytes, blocks: int) -> bytes:
    number = (int.from_bytes(counter, "big") + blocks) % (1 << (8 * BLOCK_BYTES))
    return number.to_bytes(BLOCK_BYTES, "big")


def _unpadded(block: bytes) -> bytes:
    count = block[-1] if block else 0
    if not 1 <= count <= BLOCK_BYTES or block[-count:] != bytes([count]) * count:
        raise AesfabError("bad padding: a wrong key or mode, or damaged input")
    return block[:-count]
