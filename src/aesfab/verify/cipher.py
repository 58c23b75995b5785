# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files through the simulated RTL, in the modes of operation of NIST SP 800-38A.

The core does the block cipher; the bench chains around it, streaming, so memory does not grow
with the file. Modes that wait for each result take a block every latency + 1 clocks, because the
bench registers a result before it goes back in; the others one every interval.
"""

from __future__ import annotations

import dataclasses
import os
import stat
from pathlib import Path

from aesfab.design.design import Design
from aesfab.eda.simulate import Model, Progress, silent
from aesfab.errors import AesfabError, unknown
from aesfab.system import files
from aesfab.verify.oracle import BLOCK_BYTES, MODES, PADDED_MODES


@dataclasses.dataclass(frozen=True)
class Stats:
    """What a file cost.

    Attributes:
        blocks: blocks that the core processed, padding included.
        cycles: clocks from the acceptance of the first block to the last result, key set-up not
            included; 0 without blocks.
        seconds: wall time of the simulation.
    """

    blocks: int
    cycles: int
    seconds: float

    @property
    def cycles_per_block(self) -> float:
        """Clocks a block, 0 without blocks."""
        return self.cycles / self.blocks if self.blocks else 0.0

    @property
    def blocks_per_second(self) -> float:
        """Blocks simulated a second of wall time."""
        return self.blocks / self.seconds if self.seconds else 0.0


def check(
    design: Design,
    mode: str,
    key: str,
    iv: str | None,
    data_in: Path,
    data_out: Path,
    *,
    decrypt: bool,
    pad: bool = True,
) -> None:
    """Refuse whatever can be refused before a model is built; the arguments are those of crypt().

    Raises:
        AesfabError: the reason, in one line.
    """
    check_core(design, mode, decrypt=decrypt)
    check_key(design, key)
    check_iv(mode, iv)
    check_files(
        data_in, data_out, whole=mode in PADDED_MODES and (decrypt or not pad), decrypt=decrypt
    )


def check_core(design: Design, mode: str, *, decrypt: bool) -> None:
    """AesfabError for a mode that is none, or that a design does not have in a direction."""
    if mode not in MODES:
        raise unknown("mode", mode, MODES)
    verb = "decrypt" if decrypt else "encrypt"
    if _core_decrypts(mode, decrypt):
        if not design.can_decrypt:
            raise AesfabError(f"this design only encrypts, and {mode} decryption needs decryption")
    elif not design.can_encrypt:
        if mode in PADDED_MODES:
            raise AesfabError(f"this design only decrypts, so it cannot {verb} in {mode} mode")
        raise AesfabError(
            f"this design only decrypts, and {mode} mode uses encryption in both directions"
        )


def check_files(
    data_in: Path, data_out: Path, *, whole: bool, decrypt: bool, least: int = 0
) -> None:
    """Refuse files that cannot be read or written.

    Args:
        data_in: what is read.
        data_out: what is written.
        whole: the input must be whole blocks.
        decrypt: the direction, for the reason.
        least: bytes that the input must have, where its size is known.

    Raises:
        AesfabError: the reason, in one line.
    """
    check_input(data_in, whole=whole, decrypt=decrypt, least=least)
    _check_output(data_in, data_out)


def crypt(
    model: Model,
    design: Design,
    mode: str,
    key: str,
    iv: str | None,
    data_in: Path,
    data_out: Path,
    *,
    decrypt: bool,
    pad: bool = True,
    seed: int = 1,
    progress: Progress = silent,
) -> Stats:
    """Encrypt or decrypt a file with a core, as the ``openssl enc`` command would.

    Args:
        model: the core.
        design: its design.
        mode: one of oracle.MODES.
        key: hexadecimal, of a length that the design takes.
        iv: 32 hexadecimal digits (CTR: the first counter block); None for ECB.
        data_in: any file that can be read, of any size; ``-`` for standard input.
        data_out: written whole or not at all, see ``files.whole_file``; ``-`` for standard output.
            What was decrypted is not more readable than ``data_in``.
        decrypt: the direction.
        pad: PKCS#7 padding in ECB and CBC; without it the input must be whole blocks.
        seed: of the state that the core has no reset for.
        progress: told of the blocks done.

    Raises:
        AesfabError: one line that says what is wrong with the call, the input or the output.
        ToolError: the simulation failed.
    """
    check(design, mode, key, iv, data_in, data_out, decrypt=decrypt, pad=pad)
    step = f"{'decrypt' if decrypt else 'encrypt'} {data_in.name}"
    arguments = {
        "mode": mode,
        "decrypt": decrypt,
        "pad": pad,
        "core-decrypts": _core_decrypts(mode, decrypt),
    }
    secrets = {"AESFAB_BENCH_KEY": key, "AESFAB_BENCH_IV": iv or ""}
    try:
        with files.open_input(data_in) as given:
            padding = int(mode in PADDED_MODES and pad and not decrypt)
            status = os.fstat(given.fileno())
            size = status.st_size
            total = size // BLOCK_BYTES + (padding or bool(size % BLOCK_BYTES))
            progress(step, 0, total)
            with files.whole_file(data_out, status if decrypt else None) as output:
                run = model.run(
                    "crypt",
                    arguments=arguments,
                    given=given,
                    output=output,
                    secrets=secrets,
                    seed=seed,
                    on_progress=lambda done: progress(step, done, total),
                )
    except BrokenPipeError:
        raise
    except OSError as error:
        name = error.filename or data_out
        raise AesfabError(f"cannot write {name}: {error.strerror}") from error
    blocks, cycles = run.result
    progress(step, blocks, blocks)
    return Stats(blocks, cycles, run.seconds)


def _core_decrypts(mode: str, decrypt: bool) -> bool:
    """Whether the core itself runs in its decryption direction."""
    return decrypt and mode in PADDED_MODES


def _is_hex(text: str) -> bool:
    return all(c in "0123456789abcdefABCDEF" for c in text)


def check_hex_key(key: str) -> None:
    """AesfabError for a key that is not hexadecimal."""
    if not _is_hex(key):
        raise AesfabError("the key is not hexadecimal")


def check_key(design: Design, key: str) -> None:
    """AesfabError for a key that is not hexadecimal or not of a length that the design takes."""
    check_hex_key(key)
    if len(key) * 4 not in design.key_lengths:
        wanted = " or ".join(f"{bits // 4}" for bits in design.key_lengths)
        sizes = " or ".join(f"{bits}" for bits in design.key_lengths)
        raise AesfabError(
            f"the key has {len(key)} hexadecimal digits; this design takes {wanted} ({sizes} bit)"
        )


def check_iv(mode: str, iv: str | None) -> None:
    """AesfabError for an iv that the mode does not take, or one that it misses."""
    if mode == "ecb":
        if iv is not None:
            raise AesfabError("ecb mode takes no iv")
        return
    if iv is None:
        raise AesfabError(f"{mode} mode needs an iv of {2 * BLOCK_BYTES} hexadecimal digits")
    if not _is_hex(iv):
        raise AesfabError("the iv is not hexadecimal")
    if len(iv) != 2 * BLOCK_BYTES:
        raise AesfabError(
            f"the iv has {len(iv)} hexadecimal digits; it must have {2 * BLOCK_BYTES}"
        )


def check_input(path: Path, *, whole: bool = False, decrypt: bool = False, least: int = 0) -> None:
    """Refuse an input that cannot be read; see ``check_files``."""
    try:
        status = files.status_of_input(path)
        if stat.S_ISDIR(status.st_mode):
            raise AesfabError(f"cannot read {path}: it is a folder")
        if stat.S_ISREG(status.st_mode):  # opening a pipe would disturb it
            files.open_input(path).close()
    except OSError as error:
        raise AesfabError(f"cannot read {path}: {error.strerror}") from error
    # Of a file that is standard input, a part may have been read.
    sized = stat.S_ISREG(status.st_mode) and not files.is_standard_input(path)
    if sized:
        require_size(path, status.st_size, least)
    if whole and sized and status.st_size % BLOCK_BYTES:
        what = "the ciphertext is truncated or none" if decrypt else "it cannot go without padding"
        raise AesfabError(
            f"{path} has {status.st_size} bytes, not a whole number of {BLOCK_BYTES}-byte blocks: "
            f"{what}"
        )


def require_size(path: Path, size: int, least: int) -> None:
    """AesfabError for an input with fewer bytes than it must have."""
    if size < least:
        raise AesfabError(f"{path} has {size} bytes; this mode needs {least} or more")


def _check_output(data_in: Path, data_out: Path) -> None:
    if files.is_standard_output(data_out):
        return
    try:
        real, found = files.target(data_out)
        if not real.parent.is_dir():
            raise AesfabError(f"cannot write {data_out}: there is no folder {data_out.parent}")
        if found is not None and os.path.samestat(found, files.status_of_input(data_in)):
            raise AesfabError("the output is the input; give it another name")
    except IsADirectoryError as error:
        raise AesfabError(f"cannot write {data_out}: it is a folder") from error
    except OSError as error:
        raise AesfabError(f"cannot write {data_out}: {error.strerror}") from error
