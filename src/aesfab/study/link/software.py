# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The alternative to a core: AES by OpenSSL on the processor at hand, measured."""

from __future__ import annotations

import dataclasses
import functools
import json
import statistics
import sys

from aesfab.errors import ToolError
from aesfab.system import process

SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384)
"""Message sizes in blocks that are timed."""

# In a process of its own, because OpenSSL reads its mask of processor features once. The buffer is
# one of the caller's, so a call is a call of OpenSSL and little more.
_PROGRAM = """
import json, sys, time
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
encryptor = Cipher(algorithms.AES(bytes(16)), modes.ECB()).encryptor()
times = {}
for blocks in json.loads(sys.argv[1]):
    message = bytes(16 * blocks)
    out = bytearray(16 * blocks + 15)
    best = []
    for _ in range(7):
        calls = max(1, 4096 // blocks)
        start = time.perf_counter_ns()
        for _ in range(calls):
            encryptor.update_into(message, out)
        best.append((time.perf_counter_ns() - start) / calls)
    times[blocks] = sorted(best)[len(best) // 2]
print(json.dumps(times))
"""

# Without AES, PCLMUL, SSSE3 (vector permutation) and the vector AES of later processors: tables.
_NO_AES = "~0x200020200000000:~0x20000000000"


@dataclasses.dataclass(frozen=True)
class Software:
    """AES-128 on a processor: ``setup_ns`` a call and ``block_ns`` a block.

    Attributes:
        title: for people.
        times_ns: what was measured, blocks to ns; empty for a figure that was printed.
    """

    title: str
    setup_ns: float
    block_ns: float
    times_ns: dict[int, float] = dataclasses.field(default_factory=dict)

    @property
    def mbit_s(self) -> float:
        """Throughput of long messages."""
        return 128_000.0 / self.block_ns


@functools.cache
def measured(aes_instructions: bool = True) -> Software:
    """OpenSSL on this machine, AES-128 in ECB mode.

    Args:
        aes_instructions: False: OpenSSL is told (``OPENSSL_ia32cap``) that the processor has none,
            so it computes with tables. Processors that are not x86 take no notice.

    Raises:
        ToolError: the measurement failed.
    """
    said = process.run(
        [sys.executable, "-c", _PROGRAM, json.dumps(SIZES)],
        what="timing of OpenSSL",
        timeout=120,
        env={} if aes_instructions else {"OPENSSL_ia32cap": _NO_AES},
    )
    try:
        times = {int(blocks): float(ns) for blocks, ns in json.loads(said).items()}
    except ValueError as error:
        raise ToolError(f"timing of OpenSSL: {error}", said) from error
    setup_ns, block_ns = fit(times)
    suffix = "" if aes_instructions else " without AES instructions"
    return Software(f"OpenSSL on this machine{suffix}", setup_ns, block_ns, times)


def printed(title: str, mbit_s: float) -> Software:
    """A program of which only the throughput is known."""
    return Software(title, 0.0, 128_000.0 / mbit_s)


def fit(times_ns: dict[int, float], least_beta: float = 0.0) -> tuple[float, float]:
    """The line time = alpha + blocks x beta through measured times, in ns; alpha at least 0.

    Every size counts alike: residuals are relative, else the longest message alone would decide.
    ``least_beta`` is what a block takes in the longest of messages, where that is known: no line
    through them may promise more.
    """
    weights = {blocks: 1.0 / ns**2 for blocks, ns in times_ns.items()}
    total = sum(weights.values())
    mean_x = sum(w * b for b, w in weights.items()) / total
    mean_y = sum(w * times_ns[b] for b, w in weights.items()) / total
    spread = sum(w * (b - mean_x) ** 2 for b, w in weights.items())
    if not spread:
        return 0.0, statistics.mean(ns / blocks for blocks, ns in times_ns.items())
    beta = sum(w * (b - mean_x) * (times_ns[b] - mean_y) for b, w in weights.items()) / spread
    beta = max(beta, least_beta)
    return max(0.0, mean_y - beta * mean_x), beta
